//===- KernelAttrInterface.td - kernels' interface ---------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNEL_ATTR_INTERFACE_TD
#define CONV_KERNEL_ATTR_INTERFACE_TD

include "mlir/IR/Interfaces.td"

def Conv_KernelAttrInterface : AttrInterface<"KernelAttrInterface"> {
  let description = [{
    How the kernels of one family compute products: the part of a schedule that
    is the family's own. Each family of `lib/Kernels` has one attribute, which
    verifies its own constraints; what all of them have is read here.
  }];
  let cppNamespace = "::mlir::conv";
  let methods = [
    InterfaceMethod<"The name of the main loop; the mnemonic, if the family has only one.",
      "::llvm::StringRef", "getLoopName", (ins), "",
      "return $_attr.getMnemonic();">,
    InterfaceMethod<"`[rows, columns]` of a workgroup; `[rows, matrices]` of direct kernels.",
      "::llvm::ArrayRef<int64_t>", "getWorkgroup">,
    InterfaceMethod<"`[rows, columns]` or `[rows, matrices]` of a subgroup.",
      "::llvm::ArrayRef<int64_t>", "getSubgroup">,
    InterfaceMethod<"Elements of the reduction of one step.",
      "int64_t", "getGemmK">,
    InterfaceMethod<"Steps whose operands are in shared memory at a time.",
      "int64_t", "getStages">,
    // An `AtomAttr`, which is declared after this interface.
    InterfaceMethod<"What multiplies.",
      "::mlir::Attribute", "getAtomAttribute", (ins), "",
      "return $_attr.getAtom();">,
    InterfaceMethod<"Which tile index moves fastest over workgroups.",
      "::mlir::conv::Raster", "getRaster">,
    InterfaceMethod<"Height and width of the halo tiles by which positions are numbered; empty if there are none.",
      "::llvm::ArrayRef<int64_t>", "getHaloTile", (ins), "", "return {};">,
    InterfaceMethod<"Workgroups that share the reduction of a tile.",
      "int64_t", "getCluster", (ins), "", "return 1;">,
    InterfaceMethod<"Products that matrix instructions add up before their sum is promoted to f32; 0 if they add up in f32.",
      "int64_t", "getPromotion", (ins), "", "return 0;">,
    InterfaceMethod<"What brings the operands to warpgroups.",
      "::conv::Producer", "getProducer", (ins), "",
      "return ::conv::Producer::CopyEngine;">,
    InterfaceMethod<"Whether kernels of the family run on the chip (S9).",
      "bool", "suits", (ins "const ::conv::ChipInfo &":$chip), "",
      "return !chip.isProcessor();">,
    InterfaceMethod<"Whether dgrad phases are columns of one product.",
      "bool", "joinsPhases", (ins), "", "return false;">,
    InterfaceMethod<"Whether products include taps that never meet the image.",
      "bool", "keepsDeadTaps", (ins), "", "return false;">,
    InterfaceMethod<"Whether columns are numbered by channel rows, where that helps copies.",
      "bool", "hasChannelRows", (ins), "", "return false;">,
    InterfaceMethod<"Subgroups of a workgroup that multiply.",
      "int64_t", "getNumSubgroups", (ins), "", [{
        return ::llvm::divideCeil($_attr.getWorkgroup()[0],
                                  $_attr.getSubgroup()[0]) *
               ($_attr.getWorkgroup()[1] / $_attr.getSubgroup()[1]);
      }]>,
    InterfaceMethod<"Checks what its constraints say about a chip; `atom` is the row of the chip's table, or null for atoms that are no matrix instructions.",
      "::llvm::LogicalResult", "verifyForChip",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
           "const ::conv::ChipInfo &":$chip,
           "const ::conv::MatrixAtom *":$atom)>
  ];
  let extraClassDeclaration = [{
    /// The instruction that multiplies.
    AtomAttr getAtom() const;
  }];
}

#endif // CONV_KERNEL_ATTR_INTERFACE_TD

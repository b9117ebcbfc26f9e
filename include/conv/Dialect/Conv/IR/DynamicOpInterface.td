//===- DynamicOpInterface.td - dynamic ops by role --------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DYNAMIC_OP_INTERFACE_TD
#define CONV_DYNAMIC_OP_INTERFACE_TD

include "mlir/IR/OpBase.td"

def Conv_DynamicOpInterface : OpInterface<"DynamicOpInterface"> {
  let description = [{
    A dynamic convolution in any direction. Its tensors have the roles of
    `ConvolutionOpInterface`; the one of kernels is `TensorRole::Filter`.
  }];
  let cppNamespace = "::mlir::conv";
  let methods = [
    StaticInterfaceMethod<"Which of the three tensors is computed.",
      "::mlir::conv::Direction", "getDirection">,
    InterfaceMethod<"The order of the kernels' dimensions.",
      "::mlir::conv::KernelOrder", "getOrder">,
    InterfaceMethod<"Where packed sequences start, or null.",
      "::mlir::TypedValue<::mlir::RankedTensorType>", "getCuSeqlens">,
    InterfaceMethod<"The tokens before the first ones, or null.",
      "::mlir::TypedValue<::mlir::RankedTensorType>", "getInitialState",
      (ins), "", "return nullptr;">,
    InterfaceMethod<"What becomes of kernels before they are used.",
      "::mlir::conv::Normalization", "getNormalize">,
    InterfaceMethod<"The kernels that the gradient of normalised ones takes, or null.",
      "::mlir::TypedValue<::mlir::RankedTensorType>", "getGivenKernel",
      (ins), "", "return nullptr;">,
    InterfaceMethod<"What the epilogue reads besides the accumulator.",
      "::mlir::OperandRange", "getEpilogueOperands">,
    InterfaceMethod<"The epilogue, which may be empty.",
      "::mlir::Region &", "getEpilogue">
  ];
  let extraClassDeclaration = [{
    /// The tensor, or the gradient of one, with this role.
    ::mlir::TypedValue<::mlir::RankedTensorType>
    getTensor(::mlir::conv::TensorRole role);
    /// What the tensor with this role is called: "kernel", "grad_kernel".
    ::llvm::StringRef getTensorName(::mlir::conv::TensorRole role);
    ::mlir::TypedValue<::mlir::RankedTensorType> getResultTensor();
    ::mlir::RankedTensorType getResultType() {
      return getResultTensor().getType();
    }
    /// The type of what is multiplied.
    ::mlir::Type getOperandType();
    /// Whether all of several tokens have one kernel.
    bool hasOneKernel();
    /// Whether kernels are not used as they are.
    bool isNormalized() {
      return getNormalize() != ::mlir::conv::Normalization::None;
    }
    /// Whether it has one kernel, which finds what it reads by numbers that only
    /// the device has. All others become matrices.
    bool hasTokenKernel();
    /// Sizes of all three tensors.
    ::mlir::conv::DynamicShape getShape();
  }];
}

#endif // CONV_DYNAMIC_OP_INTERFACE_TD

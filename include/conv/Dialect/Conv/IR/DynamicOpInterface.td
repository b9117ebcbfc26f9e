//===- DynamicOpInterface.td - dynamic ops by role ---------*- tablegen -*-===//
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
    /// The tensor, or the gradient of a tensor, with this role.
    ::mlir::TypedValue<::mlir::RankedTensorType>
    getTensor(::mlir::conv::TensorRole role);
    /// The name of the tensor with this role: "kernel", "grad_kernel".
    ::llvm::StringRef getTensorName(::mlir::conv::TensorRole role);
    ::mlir::TypedValue<::mlir::RankedTensorType> getResultTensor();
    ::mlir::RankedTensorType getResultType() {
      return getResultTensor().getType();
    }
    /// The element type of the factors.
    ::mlir::Type getOperandType();
    /// Whether all tokens share one kernel although there are several.
    bool hasOneKernel();
    /// Whether kernels are normalized before use.
    bool isNormalized() {
      return getNormalize() != ::mlir::conv::Normalization::None;
    }
    /// Whether one kernel computes the op, since its sizes, its states or its
    /// many normalized kernels need it; others become matrices.
    bool hasTokenKernel();
    /// Sizes of all three tensors.
    ::mlir::conv::DynamicShape getShape();
  }];
}

#endif // CONV_DYNAMIC_OP_INTERFACE_TD

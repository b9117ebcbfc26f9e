//===- ConvolutionOpInterface.td - convolutions by role ----*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CONVOLUTION_OP_INTERFACE_TD
#define CONV_CONVOLUTION_OP_INTERFACE_TD

include "mlir/IR/OpBase.td"

def Conv_ConvolutionOpInterface : OpInterface<"ConvolutionOpInterface"> {
  let description = [{
    A convolution in any direction. Its three tensors are known by role: input,
    filter and output. Two are operands, the third is the result:

    | direction | operands | result |
    | --- | --- | --- |
    | forward | input, filter | output |
    | backward data | output (`grad_output`), filter | input (`grad_input`) |
    | backward weight | input, output (`grad_output`) | filter (`grad_filter`) |

    Window, layouts, groups and padding relate the roles in the same way in
    every direction, so that code that asks by role needs no case for any.
  }];
  let cppNamespace = "::mlir::conv";
  let methods = [
    StaticInterfaceMethod<"Which of the three tensors is computed.",
      "::mlir::conv::Direction", "getDirection">,
    InterfaceMethod<"How the filter moves over the input.",
      "::mlir::conv::WindowAttr", "getWindow">,
    InterfaceMethod<"Orders of the dimensions, by role.",
      "::mlir::conv::LayoutsAttr", "getLayouts">,
    InterfaceMethod<"The number of groups.", "int64_t", "getGroups">,
    InterfaceMethod<"What reads outside of the input give.",
      "::mlir::conv::PaddingMode", "getPadding">,
    InterfaceMethod<"What is multiplied: the operands as they are, or rounded.",
      "::mlir::conv::Arithmetic", "getArithmetic">,
    InterfaceMethod<"The schedule, or null.",
      "::mlir::conv::ScheduleAttr", "getScheduleAttr">,
    InterfaceMethod<"Sets the schedule.",
      "void", "setScheduleAttr", (ins "::mlir::conv::ScheduleAttr":$schedule)>,
    InterfaceMethod<"What the epilogue reads besides the accumulator.",
      "::mlir::OperandRange", "getEpilogueOperands">,
    InterfaceMethod<"The epilogue, which may be empty.",
      "::mlir::Region &", "getEpilogue">,
    InterfaceMethod<"Replaces the layouts.",
      "void", "setLayoutsAttr", (ins "::mlir::conv::LayoutsAttr":$layouts)>,
    InterfaceMethod<"Replaces the window.",
      "void", "setWindowAttr", (ins "::mlir::conv::WindowAttr":$window)>
  ];
  let extraClassDeclaration = [{
    /// The role of the first operand, of the second, and of the result.
    ::mlir::conv::TensorRole getLhsRole();
    ::mlir::conv::TensorRole getRhsRole();
    ::mlir::conv::TensorRole getResultRole();

    /// The operand or the result with `role`.
    ::mlir::TypedValue<::mlir::RankedTensorType>
    getTensor(::mlir::conv::TensorRole role);
    /// The name of the tensor with `role`, such as `input` or `grad_input`.
    ::llvm::StringRef getTensorName(::mlir::conv::TensorRole role);
    /// The order of the dimensions of the tensor with `role`.
    ::llvm::StringRef getOrder(::mlir::conv::TensorRole role);

    ::mlir::TypedValue<::mlir::RankedTensorType> getLhs();
    ::mlir::TypedValue<::mlir::RankedTensorType> getRhs();
    ::mlir::TypedValue<::mlir::RankedTensorType> getResultTensor();

    ::mlir::RankedTensorType getInputType();
    ::mlir::RankedTensorType getFilterType();
    ::mlir::RankedTensorType getOutputType();
    ::mlir::RankedTensorType getResultType();

    /// The order of the dimensions of the result.
    ::llvm::StringRef getResultOrder();
    /// The letter of the result's channels, along which epilogue vectors lie:
    /// `K` forward, `C` for backward data. A filter has none.
    std::optional<char> getResultChannel();
  }];
}

#endif // CONV_CONVOLUTION_OP_INTERFACE_TD

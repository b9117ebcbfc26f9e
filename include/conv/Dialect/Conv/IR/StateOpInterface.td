//===- StateOpInterface.td - ops on states of sequences ---*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_STATE_OP_INTERFACE_TD
#define CONV_STATE_OP_INTERFACE_TD

include "mlir/IR/OpBase.td"

def Conv_StateOpInterface : OpInterface<"StateOpInterface"> {
  let description = [{
    An op on the last tokens of sequences. It is not made of matrices: one kernel
    of its own computes all of its results, and finds what it reads by values
    that the device has.
  }];
  let cppNamespace = "::mlir::conv";
  let methods = [
    InterfaceMethod<"The problem on one line, by its sizes.",
      "std::string", "formatProblem">,
    InterfaceMethod<"What an operand is: \"input\", \"state\", ...",
      "::llvm::StringRef", "getOperandRole", (ins "unsigned":$operand)>,
    InterfaceMethod<"What a result is: \"output\", \"new_state\", ...",
      "::llvm::StringRef", "getResultRole", (ins "unsigned":$result)>,
    InterfaceMethod<"The operand in whose buffer the last result has to be, or null.",
      "::mlir::OpOperand *", "getUpdatedOperand">,
    InterfaceMethod<"Products that are added up for one element.",
      "int64_t", "countProducts">,
    InterfaceMethod<"The epilogue, or null.",
      "::mlir::Region *", "getEpilogueRegion", (ins), "", "return nullptr;">
  ];
}

#endif // CONV_STATE_OP_INTERFACE_TD

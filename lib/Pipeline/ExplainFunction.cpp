//===- ExplainFunction.cpp - explains a function's schedules --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainFunction.h"

#include "conv/Schedule/Explain.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

static int64_t countBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types) {
    auto tensor = cast<RankedTensorType>(type);
    bytes += tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8;
  }
  return bytes;
}

/// Bytes that an element-wise kernel moves. Its result has its init's type.
static int64_t countBytes(linalg::GenericOp op) {
  return countBytes(op->getOperandTypes());
}

static int64_t countBytes(tensor::ConcatOp op) {
  return countBytes(op->getOperandTypes()) + countBytes(op->getResultTypes());
}

static int64_t countOperations(linalg::GenericOp op) {
  return llvm::range_size(op.getBody()->without_terminator());
}

/// Explains one kernel, if the operation becomes one.
static std::optional<std::string> explainAsText(Operation &op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op))
    explainSchedule(convolution, os);
  else if (auto dynamic = dyn_cast<DynamicOpInterface>(op))
    explainDynamic(dynamic, os);
  else if (auto state = dyn_cast<StateOpInterface>(op))
    explainState(state, os);
  else if (auto elementwise = dyn_cast<linalg::GenericOp>(op))
    os << "element-wise kernel of " << countOperations(elementwise)
       << " operations, which moves " << countBytes(elementwise) << " bytes\n";
  else if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
    os << "concatenation of " << concatenation.getInputs().size()
       << " tensors, which moves " << countBytes(concatenation) << " bytes\n";
  else
    return std::nullopt;
  return text;
}

static std::optional<llvm::json::Object> explainAsJson(Operation &op) {
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op))
    return explainScheduleAsJson(convolution);
  if (auto dynamic = dyn_cast<DynamicOpInterface>(op))
    return explainDynamicAsJson(dynamic);
  if (auto state = dyn_cast<StateOpInterface>(op))
    return explainStateAsJson(state);
  if (auto elementwise = dyn_cast<linalg::GenericOp>(op))
    return llvm::json::Object{
        {"elementwise_operations", countOperations(elementwise)},
        {"memory_bytes", countBytes(elementwise)}};
  if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
    return llvm::json::Object{
        {"concatenated", int64_t(concatenation.getInputs().size())},
        {"memory_bytes", countBytes(concatenation)}};
  return std::nullopt;
}

std::string mlir::conv::explainFunction(func::FuncOp function,
                                        const Target &target,
                                        ExplanationForm form) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (Operation &op : function.getOps()) {
    if (form == ExplanationForm::Json) {
      std::optional<llvm::json::Object> json = explainAsJson(op);
      if (!json)
        continue;
      (*json)["function"] = function.getName();
      (*json)["target"] = target.name;
      stream << llvm::json::Value(std::move(*json)) << "\n";
    } else if (std::optional<std::string> kernel = explainAsText(op)) {
      stream << "@" << function.getName() << " for " << target.name << "\n"
             << *kernel << "\n";
    }
  }
  return text;
}

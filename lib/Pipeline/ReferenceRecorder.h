//===- ReferenceRecorder.h - the steps of a reference as JSON ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_PIPELINE_REFERENCERECORDER_H
#define CONV_LIB_PIPELINE_REFERENCERECORDER_H

#include "RecordReference.h"

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::conv {

namespace json = llvm::json;

inline json::Array toArray(ArrayRef<int64_t> values) {
  json::Array array;
  for (int64_t value : values)
    array.push_back(value);
  return array;
}

/// The size of the dimension `letter`; an object if callers choose it.
inline json::Value toSize(char letter, int64_t known,
                          const RunTimeSizes &sizes) {
  if (!ShapedType::isDynamic(known))
    return known;
  return json::Object{{"size", int64_t(*sizes.find(letter))}};
}

/// The shape of a tensor of an op with these run-time sizes.
inline json::Array toArray(Value tensor, const RunTimeSizes &sizes) {
  json::Array array;
  for (auto [d, size] :
       llvm::enumerate(cast<RankedTensorType>(tensor.getType()).getShape())) {
    if (std::optional<unsigned> number = sizes.find(tensor, d))
      array.push_back(json::Object{{"size", int64_t(*number)}});
    else
      array.push_back(size);
  }
  return array;
}

inline std::string typeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Records what each op of a function computes.
class ReferenceRecorder {
public:
  FailureOr<std::string> record(func::FuncOp function);

private:
  /// Adds the steps of an op, if it computes anything.
  LogicalResult recordOp(Operation &op, json::Array &recorded);
  LogicalResult addStep(OpResult result, FailureOr<json::Object> step,
                        json::Array &recorded);
  /// Records the steps whose values the function returns.
  FailureOr<json::Array> recordOutputs(func::FuncOp function);
  FailureOr<json::Object> recordTensor(Value tensor, Operation *user);
  FailureOr<json::Object> recordStep(ConvolutionOpInterface op);
  FailureOr<json::Object> recordDynamic(DynamicOpInterface op);
  FailureOr<json::Object> recordElementwise(linalg::GenericOp op);
  FailureOr<json::Object> recordConcatenation(tensor::ConcatOp op);
  /// Records an op on states: the content of one of its results.
  FailureOr<json::Object> recordState(StateOpInterface op, OpResult result);
  LogicalResult recordEpilogue(Operation *op, ValueRange operands,
                               Region &epilogue, Type outputType,
                               json::Object &step);
  LogicalResult recordScalars(Block &block, size_t numValues,
                              json::Object &step);
  FailureOr<json::Object>
  recordScalarOp(Operation &op, const DenseMap<Value, int64_t> &numbers);

  /// The step that computes a value.
  DenseMap<Value, int64_t> steps;
};

} // namespace mlir::conv

#endif // CONV_LIB_PIPELINE_REFERENCERECORDER_H

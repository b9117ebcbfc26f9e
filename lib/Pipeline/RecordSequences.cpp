//===- RecordSequences.cpp - dynamic convolutions and states as JSON ------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceRecorder.h"

#include "conv/Artifact/ManifestJson.h"

using namespace mlir;
using namespace mlir::conv;
namespace json = llvm::json;

FailureOr<json::Object>
ReferenceRecorder::recordDynamic(DynamicOpInterface op) {
  FailureOr<json::Object> lhs = recordTensor(op->getOperand(0), op);
  FailureOr<json::Object> rhs = recordTensor(op->getOperand(1), op);
  if (failed(lhs) || failed(rhs))
    return failure();
  DynamicShape shape = op.getShape();
  RunTimeSizes sizes(op);
  json::Object step{
      {"direction", op->getName().stripDialect()},
      {"operands", json::Array{std::move(*lhs), std::move(*rhs)}},
      {"order", stringifyKernelOrder(op.getOrder())},
      {"shape",
       json::Array{toSize('B', shape.b, sizes), toSize('T', shape.t, sizes),
                   shape.d, shape.g, shape.w}},
      {"output_type", typeName(op.getResultType().getElementType())},
      {"error_bound",
       llvm::cantFail(json::parse(writeErrorBound(recordErrorBound(op))))}};
  if (op.hasOneKernel())
    step["one_kernel"] = true;
  if (op.isNormalized())
    step["normalize"] = stringifyNormalization(op.getNormalize());
  for (auto [name, operand] :
       {std::pair<StringRef, Value>("cu_seqlens", op.getCuSeqlens()),
        std::pair<StringRef, Value>("initial_state", op.getInitialState()),
        std::pair<StringRef, Value>("kernel", op.getGivenKernel())}) {
    if (!operand)
      continue;
    FailureOr<json::Object> tensor = recordTensor(operand, op);
    if (failed(tensor))
      return failure();
    step[name] = std::move(*tensor);
  }
  if (failed(recordEpilogue(op, op.getEpilogueOperands(), op.getEpilogue(),
                            op.getResultType().getElementType(), step)))
    return failure();
  return step;
}

/// The field of a step for an operand; factors share a list and have none.
static StringRef getOperandField(StateOpInterface op, unsigned operand) {
  StringRef role = op.getOperandRole(operand);
  bool isFactor = isa<DynamicBackwardStateOp>(*op) && operand < 2;
  return isFactor ? "" : role;
}

FailureOr<json::Object> ReferenceRecorder::recordState(StateOpInterface op,
                                                       OpResult result) {
  bool isNewState = result.getResultNumber() > 0;
  auto type = cast<RankedTensorType>(result.getType());
  RunTimeSizes sizes(op);
  json::Object step{
      {"direction",
       (op->getName().stripDialect() + (isNewState ? "_state" : "")).str()},
      {"shape", toArray(result, sizes)},
      {"output_type", typeName(type.getElementType())},
      {"error_bound",
       llvm::cantFail(json::parse(writeErrorBound(recordErrorBound(op))))}};
  json::Array factors;
  for (OpOperand &operand : op->getOpOperands()) {
    StringRef field = getOperandField(op, operand.getOperandNumber());
    if (field == "bias" || field == "operand")
      continue; // In the epilogue.
    FailureOr<json::Object> tensor = recordTensor(operand.get(), op);
    if (failed(tensor))
      return failure();
    if (field.empty())
      factors.push_back(std::move(*tensor));
    else
      step[field] = std::move(*tensor);
  }
  if (auto gradient = dyn_cast<DynamicBackwardStateOp>(*op)) {
    DynamicShape shape = gradient.getShape();
    step["operands"] = std::move(factors);
    auto kernel = cast<RankedTensorType>(gradient.getKernel().getType());
    if (kernel.getDimSize(0) != shape.b || kernel.getDimSize(1) != shape.t)
      step["one_kernel"] = true;
    step["order"] = stringifyKernelOrder(gradient.getOrder());
    if (gradient.getNormalize() != Normalization::None)
      step["normalize"] = stringifyNormalization(gradient.getNormalize());
    step["shape"] =
        json::Array{toSize('B', shape.b, sizes), toSize('T', shape.t, sizes),
                    shape.d, shape.g, shape.w};
  }
  if (auto update = dyn_cast<CausalUpdateOp>(*op)) {
    UpdateShape shape = update.getShape();
    char states = update.getIndices() ? 'S' : 'B';
    step["shape"] = json::Array{
        toSize('B', shape.b, sizes),         shape.d,     shape.t, shape.w,
        toSize(states, shape.states, sizes), shape.length};
    if (!isNewState && failed(recordEpilogue(op, update.getEpilogueOperands(),
                                             update.getEpilogue(),
                                             type.getElementType(), step)))
      return failure();
  }
  return step;
}

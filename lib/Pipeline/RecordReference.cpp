//===- RecordReference.cpp - what a function computes, as JSON --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records the meaning of a function before it is lowered, so that any user of
// the artifact can verify it. Only sizes and scalar operations are stored: the
// reader computes the arithmetic again (tools/support).
//
//===----------------------------------------------------------------------===//

#include "ReferenceRecorder.h"

#include "conv/Artifact/ManifestJson.h"
#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/ElementwiseViews.h"
#include "conv/Dialect/Conv/IR/Prepack.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Plan/WinogradForm.h"

using namespace mlir;
using namespace mlir::conv;
namespace json = llvm::json;

FailureOr<json::Object> ReferenceRecorder::recordTensor(Value tensor,
                                                        Operation *user) {
  Value source = lookThroughReshapes(tensor);
  // In a reference, an argument that is packed stands for the filter itself.
  if (auto unpack = source.getDefiningOp<UnpackOp>())
    source = unpack.getPacked();
  if (auto argument = dyn_cast<BlockArgument>(source)) {
    auto [isConstant, index] = getArgumentPlace(
        user->getParentOfType<func::FuncOp>(), argument.getArgNumber());
    return json::Object{{isConstant ? "constant" : "argument", index}};
  }
  if (auto step = steps.find(source); step != steps.end())
    return json::Object{{"step", step->second}};
  return user->emitOpError("expects arguments or results of other steps as "
                           "operands");
}

/// Records where an operand of `op` is read: the element for the first element
/// of the result, and its distance along each dimension of the result.
static void recordPlaces(linalg::GenericOp op, OpOperand *operand,
                         json::Object &tensor) {
  auto type = cast<RankedTensorType>(operand->get().getType());
  // The element number is one sum of coordinates, which conv-check-supported
  // has verified to be linear.
  AffineExpr place = getAffineConstantExpr(0, op.getContext());
  for (auto [coordinate, size] :
       llvm::zip_equal(*computeReadCoordinates(op, operand), type.getShape()))
    place = place * size + coordinate;
  auto map = AffineMap::get(op.getNumLoops(), 0, place);
  SmallVector<int64_t> position(op.getNumLoops(), 0), strides;
  int64_t first = map.compose(position).front();
  for (int64_t &coordinate : position) {
    coordinate = 1;
    strides.push_back(map.compose(position).front() - first);
    coordinate = 0;
  }
  tensor["strides"] = toArray(strides);
  if (first != 0)
    tensor["offset"] = first;
}

FailureOr<json::Object>
ReferenceRecorder::recordElementwise(linalg::GenericOp op) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  json::Object step{{"direction", "elementwise"},
                    {"shape", toArray(type.getShape())},
                    {"output_type", typeName(type.getElementType())}};
  json::Array operands;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    FailureOr<json::Object> tensor = recordTensor(operand->get(), op);
    if (failed(tensor))
      return failure();
    recordPlaces(op, operand, *tensor);
    operands.push_back(std::move(*tensor));
  }
  step["operands"] = std::move(operands);
  if (failed(recordScalars(*op.getBody(), op.getNumDpsInputs(), step)))
    return failure();
  return step;
}

FailureOr<json::Object>
ReferenceRecorder::recordConcatenation(tensor::ConcatOp op) {
  RankedTensorType type = op.getResultType();
  json::Array operands;
  for (Value operand : op.getInputs()) {
    FailureOr<json::Object> tensor = recordTensor(operand, op);
    if (failed(tensor))
      return failure();
    (*tensor)["size"] =
        cast<RankedTensorType>(operand.getType()).getDimSize(op.getDim());
    operands.push_back(std::move(*tensor));
  }
  return json::Object{{"direction", "concatenation"},
                      {"shape", toArray(type.getShape())},
                      {"dimension", int64_t(op.getDim())},
                      {"operands", std::move(operands)},
                      {"output_type", typeName(type.getElementType())}};
}

static json::Array toJson(const ::conv::RationalMatrix &matrix) {
  json::Array rows;
  for (const auto &row : matrix) {
    json::Array elements;
    for (::conv::Rational value : row)
      elements.push_back(double(toFloat(value)));
    rows.push_back(std::move(elements));
  }
  return rows;
}

/// The matrices of Winograd's algorithm, with the values that kernels use.
static json::Array recordTransforms(ConvolutionOpInterface op) {
  json::Array transforms;
  for (const ::conv::WinogradMatrices &one :
       getWinogradMatrices(op, op.getScheduleAttr().getOutputTile()))
    transforms.push_back(json::Object{{"input", toJson(one.input)},
                                      {"filter", toJson(one.filter)},
                                      {"output", toJson(one.output)}});
  return transforms;
}

/// What matters to results: tf32 changes what is computed, and promoted sums
/// which of them are exact. The rest is how they are computed.
static Arithmetic getComputedArithmetic(ConvolutionOpInterface op) {
  if (op.getArithmetic() == Arithmetic::TF32)
    return Arithmetic::TF32;
  ScheduleAttr schedule = op.getScheduleAttr();
  return schedule && schedule.getPromotion() > 0 ? Arithmetic::Promoted
                                                 : Arithmetic::Exact;
}

FailureOr<json::Object>
ReferenceRecorder::recordStep(ConvolutionOpInterface op) {
  FailureOr<json::Object> lhs = recordTensor(op.getLhs(), op);
  FailureOr<json::Object> rhs = recordTensor(op.getRhs(), op);
  if (failed(lhs) || failed(rhs))
    return failure();
  WindowAttr window = op.getWindow();
  LayoutsAttr layouts = op.getLayouts();
  json::Object step{
      {"direction", op->getName().stripDialect()},
      {"padding", stringifyPaddingMode(op.getPadding())},
      {"arithmetic", stringifyArithmetic(getComputedArithmetic(op))},
      {op.getTensorName(op.getLhsRole()), std::move(*lhs)},
      {op.getTensorName(op.getRhsRole()), std::move(*rhs)},
      {"layouts", json::Array{layouts.getInput(), layouts.getFilter(),
                              layouts.getOutput()}},
      {"shapes", json::Array{toArray(op.getInputType().getShape()),
                             toArray(op.getFilterType().getShape()),
                             toArray(op.getOutputType().getShape())}},
      {"groups", int64_t(op.getGroups())},
      {"strides", toArray(window.getStrides())},
      {"dilations", toArray(window.getDilations())},
      {"low", toArray(window.getLow())},
      {"output_type", typeName(op.getResultType().getElementType())},
      {"error_bound",
       llvm::cantFail(json::parse(writeErrorBound(recordErrorBound(op))))}};
  if (op.getScheduleAttr().isWinograd())
    step["transforms"] = recordTransforms(op);
  if (failed(recordEpilogue(op, op.getEpilogueOperands(), op.getEpilogue(),
                            op.getResultType().getElementType(), step)))
    return failure();
  return step;
}

LogicalResult ReferenceRecorder::addStep(OpResult result,
                                         FailureOr<json::Object> step,
                                         json::Array &recorded) {
  if (failed(step))
    return failure();
  steps[result] = int64_t(recorded.size());
  recorded.push_back(std::move(*step));
  return success();
}

LogicalResult ReferenceRecorder::recordOp(Operation &op,
                                          json::Array &recorded) {
  auto add = [&](FailureOr<json::Object> step) {
    return addStep(op.getResult(0), std::move(step), recorded);
  };
  if (auto state = dyn_cast<StateOpInterface>(op)) {
    for (OpResult result : op.getResults())
      if (failed(addStep(result, recordState(state, result), recorded)))
        return failure();
    return success();
  }
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op))
    return add(recordStep(convolution));
  if (auto dynamic = dyn_cast<DynamicOpInterface>(op))
    return add(recordDynamic(dynamic));
  if (auto elementwise = dyn_cast<linalg::GenericOp>(op))
    return add(recordElementwise(elementwise));
  if (auto concatenation = dyn_cast<tensor::ConcatOp>(op))
    return add(recordConcatenation(concatenation));
  return success();
}

FailureOr<json::Array> ReferenceRecorder::recordOutputs(func::FuncOp function) {
  // Results come after the arguments that callers pass.
  int64_t inputs =
      llvm::count_if(llvm::seq(function.getNumArguments()), [&](unsigned i) {
        return !function.getArgAttr(i, ConvDialect::kConstantAttr);
      });
  json::Array outputs;
  int64_t apart = 0; // Results with own buffers.
  auto returned = cast<func::ReturnOp>(function.front().getTerminator());
  for (auto [i, value] : llvm::enumerate(returned.getOperands())) {
    auto step = steps.find(lookThroughReshapes(value));
    if (step == steps.end())
      return returned.emitOpError("expects results of convolutions");
    // A result in place of an argument has no buffer of its own.
    std::optional<unsigned> argument = getArgumentInPlace(function, i);
    int64_t place = argument ? getArgumentPlace(function, *argument).index
                             : inputs + apart++;
    outputs.push_back(
        json::Object{{"argument", place}, {"step", step->second}});
  }
  return outputs;
}

FailureOr<std::string> ReferenceRecorder::record(func::FuncOp function) {
  json::Array recorded;
  for (Operation &op : function.getOps())
    if (failed(recordOp(op, recorded)))
      return failure();
  FailureOr<json::Array> outputs = recordOutputs(function);
  if (failed(outputs))
    return failure();
  json::Value reference = json::Object{{"steps", std::move(recorded)},
                                       {"outputs", std::move(*outputs)}};
  std::string text;
  llvm::raw_string_ostream(text) << reference;
  return text;
}

FailureOr<std::string> mlir::conv::recordReference(func::FuncOp function) {
  return ReferenceRecorder().record(function);
}

//===- RecordReference.cpp - what a function computes, as JSON --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes down the meaning of a function before it is lowered, so that whoever
// runs the artifact can compare with it. Only sizes and scalar operations
// travel: the arithmetic is done again by the reader (tools/support).
//
//===----------------------------------------------------------------------===//

#include "RecordReference.h"

#include "conv/Artifact/ManifestJson.h"
#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/ElementwiseViews.h"
#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Plan/WinogradForm.h"
#include "conv/Schedule/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;

namespace {

namespace json = llvm::json;

json::Array toArray(ArrayRef<int64_t> values) {
  json::Array array;
  for (int64_t value : values)
    array.push_back(value);
  return array;
}

/// A size by its letter: one that callers choose is an object.
json::Value toSize(char letter, int64_t known, const RunTimeSizes &sizes) {
  if (!ShapedType::isDynamic(known))
    return known;
  return json::Object{{"size", int64_t(*sizes.find(letter))}};
}

/// The shape of a tensor of an op with these run-time sizes.
json::Array toArray(Value tensor, const RunTimeSizes &sizes) {
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

std::string typeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// JSON has no infinities and no NaN.
json::Value toNumber(const APFloat &value) {
  if (value.isNaN())
    return "nan";
  if (value.isInfinity())
    return value.isNegative() ? "-inf" : "inf";
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return wide.convertToDouble();
}

class Recorder {
public:
  FailureOr<std::string> record(func::FuncOp function);

private:
  FailureOr<json::Object> recordTensor(Value tensor, Operation *user);
  FailureOr<json::Object> recordStep(ConvolutionOpInterface op);
  FailureOr<json::Object> recordDynamic(DynamicOpInterface op);
  FailureOr<json::Object> recordElementwise(linalg::GenericOp op);
  FailureOr<json::Object> recordConcatenation(tensor::ConcatOp op);
  /// An op on states: what each of its results has.
  FailureOr<json::Object> recordState(StateOpInterface op, OpResult result);
  LogicalResult recordEpilogue(Operation *op, ValueRange operands,
                               Region &epilogue, Type outputType,
                               json::Object &step);
  LogicalResult recordScalars(Block &block, size_t numValues,
                              json::Object &step);
  FailureOr<json::Object>
  recordScalarOp(Operation &op, const DenseMap<Value, int64_t> &numbers);

  /// Step whose result a value is.
  DenseMap<Value, int64_t> steps;
};

FailureOr<json::Object> Recorder::recordTensor(Value tensor, Operation *user) {
  Value source = lookThroughReshapes(tensor);
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

FailureOr<json::Object>
Recorder::recordScalarOp(Operation &op,
                         const DenseMap<Value, int64_t> &numbers) {
  json::Object node{{"op", op.getName().stripDialect()}};
  json::Array operands;
  for (Value operand : op.getOperands())
    operands.push_back(numbers.lookup(operand));
  node["operands"] = std::move(operands);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    node["predicate"] = arith::stringifyCmpFPredicate(compare.getPredicate());
  else if (auto compare = dyn_cast<arith::CmpIOp>(op))
    node["predicate"] = arith::stringifyCmpIPredicate(compare.getPredicate());
  // Conditions have no element type: no tensor is made of them.
  if (Type type = op.getResult(0).getType(); !type.isInteger(1))
    node["type"] = typeName(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto number = dyn_cast<FloatAttr>(value))
      node["value"] = toNumber(number.getValue());
    else if (auto number = dyn_cast<BoolAttr>(value))
      node["value"] = int64_t(number.getValue());
    else if (auto number = dyn_cast<IntegerAttr>(value);
             number && (getNumericType(number.getType()) ||
                        number.getType().isInteger(64)))
      node["value"] = number.getInt();
    else
      return op.emitOpError(
                 "expects a constant number in an epilogue, but got ")
             << value;
  }
  return node;
}

/// Values are numbered: the first arguments of the block, then each result.
LogicalResult Recorder::recordScalars(Block &block, size_t numValues,
                                      json::Object &step) {
  json::Array nodes;
  DenseMap<Value, int64_t> numbers;
  for (BlockArgument argument : block.getArguments().take_front(numValues))
    numbers[argument] = argument.getArgNumber();
  for (Operation &scalar : block.without_terminator()) {
    FailureOr<json::Object> node = recordScalarOp(scalar, numbers);
    if (failed(node))
      return failure();
    nodes.push_back(std::move(*node));
    int64_t number = numbers.size();
    numbers[scalar.getResult(0)] = number;
  }
  step["tail"] = std::move(nodes);
  step["yield"] = numbers.lookup(block.getTerminator()->getOperand(0));
  return success();
}

/// The first value is the accumulator, then come the epilogue operands.
LogicalResult Recorder::recordEpilogue(Operation *op, ValueRange operands,
                                       Region &epilogue, Type outputType,
                                       json::Object &step) {
  json::Array tensors;
  for (Value operand : operands) {
    FailureOr<json::Object> tensor = recordTensor(operand, op);
    if (failed(tensor))
      return failure();
    (*tensor)["per_channel"] =
        cast<RankedTensorType>(operand.getType()).getRank() == 1;
    tensors.push_back(std::move(*tensor));
  }
  step["tail_operands"] = std::move(tensors);
  if (!epilogue.empty())
    return recordScalars(epilogue.front(), epilogue.front().getNumArguments(),
                         step);
  json::Array nodes;
  if (isa<FloatType>(outputType))
    nodes.push_back(json::Object{{"op", "truncf"},
                                 {"operands", json::Array{0}},
                                 {"type", typeName(outputType)}});
  step["yield"] = int64_t(nodes.size());
  step["tail"] = std::move(nodes);
  return success();
}

/// Sets where an operand of `op` is read: the element of the result's first
/// one, and how far it moves with each dimension of the result.
static void recordPlaces(linalg::GenericOp op, OpOperand *operand,
                         json::Object &tensor) {
  auto type = cast<RankedTensorType>(operand->get().getType());
  // Element numbers as one sum of coordinates, which conv-check-supported knows
  // to be linear.
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

FailureOr<json::Object> Recorder::recordElementwise(linalg::GenericOp op) {
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

FailureOr<json::Object> Recorder::recordConcatenation(tensor::ConcatOp op) {
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

/// The matrices of Winograd's algorithm, as kernels have them.
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

FailureOr<json::Object> Recorder::recordStep(ConvolutionOpInterface op) {
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

FailureOr<json::Object> Recorder::recordDynamic(DynamicOpInterface op) {
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
  for (auto [name, operand] :
       {std::pair<StringRef, Value>("cu_seqlens", op.getCuSeqlens()),
        std::pair<StringRef, Value>("initial_state", op.getInitialState())}) {
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

/// What the operand with a role is called in a step.
static StringRef getOperandField(StateOpInterface op, unsigned operand) {
  StringRef role = op.getOperandRole(operand);
  return isa<DynamicBackwardStateOp>(*op) ? "" : role;
}

FailureOr<json::Object> Recorder::recordState(StateOpInterface op,
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
      continue; // Of the epilogue.
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

FailureOr<std::string> Recorder::record(func::FuncOp function) {
  json::Array recorded;
  for (Operation &op : function.getOps()) {
    auto convolution = dyn_cast<ConvolutionOpInterface>(op);
    auto dynamic = dyn_cast<DynamicOpInterface>(op);
    auto elementwise = dyn_cast<linalg::GenericOp>(op);
    auto concatenation = dyn_cast<tensor::ConcatOp>(op);
    if (auto state = dyn_cast<StateOpInterface>(op)) {
      for (OpResult result : op.getResults()) {
        FailureOr<json::Object> step = recordState(state, result);
        if (failed(step))
          return failure();
        int64_t number = recorded.size();
        recorded.push_back(std::move(*step));
        steps[result] = number;
      }
      continue;
    }
    if (!convolution && !dynamic && !elementwise && !concatenation)
      continue;
    FailureOr<json::Object> step = convolution ? recordStep(convolution)
                                   : dynamic   ? recordDynamic(dynamic)
                                   : concatenation
                                       ? recordConcatenation(concatenation)
                                       : recordElementwise(elementwise);
    if (failed(step))
      return failure();
    recorded.push_back(std::move(*step));
    int64_t number = steps.size();
    steps[op.getResult(0)] = number;
  }
  // Results come after the arguments that callers pass.
  int64_t inputs =
      llvm::count_if(llvm::seq(function.getNumArguments()), [&](unsigned i) {
        return !function.getArgAttr(i, ConvDialect::kConstantAttr);
      });
  json::Array outputs;
  int64_t apart = 0; // Results that have buffers of their own.
  auto returned = cast<func::ReturnOp>(function.front().getTerminator());
  for (auto [i, value] : llvm::enumerate(returned.getOperands())) {
    auto step = steps.find(lookThroughReshapes(value));
    if (step == steps.end())
      return returned.emitOpError("expects results of convolutions");
    // One in place of an argument is in that, and none of those after these.
    std::optional<unsigned> argument = getArgumentInPlace(function, i);
    int64_t place = argument ? getArgumentPlace(function, *argument).index
                             : inputs + apart++;
    outputs.push_back(
        json::Object{{"argument", place}, {"step", step->second}});
  }
  json::Value reference = json::Object{{"steps", std::move(recorded)},
                                       {"outputs", std::move(outputs)}};
  std::string text;
  llvm::raw_string_ostream(text) << reference;
  return text;
}

} // namespace

artifact::ErrorBound mlir::conv::recordErrorBound(ConvolutionOpInterface op) {
  // The sum of integers is exact, and every epilogue after it is followed.
  if (isa<IntegerType>(getAccumulatorType(op)))
    return {.followOperations = true};
  auto bound = computeErrorBound(op);
  if (auto *known = std::get_if<::conv::ErrorBound>(&bound))
    return {.accumulation = known->accumulation,
            .outputUlp = known->outputUlp,
            .operands = known->operands,
            .constant = known->constant};
  return {.accumulation = double(computeReduction(op)),
          .followOperations = true};
}

artifact::ErrorBound mlir::conv::recordErrorBound(DynamicOpInterface op) {
  if (isa<IntegerType>(getAccumulatorType(op.getOperandType())))
    return {.followOperations = true};
  DynamicShape shape = op.getShape();
  bool reducesGroups = op.getDirection() == Direction::BackwardWeight;
  return {.accumulation = double(reducesGroups ? shape.perGroup() : shape.w),
          .followOperations = true};
}

artifact::ErrorBound mlir::conv::recordErrorBound(StateOpInterface op) {
  Type operand = getElementTypeOrSelf(op->getOperand(0));
  if (isa<IntegerType>(getAccumulatorType(operand)))
    return {.followOperations = true};
  return {.accumulation = double(op.countProducts()), .followOperations = true};
}

FailureOr<std::string> mlir::conv::recordReference(func::FuncOp function) {
  return Recorder().record(function);
}

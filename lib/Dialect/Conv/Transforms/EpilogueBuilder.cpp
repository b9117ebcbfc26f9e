//===- EpilogueBuilder.cpp - element-wise ops to an epilogue --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value is "the element of this tensor for output position (n, p, q, k)":
// a tensor and an affine map. Following an op backwards composes maps. Nothing
// outside of the new region changes before the region is complete.
//
//===----------------------------------------------------------------------===//

#include "EpilogueBuilder.h"

#include "RaiseUtils.h"
#include "SupportedConvolutions.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;

/// True if an epilogue operand can have this element type (C9 and ODS).
static bool isOperandType(Type type) {
  return getNumericType(type).has_value();
}

EpilogueBuilder::EpilogueBuilder(ConvolutionOpInterface convolution,
                                 const DenseSet<Operation *> &dependents,
                                 Failures &failures)
    : ScalarBuilder(convolution.getContext()), convolution(convolution),
      dependents(dependents), failures(failures),
      block(&region.emplaceBlock()) {
  builder.setInsertionPointToEnd(block);
  block->addArgument(getAccumulatorType(convolution), convolution.getLoc());
}

AffineMap EpilogueBuilder::canonicalize(AffineMap map) {
  return canonicalizePositions(map, output.shape);
}

/// Adds a block argument for `tensor`, which becomes an operand of the new op.
Value EpilogueBuilder::createOperand(Value tensor) {
  Type type = getElementTypeOrSelf(tensor.getType());
  Value element = block->addArgument(type, tensor.getLoc());
  return createConversion(element, widen(type));
}

/// Copies the existing epilogue of `convolution`, if any, and sets
/// `accumulator`.
LogicalResult EpilogueBuilder::createAccumulator() {
  Value sum = block->getArgument(0);
  if (convolution.getEpilogue().empty()) {
    Type type = convolution.getResultType().getElementType();
    accumulator = createConversion(sum, widen(type));
    return success();
  }
  Block &epilogue = convolution.getEpilogue().front();
  IRMapping mapping;
  mapping.map(epilogue.getArgument(0), sum);
  ArrayRef<int64_t> shape = convolution.getResultType().getShape();
  bool isMoved = output.order != convolution.getResultOrder() ||
                 output.window != convolution.getWindow();
  for (auto [tensor, argument] :
       llvm::zip(convolution.getEpilogueOperands(),
                 epilogue.getArguments().drop_front())) {
    bool perChannel =
        cast<RankedTensorType>(tensor.getType()).getShape() != shape;
    if (isMoved && !perChannel)
      return failure();
    operands.push_back({tensor, perChannel});
    mapping.map(argument, createOperand(tensor));
  }
  for (Operation &op : epilogue.without_terminator())
    if (failed(clone(op, mapping)))
      return failure();
  Value yielded = epilogue.getTerminator()->getOperand(0);
  accumulator = mapping.lookup(yielded);
  return success();
}

/// True if a tensor of `shape` has one element per channel of the result, in
/// any dimension, and `map` selects the element of the position's channel.
bool EpilogueBuilder::isChannelVector(ArrayRef<int64_t> shape, AffineMap map) {
  std::optional<int64_t> channels = computeResultChannels(convolution);
  if (!channels || llvm::product_of(shape) != *channels)
    return false;
  StringRef order = output.order;
  size_t inner = order.find(*convolution.getResultChannel());
  AffineExpr channel = builder.getAffineDimExpr(inner);
  if (size_t group = order.find('G'); group != StringRef::npos)
    channel = builder.getAffineDimExpr(group) * output.shape[inner] + channel;
  // The element's index in memory, by either map.
  AffineExpr element = builder.getAffineConstantExpr(0);
  for (auto [position, size] : llvm::zip(map.getResults(), shape))
    element = element * size + position;
  auto canonical = [&](AffineExpr expression) {
    return canonicalize(AffineMap::get(output.shape.size(), 0, expression));
  };
  return canonical(element) == canonical(channel);
}

/// Reads the element at `map` of a tensor in memory.
FailureOr<Value> EpilogueBuilder::createRead(Value tensor, AffineMap map) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape() || !isOperandType(type.getElementType()))
    return failure();
  // The new op comes before everything that depends on the old one.
  if (Operation *op = tensor.getDefiningOp(); op && dependents.contains(op))
    return failure();

  AffineMap identity =
      canonicalize(builder.getMultiDimIdentityMap(output.shape.size()));
  bool perChannel = false;
  if (type.getShape() != ArrayRef<int64_t>(output.shape) || map != identity) {
    if (!isChannelVector(type.getShape(), map))
      return failure();
    perChannel = true;
  }
  operands.push_back({tensor, perChannel});
  return createOperand(tensor);
}

/// Computes the element at `map` of the result of `op` by copying its body.
FailureOr<Value> EpilogueBuilder::createInlined(linalg::GenericOp op,
                                                AffineMap map) {
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    bool isScalar = !isa<ShapedType>(operand.get().getType());
    FailureOr<Value> element =
        isScalar
            ? createConstant(operand.get())
            : createElement(operand.get(),
                            op.getMatchingIndexingMap(&operand).compose(map));
    if (failed(element))
      return failure();
    mapping.map(argument, *element);
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (failed(clone(inner, mapping)))
      return failure();
    if (!block->empty())
      origins.try_emplace(&block->back(), op.getResult(0), map);
  }
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  if (mapping.contains(yielded))
    return mapping.lookup(yielded);
  return createConstant(yielded);
}

/// True if `op` will end another convolution's epilogue and be an operand of
/// this one: other ops use its result, so it has to be stored anyway.
bool EpilogueBuilder::endsOtherEpilogue(linalg::GenericOp op) {
  return !dependents.contains(op) && !op->hasOneUse() &&
         comesFromConvolution(op);
}

/// Computes the element at `map` of the result of `op` from its operands.
FailureOr<Value> EpilogueBuilder::createComputed(Operation *op, AffineMap map) {
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
      generic && isElementwise(generic) && !endsOtherEpilogue(generic))
    return createInlined(generic, map);
  if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return failure();
  FailureOr<AffineMap> position = composeReshape(op, map);
  if (failed(position))
    return failure();
  return createElement(op->getOperand(0), *position);
}

FailureOr<Value> EpilogueBuilder::createUncached(Value tensor, AffineMap map) {
  if (tensor == convolution.getResultTensor()) {
    if (map != output.access)
      return failure();
    return accumulator;
  }
  if (matchPattern(tensor, m_Constant())) {
    FailureOr<Value> constant = createConstant(tensor);
    return succeeded(constant) ? constant : createRead(tensor, map);
  }
  Operation *op = tensor.getDefiningOp();
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(op))
    return createConstant(fill.value());
  if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
    return createConstant(splat.getInput());
  // An element that cannot be computed is read.
  Checkpoint before = takeCheckpoint();
  if (FailureOr<Value> element = createComputed(op, map); succeeded(element))
    return element;
  rollBack(before);
  return createRead(tensor, map);
}

EpilogueBuilder::Checkpoint EpilogueBuilder::takeCheckpoint() {
  return {block->empty() ? nullptr : &block->back(), operands.size(), elements};
}

void EpilogueBuilder::rollBack(const Checkpoint &checkpoint) {
  while (!block->empty() && &block->back() != checkpoint.last) {
    origins.erase(&block->back());
    block->back().erase();
  }
  // One argument for each operand, after the accumulator.
  block->eraseArguments(1 + checkpoint.operands,
                        operands.size() - checkpoint.operands);
  operands.truncate(checkpoint.operands);
  elements = checkpoint.elements;
}

FailureOr<Value> EpilogueBuilder::createElement(Value tensor, AffineMap map) {
  map = canonicalize(map);
  auto key = std::pair(tensor, map);
  if (Value known = elements.lookup(key))
    return known;
  if (failures.elements.contains(key) || depth > kMaxEpilogueOperations + 1)
    return failure();
  ++depth;
  FailureOr<Value> element = createUncached(tensor, map);
  --depth;
  if (succeeded(element))
    elements[key] = *element;
  else
    failures.elements.insert(key);
  return element;
}

/// Reshapes `tensor` to one dimension: a vector of channels.
static Value createVector(OpBuilder &builder, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1)
    return tensor;
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(
        builder, tensor.getLoc(), type.clone(ArrayRef<int64_t>{1}), tensor,
        ArrayRef<ReassociationIndices>{});
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  return tensor::CollapseShapeOp::create(builder, tensor.getLoc(), tensor,
                                         ArrayRef<ReassociationIndices>{all});
}

/// Erases constants that were folded, and other unused ops.
void EpilogueBuilder::eraseUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

bool EpilogueBuilder::hasKernelOps() {
  for (Operation &op : block->without_terminator())
    if (auto origin = origins.find(&op);
        origin != origins.end() && !isKernelOp(op)) {
      failures.elements.insert(origin->second);
      return false;
    }
  return true;
}

/// True if the epilogue only converts, as a convolution without one does.
bool EpilogueBuilder::isConversion() {
  Value yielded = block->getTerminator()->getOperand(0);
  auto truncation = yielded.getDefiningOp<arith::TruncFOp>();
  Value converted = truncation ? truncation.getIn() : yielded;
  return operands.empty() && converted == block->getArgument(0) &&
         isa<FloatType>(yielded.getType()) ==
             isa<FloatType>(converted.getType());
}

LogicalResult EpilogueBuilder::setOutput(linalg::GenericOp last) {
  FailureOr<EpilogueOutput> computed =
      computeEpilogueOutput(convolution, last, dependents);
  if (failed(computed))
    return failure();
  output = *computed;
  if (failures.access != output.access)
    failures = {output.access, {}};
  return success();
}

FailureOr<ConvolutionOpInterface>
EpilogueBuilder::fuse(RewriterBase &rewriter, linalg::GenericOp last) {
  auto type = cast<RankedTensorType>(last.getResult(0).getType());
  if (!isOperandType(type.getElementType()) || failed(setOutput(last)))
    return failure();
  AffineMap identity = builder.getMultiDimIdentityMap(output.shape.size());
  if (failed(createAccumulator()))
    return failure();
  FailureOr<Value> element = createElement(last.getResult(0), identity);
  if (failed(element))
    return failure();
  YieldOp::create(builder, last.getLoc(),
                  createConversion(*element, type.getElementType()));

  eraseUnused();
  if (!hasKernelOps())
    return failure();

  rewriter.setInsertionPoint(last);
  SmallVector<Value> tensors;
  for (Operand operand : operands)
    tensors.push_back(operand.perChannel
                          ? createVector(rewriter, operand.tensor)
                          : operand.tensor);
  SmallVector<Value> all = {convolution.getLhs(), convolution.getRhs()};
  llvm::append_range(all, tensors);
  OperationState state(convolution.getLoc(), convolution->getName(), all, type,
                       convolution->getAttrs());
  state.attributes.set("layouts",
                       replaceOrder(convolution.getLayouts(),
                                    convolution.getResultRole(), output.order));
  state.attributes.set("window", output.window);
  Region *epilogue = state.addRegion();
  if (!isConversion())
    epilogue->takeBody(region);
  return cast<ConvolutionOpInterface>(rewriter.create(state));
}

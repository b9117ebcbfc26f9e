//===- ConstantLoop.cpp - evaluates a loop over constants -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element-wise ops fold on tensors as they do on scalars. The body is therefore
// copied to a detached block, with tensors of the loop's shape in place of
// scalars, and each op is folded there. The numbers are those of the ops' own
// folders, and elements do not become attributes.
//
//===----------------------------------------------------------------------===//

#include "ConstantLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::conv;

ElementsAttr mlir::conv::getConstantElements(Value value) {
  ElementsAttr elements;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && type.hasStaticShape() &&
      matchPattern(value, m_Constant(&elements)))
    return elements;
  return nullptr;
}

/// Elements that can be read, including those of a resource; otherwise null.
static DenseElementsAttr readElements(ElementsAttr elements) {
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return dyn_cast_or_null<DenseElementsAttr>(elements);
  bool isSplat = false;
  if (!DenseElementsAttr::isValidRawBuffer(resource.getType(), blob->getData(),
                                           isSplat))
    return nullptr;
  return DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                             blob->getData());
}

/// Bytes of an element, or 0 if elements are not whole bytes.
static size_t getElementBytes(Type type) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 != 0)
    return 0;
  return type.getIntOrFloatBitWidth() / 8;
}

/// The distance, in elements of a tensor of `shape`, from one iteration of
/// each loop dimension to the next. None if `map` does more than select
/// dimensions.
static std::optional<SmallVector<int64_t>> computeSteps(ArrayRef<int64_t> shape,
                                                        AffineMap map) {
  SmallVector<int64_t> steps(map.getNumDims(), 0);
  int64_t stride = 1;
  for (auto [expression, size] :
       llvm::reverse(llvm::zip_equal(map.getResults(), shape))) {
    if (auto dimension = dyn_cast<AffineDimExpr>(expression))
      steps[dimension.getPosition()] += stride;
    else if (auto constant = dyn_cast<AffineConstantExpr>(expression);
             !constant || constant.getValue() != 0)
      return std::nullopt;
    stride *= size;
  }
  return steps;
}

/// The element of `elements` at `map`, for each position of a loop.
static DenseElementsAttr mapElements(DenseElementsAttr elements, AffineMap map,
                                     ArrayRef<int64_t> loop) {
  auto source = cast<RankedTensorType>(elements.getType());
  auto type = RankedTensorType::get(loop, source.getElementType());
  if (elements.isSplat())
    return elements.resizeSplat(type);
  if (map.isIdentity())
    return elements;
  size_t width = getElementBytes(source.getElementType());
  auto steps = computeSteps(source.getShape(), map);
  if (!steps || width == 0)
    return nullptr;
  SmallVector<char, 0> bytes(type.getNumElements() * width);
  const char *data = elements.getRawData().data();
  SmallVector<int64_t> position(loop.size(), 0);
  int64_t offset = 0;
  for (size_t end = 0; end < bytes.size(); end += width) {
    std::memcpy(bytes.data() + end, data + offset * width, width);
    for (size_t d = loop.size(); d-- > 0;) {
      offset += (*steps)[d];
      if (++position[d] < loop[d])
        break;
      offset -= loop[d] * (*steps)[d];
      position[d] = 0;
    }
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

ElementsAttr mlir::conv::transposeConstant(Value tensor,
                                           ArrayRef<int64_t> permutation) {
  DenseElementsAttr elements = readElements(getConstantElements(tensor));
  if (!elements)
    return nullptr;
  ArrayRef<int64_t> shape = elements.getType().getShape();
  SmallVector<int64_t> loop, inverse(permutation.size());
  for (auto [i, dimension] : llvm::enumerate(permutation)) {
    loop.push_back(shape[dimension]);
    inverse[dimension] = int64_t(i);
  }
  return mapElements(elements,
                     AffineMap::getPermutationMap(inverse, tensor.getContext()),
                     loop);
}

namespace {
/// The body of the loop, on tensors.
class TensorBody {
public:
  explicit TensorBody(linalg::GenericOp loop)
      : loop(loop), builder(loop.getContext()),
        shape(loop.getStaticLoopRanges()) {
    builder.setInsertionPointToStart(&scratch);
  }

  DenseElementsAttr compute();

private:
  bool isComputable();
  LogicalResult mapOperands();
  LogicalResult apply(Operation &op);
  FailureOr<Value> foldEachElement(Operation &clone);
  LogicalResult checkAssertion(cf::AssertOp op);

  Type getTensorType(Type scalar) {
    return RankedTensorType::get(shape, scalar);
  }
  Value createConstant(DenseElementsAttr elements) {
    return arith::ConstantOp::create(builder, loop.getLoc(), elements);
  }
  /// The tensor of a scalar in the body, or of a scalar constant.
  Value lookup(Value scalar);

  linalg::GenericOp loop;
  Block scratch;
  OpBuilder builder;
  SmallVector<int64_t> shape;
  IRMapping tensors;
};
} // namespace

bool TensorBody::isComputable() {
  return loop.hasPureTensorSemantics() && loop->getNumResults() == 1 &&
         loop.getNumParallelLoops() == loop.getNumLoops() &&
         !ShapedType::isDynamicShape(shape) &&
         loop.getMatchingIndexingMap(loop.getDpsInitOperand(0)).isIdentity();
}

LogicalResult TensorBody::mapOperands() {
  for (OpOperand &operand : loop->getOpOperands()) {
    BlockArgument argument = loop.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    if (!isa<ShapedType>(operand.get().getType())) {
      tensors.map(argument, lookup(operand.get()));
    } else if (DenseElementsAttr elements =
                   readElements(getConstantElements(operand.get()))) {
      elements =
          mapElements(elements, loop.getMatchingIndexingMap(&operand), shape);
      if (elements)
        tensors.map(argument, createConstant(elements));
    }
    if (!tensors.lookupOrNull(argument))
      return failure();
  }
  return success();
}

Value TensorBody::lookup(Value scalar) {
  if (Value known = tensors.lookupOrNull(scalar))
    return known;
  TypedAttr number;
  if (!scalar.getType().isIntOrFloat() ||
      !matchPattern(scalar, m_Constant(&number)))
    return nullptr;
  auto type = cast<ShapedType>(getTensorType(scalar.getType()));
  Value tensor =
      createConstant(DenseElementsAttr::get(type, Attribute(number)));
  tensors.map(scalar, tensor);
  return tensor;
}

/// An assertion holds if its condition is true for every element.
LogicalResult TensorBody::checkAssertion(cf::AssertOp op) {
  Value condition = lookup(op.getArg());
  DenseElementsAttr elements =
      condition ? readElements(getConstantElements(condition)) : nullptr;
  return success(elements && llvm::all_of(elements.getValues<bool>(),
                                          [](bool holds) { return holds; }));
}

/// The result of `op` for constant scalars, or null.
static Attribute foldScalars(Operation &op, ArrayRef<Attribute> scalars) {
  SmallVector<OpFoldResult> folded;
  if (failed(op.fold(scalars, folded)) || folded.size() != 1)
    return nullptr;
  auto value = dyn_cast<Value>(folded[0]);
  if (!value)
    return cast<Attribute>(folded[0]);
  // The folded value is an operand.
  for (auto [operand, scalar] : llvm::zip(op.getOperands(), scalars))
    if (operand == value)
      return scalar;
  return nullptr;
}

/// Folds an op whose folder only handles scalars, element by element. The
/// operands of `clone` are tensors already.
FailureOr<Value> TensorBody::foldEachElement(Operation &clone) {
  SmallVector<DenseElementsAttr> operands;
  for (Value operand : clone.getOperands())
    operands.push_back(readElements(getConstantElements(operand)));
  auto type = cast<ShapedType>(clone.getResult(0).getType());
  bool areSplat = llvm::all_of(
      operands, [](DenseElementsAttr operand) { return operand.isSplat(); });
  // The folder reads the type of the op's result.
  clone.getResult(0).setType(type.getElementType());
  SmallVector<Attribute> results;
  for (int64_t i = 0, e = areSplat ? 1 : type.getNumElements(); i < e; ++i) {
    auto scalars =
        llvm::map_to_vector(operands, [&](DenseElementsAttr operand) {
          return *(operand.value_begin<Attribute>() + i);
        });
    results.push_back(foldScalars(clone, scalars));
    if (!results.back())
      return failure();
  }
  clone.getResult(0).setType(type);
  return createConstant(DenseElementsAttr::get(type, results));
}

/// The elements in a narrower type, rounded to nearest even, as epilogues round
/// (docs/numerics.md). The op's own folder refuses inexact results.
static DenseElementsAttr roundElements(arith::TruncFOp op,
                                       DenseElementsAttr elements) {
  using arith::RoundingMode;
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  if (op.getRoundingmode().value_or(RoundingMode::to_nearest_even) !=
      RoundingMode::to_nearest_even)
    return nullptr;
  return elements.mapValues(type, [&](const APFloat &value) {
    APFloat rounded = value;
    bool losesInfo;
    rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    return rounded.bitcastToAPInt();
  });
}

LogicalResult TensorBody::apply(Operation &op) {
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return checkAssertion(assertion);
  if (op.getNumResults() != 1)
    return failure();
  if (op.getNumRegions() != 0 || !op.hasTrait<OpTrait::Elementwise>() ||
      !isMemoryEffectFree(&op) || !op.getResult(0).getType().isIntOrFloat())
    return success(bool(lookup(op.getResult(0))));
  for (Value operand : op.getOperands())
    if (!lookup(operand))
      return failure();
  if (auto truncation = dyn_cast<arith::TruncFOp>(op)) {
    Value operand = lookup(truncation.getIn());
    DenseElementsAttr rounded =
        roundElements(truncation, readElements(getConstantElements(operand)));
    if (rounded)
      tensors.map(op.getResult(0), createConstant(rounded));
    return success(bool(rounded));
  }
  Operation *clone = builder.clone(op, tensors);
  Value scalar = op.getResult(0), tensor = clone->getResult(0);
  tensor.setType(getTensorType(scalar.getType()));
  SmallVector<Value> folded;
  if (succeeded(builder.tryFold(clone, folded)) && folded.size() == 1 &&
      getConstantElements(folded[0])) {
    tensors.map(scalar, folded[0]);
    return success();
  }
  FailureOr<Value> each = foldEachElement(*clone);
  if (succeeded(each))
    tensors.map(scalar, *each);
  return each;
}

DenseElementsAttr TensorBody::compute() {
  if (!isComputable() || failed(mapOperands()))
    return nullptr;
  for (Operation &op : loop.getBody()->without_terminator())
    if (failed(apply(op)))
      return nullptr;
  Value result = lookup(loop.getBody()->getTerminator()->getOperand(0));
  return result ? readElements(getConstantElements(result)) : nullptr;
}

ElementsAttr mlir::conv::computeConstantLoop(linalg::GenericOp loop) {
  return TensorBody(loop).compute();
}

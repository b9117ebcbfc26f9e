//===- ViewOps.cpp - conv.gather and conv.scatter ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers, and the tiling interface: a tile of a gather is a gather with
// other offsets.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

/// Checks I1 and O1.
static LogicalResult verifyRank(Operation *op, StringRef name,
                                RankedTensorType tensor, ViewAttr view) {
  unsigned results = view.getTensorRank();
  if (tensor.hasStaticShape() && tensor.getRank() == results)
    return success();
  return op->emitOpError("expects a static ")
         << name << " of rank " << results << ", but got " << tensor;
}

void GatherOp::build(OpBuilder &builder, OperationState &state, Value source,
                     ViewAttr view) {
  Value zero = arith::ConstantIndexOp::create(builder, state.location, 0);
  auto type = RankedTensorType::get(
      view.getShape(),
      cast<RankedTensorType>(source.getType()).getElementType());
  build(builder, state, type, source, zero, zero, zero, ValueRange(), view);
}

LogicalResult GatherOp::verify() {
  RankedTensorType source = getSource().getType();
  RankedTensorType result = getResult().getType();
  // I1.
  if (failed(verifyRank(*this, "source", source, getView())))
    return failure();
  // I2.
  if (source.getElementType() != result.getElementType())
    return emitOpError("expects the element type of the source, ")
           << source.getElementType() << ", but got "
           << result.getElementType();
  // I3.
  for (auto [dimension, whole] : llvm::enumerate(getView().getShape()))
    if (!result.isDynamicDim(dimension) && result.getDimSize(dimension) > whole)
      return emitOpError("expects dimension ")
             << dimension << " of the result to be at most " << whole
             << ", but got " << result.getDimSize(dimension);
  // I4.
  if (static_cast<int64_t>(getSizes().size()) !=
      static_cast<int64_t>(result.getNumDynamicDims()))
    return emitOpError("expects ")
           << result.getNumDynamicDims()
           << " sizes of dynamic dimensions, but got " << getSizes().size();
  return success();
}

LogicalResult
GatherOp::reifyResultShapes(OpBuilder &builder,
                            ReifiedRankedShapedTypeDims &reifiedShapes) {
  reifiedShapes.push_back(
      getMixedValues(getResult().getType().getShape(), getSizes(), builder));
  return success();
}

SmallVector<utils::IteratorType> GatherOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel);
}

SmallVector<Range> GatherOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> domain;
  for (OpFoldResult size :
       getMixedValues(getResult().getType().getShape(), getSizes(), builder))
    domain.push_back({builder.getIndexAttr(0), size, builder.getIndexAttr(1)});
  return domain;
}

FailureOr<TilingResult>
GatherOp::getTiledImplementation(OpBuilder &builder,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  Location loc = getLoc();
  auto advance = [&](Value start, OpFoldResult offset) {
    AffineExpr sum = builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1);
    return getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(builder, loc, sum,
                                              {start, offset}));
  };
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  auto type =
      RankedTensorType::get(shape, getResult().getType().getElementType());
  auto tile = GatherOp::create(
      builder, loc, type, getSource(), advance(getBatch(), offsets[0]),
      advance(getRow(), offsets[1]), advance(getColumn(), offsets[2]),
      dynamicSizes, getView());
  return TilingResult{{tile}, {tile.getResult()}, {}};
}

LogicalResult GatherOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult>
GatherOp::generateResultTileValue(OpBuilder &builder, unsigned,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  return getTiledImplementation(builder, offsets, sizes);
}

//===----------------------------------------------------------------------===//
// conv.scatter
//===----------------------------------------------------------------------===//

ParseResult mlir::conv::parseViews(OpAsmParser &parser, ArrayAttr &views) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList([&] {
        ViewAttr view;
        if (parser.parseCustomAttributeWithFallback(view))
          return failure();
        list.push_back(view);
        return ParseResult::success();
      }))
    return failure();
  views = parser.getBuilder().getArrayAttr(list);
  return success();
}

void mlir::conv::printViews(OpAsmPrinter &printer, Operation *,
                            ArrayAttr views) {
  llvm::interleaveComma(
      views.getAsRange<ViewAttr>(), printer,
      [&](ViewAttr view) { printer.printStrippedAttrOrType(view); });
}

ParseResult mlir::conv::parseEpilogueViews(OpAsmParser &parser,
                                           ArrayAttr &views) {
  if (succeeded(parser.parseOptionalKeyword("views")))
    return failure(parser.parseEqual() || parseViews(parser, views));
  views = parser.getBuilder().getArrayAttr({});
  return success();
}

void mlir::conv::printEpilogueViews(OpAsmPrinter &printer, Operation *op,
                                    ArrayAttr views) {
  if (views.empty())
    return;
  printer << "views = ";
  printViews(printer, op, views);
}

/// Checks O4: digits in order of distance do not reach the next one.
static LogicalResult verifyDistinct(Operation *op, ViewAttr view,
                                    ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes = view.getDigitSizes();
  SmallVector<int64_t> distances(sizes.size(), 0);
  int64_t stride = 1;
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    for (auto [distance, coefficient] :
         llvm::zip(distances, coordinates[d].coefficients))
      distance += coefficient * stride;
  SmallVector<std::pair<int64_t, int64_t>> digits;
  for (auto [distance, size] : llvm::zip(distances, sizes))
    if (size > 1)
      digits.push_back({std::abs(distance), size});
  llvm::sort(digits);
  int64_t reach = 0;
  for (auto [distance, size] : digits) {
    if (distance <= reach)
      return op->emitOpError("expects elements of different places, but got ")
             << view;
    reach += distance * (size - 1);
  }
  return success();
}

/// The positive factor between two lists of coefficients, over the digits with
/// a coefficient in `base`; none if there is no such factor.
static std::optional<int64_t> getFactor(ArrayRef<int64_t> multiple,
                                        ArrayRef<int64_t> base) {
  const int64_t *first = llvm::find_if(base, [](int64_t c) { return c != 0; });
  if (first == base.end())
    return std::nullopt;
  int64_t factor = multiple[first - base.begin()] / *first;
  for (auto [product, coefficient] : llvm::zip(multiple, base))
    if (coefficient != 0 && product != factor * coefficient)
      return std::nullopt;
  return factor > 0 ? std::optional(factor) : std::nullopt;
}

/// The smallest and the largest value of a coordinate over the elements that no
/// condition excludes. A condition counts if the coordinate is a multiple of
/// it, up to digits that the condition does not depend on.
static std::pair<int64_t, int64_t>
getWrittenRange(ViewAttr view, const ViewAttr::Coordinate &coordinate) {
  auto [low, high] = view.getRange(coordinate);
  SmallVector<ViewAttr::Coordinate> all = view.getCoordinates();
  for (auto [limit, condition] : llvm::zip(
           view.getLimits(), ArrayRef(all).take_back(view.getLimits().size())))
    if (auto factor =
            getFactor(coordinate.coefficients, condition.coefficients)) {
      ViewAttr::Coordinate rest = coordinate;
      rest.constant -= *factor * condition.constant;
      for (auto [own, other] :
           llvm::zip(rest.coefficients, condition.coefficients))
        own -= *factor * other;
      auto [first, last] = view.getRange(rest);
      low = std::max(low, first);
      high = std::min(high, last + *factor * (limit - 1));
    }
  return {low, high};
}

LogicalResult mlir::conv::verifyWritten(Operation *op,
                                        RankedTensorType destination,
                                        ViewAttr view) {
  // O1.
  if (failed(verifyRank(op, "destination", destination, view)))
    return failure();
  // O3.
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  for (int64_t dimension = 0; dimension < destination.getRank(); ++dimension) {
    auto [low, high] = getWrittenRange(view, coordinates[dimension]);
    if (low < 0 || high >= destination.getDimSize(dimension))
      return op->emitOpError("expects coordinate ")
             << dimension << " to be from 0 to "
             << destination.getDimSize(dimension) - 1 << ", but got " << low
             << " to " << high;
  }
  // O4.
  return view.getLimits().empty()
             ? verifyDistinct(op, view, destination.getShape())
             : success();
}

/// Checks O1 to O4 of one of the matrices.
static LogicalResult verifyMatrices(ScatterOp op, RankedTensorType matrices,
                                    ViewAttr view) {
  RankedTensorType destination = op.getDestination().getType();
  if (failed(verifyRank(op, "destination", destination, view)))
    return failure();
  // O2.
  auto expected =
      RankedTensorType::get(view.getShape(), destination.getElementType());
  if (matrices != expected)
    return op.emitOpError("expects matrices of type ")
           << expected << ", but got " << matrices;
  return verifyWritten(op, destination, view);
}

/// O5: whether some coordinate has no common value in both views.
bool mlir::conv::areDisjoint(ViewAttr lhs, ViewAttr rhs) {
  auto haveNoCommon = [&](const ViewAttr::Coordinate &a,
                          const ViewAttr::Coordinate &b) {
    auto [lowA, highA] = lhs.getRange(a);
    auto [lowB, highB] = rhs.getRange(b);
    if (highA < lowB || highB < lowA)
      return true;
    int64_t divisor = 0;
    auto include = [&](ViewAttr view, const ViewAttr::Coordinate &coordinate) {
      for (auto [size, coefficient] :
           llvm::zip(view.getDigitSizes(), coordinate.coefficients))
        if (size > 1)
          divisor = std::gcd(divisor, coefficient);
    };
    include(lhs, a);
    include(rhs, b);
    int64_t distance = a.constant - b.constant;
    return divisor == 0 ? distance != 0 : distance % divisor != 0;
  };
  auto [a, b] = std::pair(lhs.getCoordinates(), rhs.getCoordinates());
  for (unsigned d = 0; d < lhs.getTensorRank(); ++d)
    if (haveNoCommon(a[d], b[d]))
      return true;
  return false;
}

LogicalResult ScatterOp::verify() {
  // O1.
  if (getViews().size() != getMatrices().size())
    return emitOpError("expects a view for each of ")
           << getMatrices().size() << " matrices, but got "
           << getViews().size();
  for (auto [i, matrices] : llvm::enumerate(getMatrices()))
    if (failed(verifyMatrices(*this, cast<RankedTensorType>(matrices.getType()),
                              getView(i))))
      return failure();
  // O5.
  for (size_t i = 0; i < getViews().size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (!areDisjoint(getView(i), getView(j)))
        return emitOpError("expects views of different elements, but got ")
               << getView(j) << " and " << getView(i);
  return success();
}

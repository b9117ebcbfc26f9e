//===- EpilogueOutput.cpp - order and crop of an epilogue's result --------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An affine map from positions of the last op to those of the convolution's
// result defines the output: dimensions are its order, constants its crop.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOutput.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::conv;

AffineMap mlir::conv::canonicalizePositions(AffineMap map,
                                            ArrayRef<int64_t> shape) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> positions;
  for (auto [dimension, size] : llvm::enumerate(shape))
    positions.push_back(size == 1 ? getAffineConstantExpr(0, context)
                                  : getAffineDimExpr(dimension, context));
  return simplifyAffineMap(
      map.compose(AffineMap::get(shape.size(), 0, positions, context)));
}

FailureOr<AffineMap> mlir::conv::composeReshape(Operation *reshape,
                                                AffineMap map) {
  MLIRContext *context = reshape->getContext();
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  auto groups =
      expand ? expand.getReassociationIndices()
             : cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices();
  auto larger =
      cast<RankedTensorType>(expand ? reshape->getResult(0).getType()
                                    : reshape->getOperand(0).getType());
  if (!larger.hasStaticShape())
    return failure();
  SmallVector<AffineExpr> positions;
  AffineExpr zero = getAffineConstantExpr(0, context);
  for (auto [index, group] : llvm::enumerate(groups)) {
    AffineExpr position = expand ? zero : map.getResult(index);
    int64_t numLarge = 0;
    for (int64_t dimension : group) {
      bool isLarge = larger.getDimSize(dimension) != 1;
      numLarge += isLarge;
      if (expand && isLarge)
        position = map.getResult(dimension);
      else if (!expand)
        positions.push_back(isLarge ? position : zero);
    }
    if (numLarge > 1)
      return failure();
    if (expand)
      positions.push_back(position);
  }
  return AffineMap::get(map.getNumDims(), 0, positions, context);
}

/// The position in the convolution's result that `tensor` reads for its element
/// at `map`, through the first use found, or null if it reads none.
static AffineMap findAccess(Value result, Value tensor, AffineMap map,
                            const DenseSet<Operation *> &dependents,
                            DenseSet<Value> &visited) {
  if (tensor == result)
    return map;
  Operation *op = tensor.getDefiningOp();
  if (!op || !dependents.contains(op) || !visited.insert(tensor).second)
    return AffineMap();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap position =
          generic.getMatchingIndexingMap(&operand).compose(map);
      if (AffineMap found =
              findAccess(result, operand.get(), position, dependents, visited))
        return found;
    }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    if (FailureOr<AffineMap> position = composeReshape(op, map);
        succeeded(position))
      return findAccess(result, op->getOperand(0), *position, dependents,
                        visited);
  return AffineMap();
}

namespace {
/// The positions `offset`, `offset + 1`, ... of a dimension.
struct KeptRange {
  int64_t offset = 0, size = 1;
};
} // namespace

/// The window of a convolution whose result has only the positions `kept` of
/// each spatial dimension, or null if there is none.
static WindowAttr computeCroppedWindow(ConvolutionOpInterface op,
                                       ArrayRef<KeptRange> kept) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  bool isForward = op.getDirection() == Direction::Forward;
  if (!isForward && op.getPadding() != PaddingMode::Zeros)
    return nullptr;
  SmallVector<int64_t> low, high;
  for (auto [d, range] : llvm::enumerate(kept)) {
    int64_t stride = shape.strides[d], dilation = shape.dilations[d];
    int64_t input = isForward ? shape.input[d] : range.size;
    int64_t output = isForward ? range.size : shape.output[d];
    int64_t before = isForward ? shape.low[d] - range.offset * stride
                               : shape.low[d] + range.offset;
    int64_t reach =
        (output - 1) * stride + dilation * (shape.filter[d] - 1) + 1;
    int64_t after = std::max<int64_t>(0, reach - before - input);
    if (before < 0 || computeOutputSize({input, shape.filter[d], stride,
                                         dilation, before, after}) != output)
      return nullptr;
    low.push_back(before);
    high.push_back(after);
  }
  return WindowAttr::get(op.getContext(), shape.strides, shape.dilations, low,
                         high);
}

/// The dimension and the offset of a position; none for other expressions.
static std::optional<std::pair<std::optional<unsigned>, int64_t>>
readPosition(AffineExpr position) {
  int64_t offset = 0;
  if (auto constant = dyn_cast<AffineConstantExpr>(position))
    return std::pair(std::nullopt, constant.getValue());
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(position);
      sum && sum.getKind() == AffineExprKind::Add)
    if (auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      offset = constant.getValue();
      position = sum.getLHS();
    }
  auto dimension = dyn_cast<AffineDimExpr>(position);
  if (!dimension)
    return std::nullopt;
  return std::pair(dimension.getPosition(), offset);
}

/// Sets the window of `output`, given the positions that it keeps of each
/// dimension of the convolution's result.
static LogicalResult setWindow(ConvolutionOpInterface convolution,
                               ArrayRef<KeptRange> kept,
                               EpilogueOutput &output) {
  StringRef order = convolution.getResultOrder();
  ArrayRef<int64_t> shape = convolution.getResultType().getShape();
  SmallVector<KeptRange> spatial;
  bool isCropped = false;
  output.window = convolution.getWindow();
  for (size_t d = 0; d < kept.size(); ++d) {
    bool isWhole = kept[d].offset == 0 && kept[d].size == shape[d];
    bool isSpatial = StringRef("DHWZPQ").contains(order[d]);
    if (!isWhole && !isSpatial)
      return failure();
    isCropped |= !isWhole;
  }
  if (!isCropped)
    return success();
  for (char letter : StringRef("DHWZPQ"))
    if (size_t d = order.find(letter); d != StringRef::npos)
      spatial.push_back(kept[d]);
  if (convolution.getResultRole() == TensorRole::Filter)
    return failure();
  output.window = computeCroppedWindow(convolution, spatial);
  return success(output.window != nullptr);
}

FailureOr<EpilogueOutput>
mlir::conv::computeEpilogueOutput(ConvolutionOpInterface convolution,
                                  linalg::GenericOp last,
                                  const DenseSet<Operation *> &dependents) {
  EpilogueOutput output;
  auto type = cast<RankedTensorType>(last.getResult(0).getType());
  output.shape = llvm::to_vector(type.getShape());
  int64_t rank = type.getRank();
  DenseSet<Value> visited;
  output.access =
      findAccess(convolution.getResultTensor(), last.getResult(0),
                 AffineMap::getMultiDimIdentityMap(rank, last.getContext()),
                 dependents, visited);
  if (!output.access || output.access.getNumResults() != rank)
    return failure();
  output.access = canonicalizePositions(output.access, output.shape);
  output.order.assign(rank, 0);
  SmallVector<KeptRange> kept;
  SmallVector<char> units; // Letters of size 1, absent from the map.
  for (auto [letter, result] :
       llvm::zip(convolution.getResultOrder(), output.access.getResults())) {
    auto position = readPosition(result);
    if (!position || (position->first && output.order[*position->first]))
      return failure();
    kept.push_back({.offset = position->second, .size = 1});
    if (!position->first) {
      units.push_back(letter);
      continue;
    }
    output.order[*position->first] = letter;
    kept.back().size = output.shape[*position->first];
  }
  const char *unit = units.begin();
  for (auto [letter, size] : llvm::zip(output.order, output.shape))
    if (!letter) {
      if (size != 1)
        return failure(); // A broadcast.
      letter = *unit++;
    }
  if (failed(setWindow(convolution, kept, output)))
    return failure();
  return output;
}

//===- GatherGeometry.cpp - products whose operands lanes copy ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes locate each copy by the operand's view, so every view will do of which
// a few elements are adjacent in memory and are inside the tensor together.
//
//===----------------------------------------------------------------------===//

#include "OperandPositions.h"

#include "conv/Chip/Sectors.h"
#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

/// The fewest bytes of an asynchronous copy.
static constexpr int64_t kMinCopyBytes = 4;

static std::optional<::conv::GatheredOperand>
computeGathered(const ViewedTensor &operand) {
  auto [batch, rows, columns] = operand.view.getShape();
  if (std::max({operand.getExtent(), batch, rows, columns}) >=
          OperandPositions::kMostElements ||
      operand.strides != computeContiguousStrides(operand.type.getShape()))
    return std::nullopt;
  MLIRContext *context = operand.type.getContext();
  ImplicitLocOpBuilder none(UnknownLoc::get(context), context);
  IndexMath math(none, none.getI32Type()); // Builds nothing here.
  MatrixAccess access(math, operand);
  auto getBytes = [&](MatrixIndex index) {
    // More than a row of a tile makes no difference.
    return access.getVectorWidth(index, Tile::kRowElements) *
           Tile::kElementBytes;
  };
  int64_t along = getBytes(MatrixIndex::Column);
  int64_t across = getBytes(MatrixIndex::Row);
  // Whole sectors along the reduction need no transposition.
  bool isTransposed = across > along && along < ::conv::kNvidiaSectorBytes;
  int64_t bytes = isTransposed ? across : along;
  // A lane would divide the number of each line of each step into positions.
  bool takesDivisions = isTransposed && access.countChecked() > 0;
  if (bytes < kMinCopyBytes || takesDivisions)
    return std::nullopt;
  return ::conv::GatheredOperand{std::min(bytes, Tile::kAccessBytes),
                                 isTransposed, bytes,
                                 1 + int64_t(access.countChecked())};
}

std::optional<::conv::Gather>
mlir::conv::computeGather(const ViewedProduct &product) {
  Type type = product.lhs.type.getElementType();
  Type stored = product.result.type.getElementType();
  if (!(type.isF16() || type.isBF16()) ||
      product.rhs.type.getElementType() != type ||
      !(stored.isF16() || stored.isBF16() || stored.isF32()))
    return std::nullopt;
  auto left = computeGathered(product.lhs),
       right = computeGathered(product.rhs);
  if (!left || !right)
    return std::nullopt;
  return ::conv::Gather{*left, *right};
}

/// The geometry of a product of plain matrices, of which the left or the right
/// one may have rows innermost in shared memory.
static TmaGeometry getMatrixGeometry(const ViewedProduct &product,
                                     bool isLeftTransposed,
                                     bool isRightTransposed) {
  using Extent = TmaMatrix::Extent;
  TmaGeometry geometry{};
  geometry.window.groups = 1;
  geometry.slices = llvm::product_of(product.lhs.view.getBatch());
  geometry.elementBytes = getElementBytes(product.lhs.type);
  geometry.resultBytes = getElementBytes(product.result.type);
  geometry.segments = 1;
  geometry.segmentPositions = product.lhs.view.getShape()[2];
  auto getMatrix = [](const ViewedTensor &operand, bool isTransposed) {
    auto [batch, rows, columns] = operand.view.getShape();
    TmaMatrix matrix{{{Extent::Rows, rows}, {Extent::Reduction, columns}}};
    if (isTransposed)
      std::swap(matrix.dimensions[0], matrix.dimensions[1]);
    return matrix;
  };
  geometry.leftMatrix = getMatrix(product.lhs, isLeftTransposed);
  geometry.rightMatrix = getMatrix(product.rhs, isRightTransposed);
  return geometry;
}

TmaGeometry mlir::conv::getGatheredGeometry(const ViewedProduct &product,
                                            const ::conv::Gather &gather) {
  return getMatrixGeometry(product, gather.left.isTransposed,
                           gather.right.isTransposed);
}

TmaGeometry mlir::conv::getLoadedGeometry(const ViewedProduct &product) {
  return getMatrixGeometry(product, /*isLeftTransposed=*/false,
                           /*isRightTransposed=*/false);
}

//===- MatrixGeometry.cpp - operands whose tiles are boxes ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a window, one digit of the view counts each dimension of an operand,
// so the copy engine finds tiles whatever the order of dimensions is. With
// positions innermost, the gradient of a 1x1 filter has the reduction innermost
// in both operands:
//
//                       positions (q)                  positions (q)
//   gradient [ k x c ] = sum over images n  [ k x q ]  ·  [ c x q ] transposed
//
//===----------------------------------------------------------------------===//

#include "MatrixGeometry.h"

#include "conv/Dialect/Conv/IR/TensorMapLimits.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"

using namespace mlir;
using namespace mlir::conv;

using Digit = TmaMatrix::Digit;

/// Sets the loops from the digits of the reduction with more than one value.
/// Returns false unless there are one or two such digits.
static bool setLoops(ArrayRef<int64_t> reduction, TmaGeometry &geometry) {
  SmallVector<int64_t> sizes = llvm::to_vector(
      llvm::make_filter_range(reduction, [](int64_t s) { return s > 1; }));
  if (sizes.empty() || sizes.size() > 2)
    return false;
  geometry.segments = sizes.size() > 1 ? sizes.front() : 1;
  geometry.segmentPositions = sizes.back();
  return true;
}

/// The index of the matrices to which a digit belongs.
static Digit getDigit(ViewAttr view, DigitRole role) {
  if (llvm::is_contained(view.getBatchRoles(), role))
    return Digit::Batch;
  if (llvm::is_contained(view.getRowRoles(), role))
    return Digit::Row;
  // If two digits of the reduction have several values, the second one is the
  // inner loop.
  ArrayRef<DigitRole> columns = view.getColumnRoles();
  size_t column = llvm::find(columns, role) - columns.begin();
  bool isOuter = column == columns.size() ||
                 llvm::any_of(view.getColumns().drop_front(column + 1),
                              [](int64_t size) { return size > 1; });
  return isOuter ? Digit::Outer : Digit::Inner;
}

/// The digits of a batch that count split-K slices.
static SmallVector<DigitRole> getSlices(ViewAttr view) {
  return llvm::to_vector(
      llvm::make_filter_range(view.getBatchRoles(), [](DigitRole role) {
        return role.part == DigitPart::Split;
      }));
}

/// The digit, with its split-K slices, that alone counts a coordinate, if any.
static std::optional<TmaMatrix::Dimension>
readDimension(ViewAttr view, const ViewAttr::Coordinate &coordinate,
              int64_t size) {
  SmallVector<DigitRole> moving = getMovingRoles(view, coordinate);
  if (moving.empty() || coordinate.constant != 0)
    return std::nullopt;
  // In slices of one element, only the slice moves.
  DigitRole own(moving.front().letter), slice(own.letter, DigitPart::Split);
  if (llvm::any_of(moving, [&](DigitRole role) {
        return role != slice &&
               (role != own || view.getCoefficient(coordinate, role) != 1);
      }))
    return std::nullopt;
  int64_t length = view.getSize(own);
  TmaMatrix::Dimension dimension{getDigit(view, own), size};
  if (llvm::is_contained(moving, slice)) {
    dimension.partStep = view.getCoefficient(coordinate, slice);
    SmallVector<DigitRole> slices = getSlices(view);
    dimension.part = llvm::find(slices, slice) - slices.begin();
    if (dimension.partStep != length)
      return std::nullopt;
    length *= view.getSize(slice);
  }
  // The last slices may be shorter: zeros follow after the tensor.
  if (length < size)
    return std::nullopt;
  return dimension;
}

static std::optional<TmaMatrix> readMatrix(const ViewedTensor &tensor) {
  TmaMatrix matrix;
  for (auto [coordinate, size] :
       llvm::zip(tensor.view.getCoordinates(), tensor.type.getShape())) {
    // Taps may move a dimension of one element out of the tensor.
    if (size == 1 && coordinate.constant == 0 &&
        getMovingRoles(tensor.view, coordinate).empty())
      continue;
    std::optional<TmaMatrix::Dimension> dimension =
        readDimension(tensor.view, coordinate, size);
    if (!dimension)
      return std::nullopt;
    matrix.dimensions.push_back(*dimension);
  }
  auto isOnce = [&](Digit digit) {
    return llvm::count_if(matrix.dimensions, [=](const auto &dimension) {
             return dimension.digit == digit;
           }) == 1;
  };
  if (matrix.dimensions.size() > kMaxMapRank || !isOnce(Digit::Row) ||
      !isOnce(Digit::Inner))
    return std::nullopt;
  return matrix;
}

/// Whether tiles of the operand are boxes and the steps of a split-K slice do
/// not reach into the next one.
static bool hasBoxes(const TmaMatrix &matrix, const TmaGeometry &geometry) {
  using Tile = ::conv::TmaTile;
  const TmaMatrix::Dimension &last = matrix.dimensions.back();
  int64_t alignment = Tile::kAccessBytes / geometry.elementBytes;
  if ((last.digit != Digit::Row && last.digit != Digit::Inner) ||
      last.size % alignment != 0)
    return false;
  if (matrix.isTransposed() && geometry.elementBytes < Tile::kElementBytes)
    return false;
  return llvm::all_of(matrix.dimensions, [&](const auto &dimension) {
    return dimension.digit != Digit::Inner ||
           dimension.partStep % geometry.getRowElements() == 0;
  });
}

bool mlir::conv::readMatrices(const ViewedTensor &lhs, const ViewedTensor &rhs,
                              TmaGeometry &geometry) {
  if (lhs.view.getRoles().empty() || rhs.view.getRoles().empty() ||
      lhs.view.getBatch().empty())
    return false;
  DigitRole group = lhs.view.getBatchRoles().back();
  geometry.reducesPositions = false;
  geometry.window = {};
  geometry.window.groups = lhs.view.getSize(group);
  geometry.window.isShared = true; // Groups are no channels side by side.
  geometry.parts =
      llvm::product_of(lhs.view.getBatch()) / geometry.window.groups;
  for (DigitRole slice : getSlices(lhs.view))
    geometry.partCounts.push_back(lhs.view.getSize(slice));
  if (!setLoops(lhs.view.getColumns(), geometry))
    return false;
  for (auto [tensor, matrix] : {std::pair(&lhs, &geometry.leftMatrix),
                                std::pair(&rhs, &geometry.rightMatrix)}) {
    if (!isClipped(*tensor))
      return false;
    *matrix = readMatrix(*tensor);
    if (!*matrix || !hasBoxes(**matrix, geometry))
      return false;
  }
  return true;
}

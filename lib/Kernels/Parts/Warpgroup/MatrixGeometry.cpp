//===- MatrixGeometry.cpp - operands of which tiles are boxes -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a window, each dimension of an operand is counted by one digit of its
// view, so that the copy engine finds tiles whatever the order of dimensions
// is. With positions innermost, the gradient of a filter of one element has its
// reduction innermost in both operands:
//
//                       positions (q)                  positions (q)
//   gradient [ k x c ] = sum over images n  [ k x q ]  ·  [ c x q ] transposed
//
//===----------------------------------------------------------------------===//

#include "MatrixGeometry.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"

using namespace mlir;
using namespace mlir::conv;

using Digit = TmaMatrix::Digit;

/// Most dimensions that a tensor map has.
static constexpr size_t kMaxRank = 5;

namespace {
/// What the digits of both operands count, in the order of `getDigitSizes`.
struct Roles {
  SmallVector<Digit> digits;
  /// Whether a digit counts parts of the reduction.
  SmallVector<bool> areParts;
};
} // namespace

/// The digits of the reduction that count more than one; false if those are
/// not one or two.
static bool setLoops(ArrayRef<int64_t> reduction, TmaGeometry &geometry) {
  SmallVector<int64_t> sizes = llvm::to_vector(
      llvm::make_filter_range(reduction, [](int64_t s) { return s > 1; }));
  if (sizes.empty() || sizes.size() > 2)
    return false;
  geometry.segments = sizes.size() > 1 ? sizes.front() : 1;
  geometry.segmentPositions = sizes.back();
  return true;
}

static Roles getRoles(ViewAttr view) {
  Roles roles;
  auto add = [&](Digit digit, bool isPart = false) {
    roles.digits.push_back(digit);
    roles.areParts.push_back(isPart);
  };
  for (DigitRole role : view.getBatchRoles())
    add(Digit::Batch, /*isPart=*/role.part == DigitPart::Split);
  for (size_t i = 0; i < view.getRows().size(); ++i)
    add(Digit::Row);
  // Of two digits that count, the second one is the inner one.
  ArrayRef<int64_t> reduction = view.getColumns();
  for (size_t i = 0; i < reduction.size(); ++i)
    add(llvm::any_of(reduction.drop_front(i + 1),
                     [](int64_t size) { return size > 1; })
            ? Digit::Outer
            : Digit::Inner);
  return roles;
}

/// The only digit that counts a coordinate, and parts of it; or none.
static std::optional<TmaMatrix::Dimension>
readDimension(const ViewAttr::Coordinate &coordinate, ArrayRef<int64_t> sizes,
              const Roles &roles, int64_t size) {
  if (coordinate.constant != 0)
    return std::nullopt;
  std::optional<size_t> own, part;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 1 || coordinate.coefficients[i] == 0)
      continue;
    std::optional<size_t> &found = roles.areParts[i] ? part : own;
    if (found)
      return std::nullopt;
    found = i;
  }
  if (!own || coordinate.coefficients[*own] != 1)
    return std::nullopt;
  int64_t step = part ? coordinate.coefficients[*part] : 0;
  int64_t length = sizes[*own];
  if (part && step != length)
    return std::nullopt;
  // The last parts may be shorter: behind the tensor are zeros.
  if ((part ? length * sizes[*part] : length) < size)
    return std::nullopt;
  return TmaMatrix::Dimension{roles.digits[*own], size, step};
}

static std::optional<TmaMatrix> readMatrix(const ViewedTensor &tensor) {
  SmallVector<int64_t> sizes = tensor.view.getDigitSizes();
  Roles roles = getRoles(tensor.view);
  TmaMatrix matrix;
  for (auto [coordinate, size] :
       llvm::zip(tensor.view.getCoordinates(), tensor.type.getShape())) {
    if (size == 1)
      continue;
    std::optional<TmaMatrix::Dimension> dimension =
        readDimension(coordinate, sizes, roles, size);
    if (!dimension)
      return std::nullopt;
    matrix.dimensions.push_back(*dimension);
  }
  auto isOnce = [&](Digit digit) {
    return llvm::count_if(matrix.dimensions, [=](const auto &dimension) {
             return dimension.digit == digit;
           }) == 1;
  };
  if (matrix.dimensions.size() > kMaxRank || !isOnce(Digit::Row) ||
      !isOnce(Digit::Inner))
    return std::nullopt;
  return matrix;
}

/// Whether tiles of the operand are boxes, and steps of one part do not reach
/// the next one.
static bool hasBoxes(const TmaMatrix &matrix, const TmaGeometry &geometry) {
  using Tile = ::conv::TmaTile;
  const TmaMatrix::Dimension &last = matrix.dimensions.back();
  int64_t granule = Tile::kGranuleBytes / geometry.elementBytes;
  if ((last.digit != Digit::Row && last.digit != Digit::Inner) ||
      last.size % granule != 0)
    return false;
  if (matrix.isTransposed() && geometry.elementBytes < Tile::kElementBytes)
    return false;
  return llvm::all_of(matrix.dimensions, [&](const auto &dimension) {
    return dimension.digit != Digit::Inner ||
           dimension.partStep % geometry.getRowElements() == 0;
  });
}

/// Whether all that conditions exclude is behind the end of a dimension.
static bool areConditionsOfTensor(const ViewedTensor &tensor) {
  SmallVector<ViewAttr::Coordinate> coordinates = tensor.view.getCoordinates();
  ArrayRef<int64_t> limits = tensor.view.getLimits();
  size_t shared = coordinates.size() - limits.size();
  return llvm::all_of(llvm::seq(limits.size()), [&](size_t i) {
    const ViewAttr::Coordinate &condition = coordinates[shared + i];
    for (size_t d = 0; d < shared; ++d)
      if (tensor.type.getDimSize(d) == limits[i] &&
          coordinates[d].constant == condition.constant &&
          coordinates[d].coefficients == condition.coefficients)
        return true;
    return false;
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
  if (!setLoops(lhs.view.getColumns(), geometry))
    return false;
  for (auto [tensor, matrix] : {std::pair(&lhs, &geometry.leftMatrix),
                                std::pair(&rhs, &geometry.rightMatrix)}) {
    if (!areConditionsOfTensor(*tensor))
      return false;
    *matrix = readMatrix(*tensor);
    if (!*matrix || !hasBoxes(**matrix, geometry))
      return false;
  }
  return true;
}

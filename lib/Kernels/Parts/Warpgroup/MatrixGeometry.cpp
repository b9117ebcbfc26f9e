//===- MatrixGeometry.cpp - operands whose tiles are boxes ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copy engine finds tiles whatever the order of dimensions is. With
// positions innermost, the gradient of a filter has the reduction innermost in
// both operands; a tap only moves where a box of the input starts, and what is
// outside of the image arrives as zeros:
//
//                 sum over images n   positions (q)   positions (q), of tap s
//   gradient    =    and lines p         [ k x q ]  ·  transposed [ c x q + s ]
//   [ k x c ]
//
// Boxes start at multiples of 16 bytes. With images innermost (HCWN), as many
// images as have 16 bytes suffice for any window and stride. Then the reduction
// is over images and, if windows move by 1, over positions of a line, too.
//
//===----------------------------------------------------------------------===//

#include "MatrixGeometry.h"

#include "conv/Dialect/Conv/IR/TensorMapLimits.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"

using namespace mlir;
using namespace mlir::conv;

using Extent = TmaMatrix::Extent;

bool TmaMatrix::isShared() const {
  return llvm::none_of(dimensions, [&](const Dimension &dimension) {
    return llvm::any_of(ArrayRef(dimension.steps).take_front(batch.size()),
                        [](int64_t step) { return step != 0; });
  });
}

namespace {

/// Reads both operands of a product. Their digits with more than one value are
/// numbered: those of the batch, of rows, and of the reduction.
class MatrixReader {
public:
  MatrixReader(const ViewedTensor &lhs, const ViewedTensor &rhs,
               TmaGeometry &geometry)
      : lhs(lhs), rhs(rhs), geometry(geometry) {}

  /// Returns false if the tiles of an operand are not boxes.
  bool read();

private:
  bool selectInner();
  std::optional<TmaMatrix> readMatrix(const ViewedTensor &tensor) const;
  bool mergeInnermost();
  bool hasBoxes(const TmaMatrix &matrix) const;
  bool hasZerosAfter(const TmaMatrix &matrix) const;
  int64_t getRowElements() const { return geometry.getRowElements(); }

  const ViewedTensor &lhs, &rhs;
  TmaGeometry &geometry;
  /// The digit of the reduction over which the inner loop goes, among all
  /// digits of its index.
  size_t inner = 0;
};

} // namespace

/// The coefficient of a digit of the reduction in the innermost coordinate.
static int64_t getInnermostStep(const ViewedTensor &tensor, size_t digit) {
  size_t rank = tensor.type.getRank();
  ViewAttr::Coordinate last = tensor.view.getCoordinates()[rank - 1];
  size_t first = tensor.view.getBatch().size() + tensor.view.getRows().size();
  return last.coefficients[first + digit];
}

/// The inner loop goes over the digit that is innermost in memory in both
/// operands, or else over the last one.
bool MatrixReader::selectInner() {
  std::optional<size_t> found;
  bool isInnermost = false;
  for (auto [digit, size] : llvm::enumerate(lhs.view.getColumns())) {
    if (size == 1 || isInnermost)
      continue;
    found = digit;
    isInnermost =
        getInnermostStep(lhs, digit) == 1 && getInnermostStep(rhs, digit) == 1;
  }
  if (!found)
    return false;
  inner = *found;
  for (auto [digit, size] : llvm::enumerate(lhs.view.getColumns()))
    if (size > 1 && digit != inner)
      geometry.segmentDigits.push_back(size);
  geometry.segments = llvm::product_of(geometry.segmentDigits);
  geometry.segmentPositions = lhs.view.getColumns()[inner];
  return true;
}

std::optional<TmaMatrix>
MatrixReader::readMatrix(const ViewedTensor &tensor) const {
  ViewAttr view = tensor.view;
  TmaMatrix matrix;
  SmallVector<size_t> digits; // The numbers of those with several values.
  size_t number = 0;
  auto add = [&](ArrayRef<int64_t> sizes, SmallVector<int64_t> *several) {
    for (int64_t size : sizes) {
      if (size > 1) {
        digits.push_back(number);
        several->push_back(size);
      }
      ++number;
    }
  };
  add(view.getBatch(), &matrix.batch);
  add(view.getRows(), &matrix.rows);
  for (auto [digit, size] : llvm::enumerate(view.getColumns()))
    if (size > 1 && digit != inner)
      digits.push_back(number + digit);
  digits.push_back(number + inner);
  if (matrix.rows.empty())
    return std::nullopt;
  size_t row = matrix.batch.size() + matrix.rows.size() - 1;
  for (auto [coordinate, size] :
       llvm::zip(view.getCoordinates(), tensor.type.getShape())) {
    TmaMatrix::Dimension dimension{Extent::One, size, coordinate.constant};
    for (size_t digit : digits)
      dimension.steps.push_back(coordinate.coefficients[digit]);
    bool isStill =
        llvm::all_of(dimension.steps, [](int64_t step) { return step == 0; });
    if (size == 1 && isStill && dimension.start == 0)
      continue;
    // Boxes have neighbours along the last digit of rows and the inner loop.
    int64_t ofRow = dimension.steps[row], ofInner = dimension.steps.back();
    if (ofRow != 0 && ofInner != 0)
      return std::nullopt;
    if ((ofRow != 0 && ofRow != 1) || (ofInner != 0 && ofInner != 1))
      return std::nullopt;
    dimension.extent = ofRow     ? Extent::Rows
                       : ofInner ? Extent::Reduction
                                 : Extent::One;
    matrix.dimensions.push_back(dimension);
  }
  auto isOnce = [&](Extent extent) {
    return llvm::count_if(matrix.dimensions, [=](const auto &dimension) {
             return dimension.extent == extent;
           }) == 1;
  };
  if (!isOnce(Extent::Rows) || !isOnce(Extent::Reduction))
    return std::nullopt;
  return matrix;
}

/// If the inner loop goes over a whole dimension, and the loop around it by one
/// element of the next dimension, both are one dimension. Taps may move the
/// outer of both: what is before or after its elements is so in the merged one.
bool MatrixReader::mergeInnermost() {
  if (geometry.segmentDigits.empty())
    return false;
  TmaMatrix *matrices[] = {&*geometry.leftMatrix, &*geometry.rightMatrix};
  std::optional<size_t> merged; // Among the digits of segments.
  for (TmaMatrix *matrix : matrices) {
    if (matrix->dimensions.size() < 2)
      return false;
    const auto &last = matrix->dimensions.back();
    const auto &next = *std::prev(matrix->dimensions.end(), 2);
    size_t first = matrix->batch.size() + matrix->rows.size();
    bool isWhole = last.extent == Extent::Reduction && last.start == 0 &&
                   last.size == geometry.segmentPositions &&
                   llvm::all_of(ArrayRef(last.steps).drop_back(),
                                [](int64_t step) { return step == 0; });
    ArrayRef<int64_t> loop = ArrayRef(next.steps).slice(first).drop_back();
    size_t digit = llvm::find(loop, 1) - loop.begin();
    if (last.size * next.size > kMostCoordinate || !isWhole ||
        next.extent != Extent::One || digit == loop.size() ||
        llvm::count(loop, 0) + 1 != int64_t(loop.size()) ||
        merged.value_or(digit) != digit)
      return false;
    merged = digit;
  }
  for (TmaMatrix *matrix : matrices) {
    TmaMatrix::Dimension last = matrix->dimensions.pop_back_val();
    TmaMatrix::Dimension &both = matrix->dimensions.back();
    size_t digit = matrix->batch.size() + matrix->rows.size() + *merged;
    both.extent = Extent::Reduction;
    both.start *= last.size;
    for (int64_t &step : both.steps)
      step *= last.size;
    both.size *= last.size;
    both.steps.back() = 1;
    for (TmaMatrix::Dimension &dimension : matrix->dimensions)
      dimension.steps.erase(dimension.steps.begin() + digit);
  }
  geometry.segmentPositions *= geometry.segmentDigits[*merged];
  geometry.segmentDigits.erase(geometry.segmentDigits.begin() + *merged);
  geometry.segments = llvm::product_of(geometry.segmentDigits);
  return true;
}

/// Whether tiles of the operand are boxes and the steps of a split-K slice do
/// not reach into the next one.
bool MatrixReader::hasBoxes(const TmaMatrix &matrix) const {
  using Tile = ::conv::WarpgroupTile;
  const TmaMatrix::Dimension &last = matrix.dimensions.back();
  int64_t alignment = Tile::kAccessBytes / geometry.elementBytes;
  if (matrix.dimensions.size() > kMaxMapRank || last.extent == Extent::One ||
      last.size % alignment != 0)
    return false;
  // A swizzled box that starts elsewhere is an illegal instruction.
  auto isAligned = [&](int64_t step) { return step % alignment == 0; };
  size_t own = last.extent == Extent::Reduction
                   ? last.steps.size() - 1
                   : matrix.batch.size() + matrix.rows.size() - 1;
  if (!isAligned(last.start))
    return false;
  for (auto [digit, step] : llvm::enumerate(last.steps))
    if (digit != own && !isAligned(step))
      return false;
  if (matrix.isTransposed() &&
      (matrix.hasTaps() || geometry.elementBytes < Tile::kElementBytes))
    return false;
  // Boxes of a tap have whole groups of swizzled rows.
  if (matrix.hasTaps() && matrix.rows.back() % Tile::kSwizzledRows != 0)
    return false;
  return llvm::all_of(matrix.dimensions, [&](const auto &dimension) {
    return dimension.extent != Extent::Reduction ||
           llvm::all_of(
               ArrayRef(dimension.steps).take_front(matrix.batch.size()),
               [&](int64_t step) { return step % getRowElements() == 0; });
  });
}

/// Whether elements after the last one of the inner loop are zeros: outside of
/// the tensor.
bool MatrixReader::hasZerosAfter(const TmaMatrix &matrix) const {
  return llvm::any_of(matrix.dimensions, [&](const auto &dimension) {
    if (dimension.extent != Extent::Reduction || dimension.start != 0)
      return false;
    ArrayRef<int64_t> steps = dimension.steps;
    ArrayRef<int64_t> batch = steps.take_front(matrix.batch.size());
    ArrayRef<int64_t> others = steps.drop_front(batch.size()).drop_back();
    auto isZero = [](int64_t step) { return step == 0; };
    // Slices of the dimension have whole rows, except for the last one.
    int64_t length = geometry.segmentPositions;
    for (auto [step, size] : llvm::zip(batch, matrix.batch))
      length = std::max(length, step * size);
    return llvm::all_of(others, isZero) && length >= dimension.size;
  });
}

bool MatrixReader::read() {
  if (!selectInner())
    return false;
  // Forward convolutions and gradients of inputs have other kernels for taps
  // and positions of several digits.
  bool isFilterGradient =
      llvm::is_contained(lhs.view.getColumnRoles(), DigitRole('n'));
  if (!areConditionsMet(lhs, rhs, isFilterGradient))
    return false;
  for (auto [tensor, matrix] : {std::pair(&lhs, &geometry.leftMatrix),
                                std::pair(&rhs, &geometry.rightMatrix)}) {
    if (tensor->view.getPadding() != PaddingMode::Zeros)
      return false;
    *matrix = readMatrix(*tensor);
    if (!*matrix || ((*matrix)->hasTaps() && !isFilterGradient))
      return false;
  }
  while (mergeInnermost())
    continue;
  const TmaMatrix &left = *geometry.leftMatrix, &right = *geometry.rightMatrix;
  return hasBoxes(left) && hasBoxes(right) &&
         (geometry.segmentPositions % getRowElements() == 0 ||
          hasZerosAfter(left) || hasZerosAfter(right));
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
  geometry.slices =
      llvm::product_of(lhs.view.getBatch()) / geometry.window.groups;
  return MatrixReader(lhs, rhs, geometry).read();
}

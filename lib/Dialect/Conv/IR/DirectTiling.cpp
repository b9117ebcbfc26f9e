//===- DirectTiling.cpp - what tiles of a direct schedule read -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only arithmetic on views. Boxes are widened to whole 16-byte pieces, so that
// everything about them is known at compile time but the coordinates at which
// they start.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/DirectTiling.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Bytes of the widest access of a lane.
static constexpr int64_t kPieceBytes = 16;

static int64_t byteWidth(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// The innermost dimension in which there are neighbours.
static size_t findInnermost(ArrayRef<int64_t> sizes) {
  for (size_t d = sizes.size(); d-- > 0;)
    if (sizes[d] > 1)
      return d;
  return sizes.empty() ? 0 : sizes.size() - 1;
}

//===----------------------------------------------------------------------===//
// DigitBox
//===----------------------------------------------------------------------===//

std::optional<DigitBox> DigitBox::compute(ArrayRef<int64_t> digits,
                                          int64_t tile, int64_t run) {
  DigitBox box{llvm::to_vector(digits), SmallVector<int64_t>(digits.size(), 1),
               findInnermost(digits), run};
  int64_t outside = llvm::product_of(digits);
  tile = std::min(tile, outside);
  for (size_t d = digits.size(); d-- > 0 && tile > 1;) {
    outside /= digits[d];
    box.sizes[d] = std::min(tile, digits[d]);
    // Either all values and whole boxes of the outer digits, or a part, which
    // is whole runs.
    bool isWhole = tile % digits[d] == 0;
    bool isPart = tile < digits[d] && (outside == 1 || digits[d] % tile == 0) &&
                  tile % box.getRun(d) == 0;
    if (!isWhole && !isPart)
      return std::nullopt;
    tile /= digits[d];
  }
  return box;
}

int64_t DigitBox::getNumTiles() const {
  int64_t tiles = 1;
  for (size_t d = 0; d < getRank(); ++d)
    tiles *= getTiles(d);
  return tiles;
}

int64_t DigitBox::getPadded(size_t digit) const {
  return llvm::alignTo(sizes[digit], getRun(digit));
}

bool DigitBox::mayExceed(size_t digit) const {
  return (getTiles(digit) - 1) * sizes[digit] + getPadded(digit) >
         digits[digit];
}

//===----------------------------------------------------------------------===//
// TensorBox
//===----------------------------------------------------------------------===//

/// The dimension whose coordinate depends on the last digit of the batch.
static int64_t findBatchDimension(ViewAttr view) {
  if (view.getBatch().empty())
    return -1;
  size_t digit = view.getBatch().size() - 1;
  for (auto [d, coordinate] : llvm::enumerate(view.getCoordinates()))
    if (coordinate.coefficients[digit] != 0)
      return d;
  return -1;
}

/// The dimension whose neighbours are the closest in memory.
static int64_t findClosest(const ViewedTensor &operand) {
  ArrayRef<int64_t> shape = operand.type.getShape();
  int64_t closest = shape.size() - 1;
  for (size_t d = shape.size(); d-- > 0;)
    if (shape[d] > 1 &&
        (shape[closest] == 1 || operand.strides[d] < operand.strides[closest]))
      closest = d;
  return closest;
}

bool DirectTiling::takes(Type element) {
  return element.isF16() || element.isBF16() || element.isF32();
}

bool DirectTiling::isAlongBatchOf(const ViewedTensor &tensor) {
  return findBatchDimension(tensor.view) == findClosest(tensor);
}

namespace {
/// One digit of a view, as tiles see it.
struct TiledDigit {
  int64_t padded, tiles, step;
};

class BoxBuilder {
public:
  BoxBuilder(const ViewedTensor &operand, ArrayRef<DigitBox> spaces);
  TensorBox create(bool isAlongBatch);

private:
  void computeExtents();
  void computeCopies(int64_t innermost);
  void computeStrides(int64_t innermost);
  void computeGuards();
  void computeRun();
  /// Elements along a dimension that the tiles with all values of the digits
  /// from `digit` on copy, when the box starts at `start`.
  double countCopied(int64_t dimension, size_t digit, int64_t start) const;

  const ViewedTensor &operand;
  ArrayRef<int64_t> shape;
  int64_t piece; ///< Elements of 16 bytes.
  SmallVector<ViewAttr::Coordinate> coordinates;
  SmallVector<TiledDigit> digits;
  int64_t batchDimension;
  TensorBox box;
};
} // namespace

BoxBuilder::BoxBuilder(const ViewedTensor &operand, ArrayRef<DigitBox> spaces)
    : operand(operand), shape(operand.type.getShape()),
      piece(kPieceBytes / byteWidth(operand.type.getElementType())),
      coordinates(operand.view.getCoordinates()),
      batchDimension(findBatchDimension(operand.view)) {
  for (const DigitBox &space : spaces)
    for (size_t d = 0; d < space.getRank(); ++d)
      digits.push_back({space.getPadded(d), space.getTiles(d), space.sizes[d]});
}

void BoxBuilder::computeExtents() {
  for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates)) {
    auto [first, last] = operand.view.getRange(coordinate);
    box.padding.push_back(first < 0 || last >= size ? operand.view.getPadding()
                                                    : PaddingMode::Zeros);
    int64_t low = 0, high = 0;
    for (auto [digit, coefficient] : llvm::zip(digits, coordinate.coefficients))
      (coefficient < 0 ? low : high) += coefficient * (digit.padded - 1);
    box.corner.push_back(low);
    box.sizes.push_back(high - low + 1);
  }
}

/// Widens the box to whole copies, at the same places in all tiles.
void BoxBuilder::computeCopies(int64_t innermost) {
  box.copyDimension = findClosest(operand);
  int64_t size = shape[box.copyDimension];
  const ViewAttr::Coordinate &coordinate = coordinates[box.copyDimension];
  box.copyWidth = 1;
  if (box.copyDimension == innermost && operand.strides[innermost] == 1 &&
      box.padding[innermost] == PaddingMode::Zeros) {
    box.copyWidth = std::gcd(piece, size);
    for (auto [d, stride] : llvm::enumerate(operand.strides))
      if (int64_t(d) != innermost && shape[d] > 1)
        box.copyWidth = std::gcd(box.copyWidth, stride);
    for (auto [digit, coefficient] : llvm::zip(digits, coordinate.coefficients))
      if (digit.tiles > 1)
        box.copyWidth = std::gcd(box.copyWidth, coefficient * digit.step);
  }
  int64_t &corner = box.corner[box.copyDimension];
  int64_t shift = llvm::mod(coordinate.constant + corner, box.copyWidth);
  corner -= shift;
  box.sizes[box.copyDimension] += shift;
  box.sizes[innermost] = llvm::alignTo(box.sizes[innermost], piece);
}

void BoxBuilder::computeStrides(int64_t innermost) {
  box.strides.resize(shape.size());
  box.strides[innermost] = 1;
  int64_t stride = box.sizes[innermost];
  for (size_t d = shape.size(); d-- > 0;) {
    if (int64_t(d) == innermost)
      continue;
    box.strides[d] = stride;
    stride *= box.sizes[d];
  }
  box.first = 0;
  box.distances.assign(digits.size(), 0);
  for (auto [coordinate, corner, each] :
       llvm::zip(coordinates, box.corner, box.strides)) {
    box.first -= corner * each;
    for (auto [distance, coefficient] :
         llvm::zip(box.distances, coordinate.coefficients))
      distance += coefficient * each;
  }
}

void BoxBuilder::computeGuards() {
  for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
    int64_t low = coordinate.constant + box.corner[d];
    int64_t high = low + box.sizes[d];
    for (auto [digit, coefficient] : llvm::zip(digits, coordinate.coefficients))
      (coefficient < 0 ? low : high) +=
          coefficient * digit.step * (digit.tiles - 1);
    box.isGuarded.push_back(low < 0 || high > shape[d]);
  }
}

void BoxBuilder::computeRun() {
  SmallVector<size_t> closest;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1)
      closest.push_back(d);
  llvm::sort(closest, [&](size_t a, size_t b) {
    return operand.strides[a] < operand.strides[b];
  });
  box.run = 1;
  for (size_t d : closest) {
    if (operand.strides[d] != box.run)
      return;
    box.run *= std::min(box.sizes[d], shape[d]);
  }
}

double BoxBuilder::countCopied(int64_t dimension, size_t digit,
                               int64_t start) const {
  if (digit == digits.size()) {
    int64_t end = std::min(start + box.sizes[dimension], shape[dimension]);
    return double(std::max<int64_t>(0, end - std::max<int64_t>(0, start)));
  }
  int64_t coefficient = coordinates[dimension].coefficients[digit];
  if (coefficient == 0)
    return countCopied(dimension, digit + 1, start);
  double copied = 0;
  for (int64_t i = 0; i < digits[digit].tiles; ++i)
    copied += countCopied(dimension, digit + 1,
                          start + coefficient * digits[digit].step * i);
  return copied;
}

TensorBox BoxBuilder::create(bool isAlongBatch) {
  int64_t innermost = isAlongBatch && batchDimension >= 0
                          ? batchDimension
                          : findClosest(operand);
  computeExtents();
  computeCopies(innermost);
  computeStrides(innermost);
  computeGuards();
  computeRun();
  box.copied = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    box.copied *= countCopied(d, 0, coordinates[d].constant + box.corner[d]);
  return box;
}

//===----------------------------------------------------------------------===//
// DirectTiling
//===----------------------------------------------------------------------===//

int64_t DirectTiling::countSharedBoxes() const {
  int64_t boxes = 1;
  for (size_t d = 0; d < batch.getRank(); ++d)
    boxes *= batch.getPadded(d) / batch.getRun(d);
  for (size_t d = 0; d < columns.getRank(); ++d)
    boxes *= d == columns.innermost ? 1 : columns.sizes[d];
  return boxes;
}

namespace {
/// Tiles one product; `obstacle` is the first thing that does not fit.
class TilingBuilder {
public:
  TilingBuilder(ScheduleAttr schedule, const ::conv::ChipInfo &chip,
                const ViewedProduct &product, std::string &obstacle)
      : schedule(schedule), chip(chip), product(product), obstacle(obstacle),
        isShared(schedule.getMainLoop() == MainLoop::DirectReduction) {}

  std::optional<DirectTiling> create();

private:
  bool computeSpaces();
  bool computeSpace(DigitBox &box, StringRef name, ArrayRef<int64_t> digits,
                    int64_t tile, int64_t run);
  bool checkOperands();
  bool checkReduction();
  bool computeSharedMemory();

  bool refuse(const std::string &expected) {
    obstacle = "expects " + expected;
    return false;
  }

  ScheduleAttr schedule;
  const ::conv::ChipInfo &chip;
  const ViewedProduct &product;
  std::string &obstacle;
  bool isShared; ///< Work-items share the reduction.
  DirectTiling tiling{};
};
} // namespace

/// Checks D4.
bool TilingBuilder::checkOperands() {
  for (const ViewedTensor *operand : {&product.lhs, &product.rhs}) {
    Type element = operand->type.getElementType();
    if (!DirectTiling::takes(element) || !operand->view.getLimits().empty())
      return refuse(formatv("operands of f16, bf16 or f32 without conditions "
                            "for the algorithm direct, but got {0} and {1} "
                            "conditions",
                            element, operand->view.getLimits().size()));
  }
  return true;
}

/// Checks D1 for one index space.
bool TilingBuilder::computeSpace(DigitBox &box, StringRef name,
                                 ArrayRef<int64_t> digits, int64_t tile,
                                 int64_t run) {
  std::optional<DigitBox> computed = DigitBox::compute(digits, tile, run);
  if (!computed)
    return refuse(formatv("the {0} of a tile to be a box of the digits "
                          "[{1:$[, ]}] with runs of {2}, but got {3}",
                          name, llvm::make_range(digits.begin(), digits.end()),
                          run, tile));
  box = *computed;
  return true;
}

bool TilingBuilder::computeSpaces() {
  AtomAttr atom = schedule.getAtom();
  ViewAttr result = product.result.view;
  auto [matrices, rows, columns] =
      schedule.getTile(/*isProduct=*/true, result.getShape()[2]);
  tiling.isAlongBatch = atom.getM() > 1;
  return computeSpace(tiling.batch, "matrices", result.getBatch(), matrices,
                      atom.getM()) &&
         computeSpace(tiling.rows, "rows", result.getRows(), rows,
                      atom.getN()) &&
         computeSpace(tiling.columns, "columns", result.getColumns(), columns,
                      /*run=*/1) &&
         computeSpace(tiling.reduction, "reduction",
                      product.lhs.view.getColumns(), schedule.getGemmK(),
                      isShared ? atom.getK() : 1);
}

/// Checks D2 and D5, but for the number of work-items.
bool TilingBuilder::checkReduction() {
  const DigitBox &reduction = tiling.reduction;
  int64_t gemmK = schedule.getGemmK();
  // D2.
  if (!isShared)
    return reduction.getNumTiles() == 1 ||
           refuse(formatv("gemm_k to be at least the reduction of {0} for a "
                          "direct main loop, but got {1}",
                          llvm::product_of(reduction.digits), gemmK));
  // D5.
  if (tiling.rows.getNumTiles() != 1)
    return refuse(formatv("a tile of all {0} rows for a direct_reduction main "
                          "loop, but got {1}",
                          llvm::product_of(tiling.rows.digits),
                          schedule.getWorkgroup()[0]));
  for (size_t d = 0; d < reduction.getRank(); ++d)
    if (reduction.mayExceed(d) || reduction.sizes[d] % reduction.getRun(d))
      return refuse(formatv(
          "gemm_k and k of the atom to divide the digits [{0:$[, ]}] for a "
          "direct_reduction main loop, but got {1} and {2}",
          llvm::make_range(reduction.digits.begin(), reduction.digits.end()),
          gemmK, schedule.getAtom().getK()));
  return true;
}

/// Checks D3, and the number of work-items of D5.
bool TilingBuilder::computeSharedMemory() {
  auto getBytes = [](const TensorBox &box, const ViewedTensor &operand) {
    return box.getNumElements() * byteWidth(operand.type.getElementType());
  };
  tiling.sharedBytes =
      getBytes(tiling.lhs, product.lhs) + getBytes(tiling.rhs, product.rhs);
  if (isShared) {
    int64_t workItems = schedule.getNumSubgroups() * chip.subgroupSize;
    int64_t boxes = tiling.countSharedBoxes();
    if (boxes > workItems)
      return refuse(formatv("a work-item for each of {0} boxes of elements, "
                            "but got {1}",
                            boxes, workItems));
    tiling.sharedBytes += DirectTiling::kPartials * sizeof(float) * workItems;
  }
  return tiling.sharedBytes <= chip.sharedMemoryBytes ||
         refuse(formatv("the parts of both operands that a tile reads to fit "
                        "{0} bytes of shared memory, but got {1}",
                        chip.sharedMemoryBytes, tiling.sharedBytes));
}

std::optional<DirectTiling> TilingBuilder::create() {
  if (!checkOperands() || !computeSpaces() || !checkReduction())
    return std::nullopt;
  tiling.lhs =
      BoxBuilder(product.lhs, {tiling.batch, tiling.rows, tiling.reduction})
          .create(tiling.isAlongBatch);
  tiling.rhs =
      BoxBuilder(product.rhs, {tiling.batch, tiling.columns, tiling.reduction})
          .create(tiling.isAlongBatch);
  // The right operand is copied for every tile of the rows.
  tiling.rhs.copied *= double(tiling.rows.getNumTiles());
  if (!computeSharedMemory())
    return std::nullopt;
  return tiling;
}

std::optional<DirectTiling> DirectTiling::compute(ScheduleAttr schedule,
                                                  const ::conv::ChipInfo &chip,
                                                  const ViewedProduct &product,
                                                  std::string &obstacle) {
  return TilingBuilder(schedule, chip, product, obstacle).create();
}

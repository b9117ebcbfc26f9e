//===- DirectBands.cpp - fragments of bands and of windows --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which pair of channels at which position an element of a fragment is does not
// matter, as long as both operands agree (`MatrixAtom`). So each lane of the
// four that share a run has the position of that number, and reads its vector
// of channels as it is.
//
//===----------------------------------------------------------------------===//

#include "DirectBands.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

SmallVector<BandTerm> mlir::conv::enumerateTerms(const DirectTiling &tiling) {
  const DirectBand &band = *tiling.band;
  SmallVector<int64_t> sizes = tiling.reduction.digits;
  for (std::optional<size_t> digit : {band.tap, band.channel})
    if (digit)
      sizes[*digit] = 1;
  SmallVector<BandTerm> terms;
  for (int64_t number = 0; number < tiling.countPairs(); ++number) {
    int64_t rest = number / band.getPairs();
    BandTerm term{SmallVector<int64_t>(sizes.size()), rest % band.getFours(),
                  number % band.getPairs()};
    rest /= band.getFours();
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
      term.digits[d] = rest % sizes[d];
    terms.push_back(term);
  }
  return terms;
}

Value mlir::conv::getWindowLane(const Kernel &kernel) {
  return kernel.math.rem(kernel.lane, kernel.atom.groupsOfK());
}

Value mlir::conv::getRunLane(const Kernel &kernel) {
  return kernel.math.div(kernel.lane, kernel.atom.groupsOfK());
}

/// The sum of `digits` times `distances`.
static Value createPlace(const IndexMath &math, Value first,
                         ArrayRef<Value> digits, ArrayRef<int64_t> distances) {
  for (auto [digit, distance] : llvm::zip_equal(digits, distances))
    first = math.add(first, math.mul(digit, distance));
  return first;
}

//===----------------------------------------------------------------------===//
// BandFilter
//===----------------------------------------------------------------------===//

BandFilter::BandFilter(const Kernel &kernel, const DirectOperands &operands,
                       ArrayRef<Value> batch)
    : kernel(kernel), operands(operands), band(*operands.tiling.band),
      batch(batch) {
  ImplicitLocOpBuilder &b = kernel.b;
  SmallVector<BandTerm> terms = enumerateTerms(operands.tiling);
  numAtoms = llvm::divideCeil(terms.size(), 2);
  Type element = kernel.form.rhs.getElementType();
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  for (int64_t block = 0; block < band.getBlocks(); ++block) {
    SmallVector<Value> elements;
    for (const BandTerm &term : terms)
      for (int64_t i = 0; i < DirectBand::kPair; ++i)
        elements.push_back(
            createElement(block, term, term.pair * DirectBand::kPair + i));
    int64_t perAtom = 2 * DirectBand::kPair;
    elements.resize(numAtoms * perAtom, zero);
    auto type = VectorType::get({perAtom}, element);
    for (int64_t atom = 0; atom < numAtoms; ++atom)
      fragments.push_back(vector::FromElementsOp::create(
          b, type, ArrayRef(elements).slice(atom * perAtom, perAtom)));
  }
}

/// The element of the lane's column, with the input channel number `channel` of
/// the block, at the lane's position.
Value BandFilter::createElement(int64_t block, const BandTerm &term,
                                int64_t channel) const {
  const IndexMath &math = kernel.math;
  ImplicitLocOpBuilder &b = kernel.b;
  Value column = getRunLane(kernel);
  Value inRun = math.div(column, band.getBlock());
  Value inBlock = math.rem(column, band.getBlock());
  Value position =
      math.add(getWindowLane(kernel), term.four * DirectBand::kPositions);
  // The tap that this position is for that of the run.
  Value place = math.sub(position, math.mul(inRun, band.stride));
  int64_t step = std::max<int64_t>(1, std::abs(band.tapStride));
  Value isInBand = math.both(math.below(place, step * (band.taps - 1) + 1),
                             math.below(math.rem(place, step), 1));
  if (band.getBlock() > band.channels)
    isInBand = math.both(
        isInBand,
        math.below(math.bitXor(math.div(inBlock, band.channels),
                               math.constant(channel / band.channels)),
                   1));
  Value tap = math.div(place, step);
  if (band.tapStride < 0)
    tap = math.sub(math.constant(band.taps - 1), tap);
  tap = b.createOrFold<arith::SelectOp>(isInBand, tap, math.constant(0));

  const DirectTiling &tiling = operands.tiling;
  SmallVector<Value> digits = batch;
  Value &matrix = digits[tiling.batch.innermost];
  matrix = math.add(matrix, block * band.getBlock() / band.channels +
                                channel / band.channels);
  SmallVector<Value> columns = operands.createZeros(tiling.columns);
  if (band.channels > 1)
    columns[tiling.columns.innermost] = math.rem(inBlock, band.channels);
  llvm::append_range(digits, columns);
  for (auto [d, digit] : llvm::enumerate(term.digits))
    digits.push_back(band.tap == d ? tap
                     : band.channel == d
                         ? math.constant(channel % band.channels)
                         : math.constant(digit));
  Value offset = createPlace(math, math.constant(tiling.rhs.first), digits,
                             tiling.rhs.distances);
  Value loaded =
      vector::ExtractOp::create(b, operands.rhs.load(offset, 1), int64_t(0));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(loaded.getType()));
  return arith::SelectOp::create(b, isInBand, loaded, zero);
}

//===----------------------------------------------------------------------===//
// BandWindows
//===----------------------------------------------------------------------===//

BandWindows::BandWindows(const Kernel &kernel, const DirectOperands &operands,
                         ArrayRef<Value> batch,
                         std::array<ArrayRef<Value>, 2> rows)
    : kernel(kernel), operands(operands), band(*operands.tiling.band),
      unitDistance(band.unit * operands.tiling.lhs.strides[band.dimension]) {
  const IndexMath &math = kernel.math;
  int64_t before = (band.getFours() - 1) * DirectBand::kPositions;
  int64_t last = band.getWindow() - 1 - before;
  Value lane = getWindowLane(kernel);
  Value excess = math.sub(math.minimum(lane, math.constant(last)), lane);
  for (auto [base, lastBase, digits] : llvm::zip(bases, lastBases, rows)) {
    base = lastBase = createBase(batch, digits);
    if (last < DirectBand::kPositions - 1)
      lastBase = math.add(base, math.mul(excess, unitDistance));
  }
}

/// Where the lane's first position of a run's window is.
Value BandWindows::createBase(ArrayRef<Value> batch,
                              ArrayRef<Value> rows) const {
  const IndexMath &math = kernel.math;
  const DirectTiling &tiling = operands.tiling;
  const TensorBox &box = tiling.lhs;
  auto digits = llvm::to_vector(batch);
  llvm::append_range(digits, rows);
  // Vectors of the batch are not side by side.
  Value &matrix = digits[tiling.batch.innermost];
  Value base = math.mul(math.div(matrix, band.getMatrices()), box.vectorStride);
  matrix = math.constant(0);
  base = math.add(base, box.first - band.getFirstTap() * unitDistance);
  base = math.add(base, math.mul(getWindowLane(kernel), unitDistance));
  return createPlace(math, base, digits,
                     ArrayRef(box.distances).take_front(digits.size()));
}

Value BandWindows::createPair(int64_t half, int64_t block, int64_t line,
                              const BandTerm &term) {
  const DirectTiling &tiling = operands.tiling;
  ImplicitLocOpBuilder &b = kernel.b;
  size_t firstRow = tiling.batch.getRank();
  ArrayRef<int64_t> distances = tiling.lhs.distances;
  int64_t distance = term.four * DirectBand::kPositions * unitDistance;
  if (band.position > 0)
    distance += line * distances[firstRow + band.position - 1];
  for (auto [d, digit] : llvm::enumerate(term.digits))
    distance += digit * distances[firstRow + tiling.rows.getRank() + d];
  Value &words = vectors[{half, distance}];
  if (!words) {
    bool isLast = term.four == band.getFours() - 1;
    Value base = isLast ? lastBases[half] : bases[half];
    Value loaded =
        operands.lhs.load(kernel.math.add(base, distance), DirectBand::kVector);
    words = vector::BitCastOp::create(
        b,
        VectorType::get({DirectBand::kVector / DirectBand::kPair},
                        b.getI32Type()),
        loaded);
  }
  return vector::ExtractOp::create(b, words,
                                   block * band.getPairs() + term.pair);
}

Value BandWindows::createFragment(int64_t block, int64_t line,
                                  ArrayRef<BandTerm> terms) {
  ImplicitLocOpBuilder &b = kernel.b;
  SmallVector<Value> words;
  for (int64_t half = 0; half < 2; ++half) {
    for (const BandTerm &term : terms)
      words.push_back(createPair(half, block, line, term));
    if (terms.size() == 1)
      words.push_back(
          arith::ConstantOp::create(b, b.getZeroAttr(b.getI32Type())));
  }
  Value fragment = vector::FromElementsOp::create(
      b, VectorType::get({int64_t(words.size())}, b.getI32Type()), words);
  auto type = VectorType::get({int64_t(words.size()) * DirectBand::kPair},
                              kernel.form.lhs.getElementType());
  return vector::BitCastOp::create(b, type, fragment);
}

//===- DirectHostLoop.cpp - small groups on a thread of the host ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread copies the boxes of both operands that its tile reads, multiplies
// one register tile after another, and applies the epilogue to the sums of the
// whole tile. Vectors are neighbouring matrices if these are adjacent in
// memory, and neighbouring rows otherwise.
//
//===----------------------------------------------------------------------===//

#include "../Parts/Host/HostEpilogue.h"
#include "../Parts/LoopUnrolling.h"
#include "../Parts/MultiplyAdd.h"
#include "../Parts/TileScheduler.h"
#include "DirectBody.h"
#include "DirectHostCost.h"
#include "DirectOperands.h"
#include "HostBox.h"
#include "HostLines.h"
#include "TapRuns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

namespace {
class DirectHostLoop {
public:
  DirectHostLoop(Kernel &kernel, gpu::GPUFuncOp function,
                 const DirectTiling &tiling);
  void create();

private:
  using Digits = SmallVector<Value>;
  /// A digit of the result: of batch, rows or columns.
  struct Digit {
    int64_t size, tile; ///< Of the whole space, and of a tile.
    int64_t run, count; ///< Values of a register tile, and register tiles.
    int64_t sums;       ///< Distance of neighbours in the sums.
    int64_t lhs, rhs;   ///< And in the operands.
    int64_t index;      ///< And in their index of the result.
    bool isClipped;     ///< Whether the last tile has fewer values.
  };
  /// A vector of a register tile: its place in the operands and in the sums.
  struct Vector {
    int64_t lhs, rhs, sums;
    int64_t along; ///< The part of `lhs` along the vectors.
  };

  void addDigits(const DigitBox &space, bool isLhs, bool isRhs);
  void placeSums();
  void joinLines();
  SmallVector<Vector> listVectors() const;
  Value locate(ArrayRef<Value> digits, int64_t Digit::*distance) const;
  /// Loops over register tiles.
  void createTiles();
  void createTile(ArrayRef<Value> digits);
  SmallVector<Value> createLine(Value lhsPlace, Value rhsPlace, int64_t taps,
                                ValueRange sums) const;
  SmallVector<Value> createRuns(Value lhsPlace, Value rhsPlace,
                                ValueRange sums) const;
  SmallVector<Value> createSharedLines(Value lhsPlace, Value rhsPlace,
                                       ValueRange sums) const;
  SmallVector<Value> createSums(ArrayRef<Value> digits) const;
  /// Loops over runs of results.
  void createResults(const HostEpilogue &epilogue);
  void createRuns(const HostEpilogue &epilogue, Value outermost);
  Value countValues(size_t number) const;
  TileOrigin getElement(ArrayRef<Value> digits) const;

  Kernel &kernel;
  const IndexMath &math;
  HostCode code;
  const DirectTiling &tiling;
  SmallVector<Digit> digits;
  size_t along; ///< The digit of vectors.
  /// The first digit of runs of the epilogue, and its values and those of the
  /// digits up to `along` together.
  size_t firstOfRun;
  int64_t runBlock;
  int64_t lanes;
  int64_t lines; ///< Of a register tile.
  int64_t numSums = 0;
  SmallVector<Vector> vectors;
  Digits first; ///< The digits of the tile.
  TileOrigin origin;
  std::optional<HostBox> lhs, rhs;
  Value sums;
};
} // namespace

void DirectHostLoop::addDigits(const DigitBox &space, bool isLhs, bool isRhs) {
  size_t begin = digits.size();
  for (size_t d = 0; d < space.getRank(); ++d) {
    int64_t run = space.getRun(d);
    digits.push_back({space.digits[d], space.sizes[d], run,
                      space.getPadded(d) / run, /*sums=*/0, /*lhs=*/0,
                      /*rhs=*/0, /*index=*/1,
                      space.digits[d] % space.sizes[d] != 0});
  }
  for (size_t d = digits.size() - 1; d-- > begin;)
    digits[d].index = digits[d + 1].index * digits[d + 1].size;
  // The left operand lacks the columns, the right operand lacks the rows.
  for (size_t d = 0; d < space.getRank(); ++d) {
    if (isLhs)
      digits[begin + d].lhs = tiling.lhs.distances[begin + d];
    if (isRhs)
      digits[begin + d].rhs =
          tiling.rhs.distances[isLhs ? d : tiling.batch.getRank() + d];
  }
}

/// Sums of a vector are contiguous. If vectors are rows, the sums of a tile's
/// rows have no gaps: what a vector has beyond its line is overwritten by the
/// next line.
void DirectHostLoop::placeSums() {
  int64_t distance = 1;
  auto place = [&](size_t d, int64_t values) {
    digits[d].sums = distance;
    distance *= values;
  };
  size_t rowEnd = tiling.batch.getRank() + tiling.rows.getRank();
  size_t batchEnd = tiling.batch.getRank();
  auto placeAll = [&](size_t begin, size_t end, bool hasGaps) {
    for (size_t d = end; d-- > begin;)
      place(d, hasGaps ? digits[d].run * digits[d].count : digits[d].tile);
  };
  if (tiling.isAlongBatch) {
    placeAll(0, batchEnd, /*hasGaps=*/true);
    placeAll(batchEnd, rowEnd, /*hasGaps=*/true);
  } else {
    placeAll(batchEnd, rowEnd, /*hasGaps=*/false);
    distance += digits[along].run;
    placeAll(0, batchEnd, /*hasGaps=*/true);
  }
  placeAll(rowEnd, digits.size(), /*hasGaps=*/true);
  numSums = distance;
}

SmallVector<DirectHostLoop::Vector> DirectHostLoop::listVectors() const {
  SmallVector<Vector> all = {{0, 0, 0, 0}};
  for (auto [d, digit] : llvm::enumerate(digits)) {
    int64_t step = d == along ? lanes : 1;
    SmallVector<Vector> next;
    for (const Vector &each : all)
      for (int64_t i = 0; i < digit.run; i += step)
        next.push_back({each.lhs + i * digit.lhs, each.rhs + i * digit.rhs,
                        each.sums + i * digit.sums,
                        each.along + (d == along ? i * digit.lhs : 0)});
    all = std::move(next);
  }
  return all;
}

/// Lines of rows are one run if they are contiguous in the result: their sums
/// have no gaps.
void DirectHostLoop::joinLines() {
  int64_t contiguous =
      MatrixAccess(math, kernel.form.result).getInnermostSize(MatrixIndex::Row);
  while (firstOfRun > tiling.batch.getRank() &&
         digits[firstOfRun].tile == digits[firstOfRun].size &&
         runBlock * digits[firstOfRun - 1].size <= contiguous)
    runBlock *= digits[--firstOfRun].size;
}

DirectHostLoop::DirectHostLoop(Kernel &kernel, gpu::GPUFuncOp function,
                               const DirectTiling &tiling)
    : kernel(kernel), math(kernel.math), code(kernel, /*isRolled=*/true),
      tiling(tiling) {
  addDigits(tiling.batch, /*isLhs=*/true, /*isRhs=*/true);
  addDigits(tiling.rows, /*isLhs=*/true, /*isRhs=*/false);
  addDigits(tiling.columns, /*isLhs=*/false, /*isRhs=*/true);
  along = tiling.isAlongBatch ? tiling.batch.innermost
                              : tiling.batch.getRank() + tiling.rows.innermost;
  lanes = std::gcd(code.lanes, digits[along].run);
  lines = countHostLines(tiling, kernel.chip);
  if (lines > 1) {
    digits[along - 1].run = lines;
    digits[along - 1].count /= lines;
  }
  placeSums();
  vectors = listVectors();
  firstOfRun = along;
  runBlock = digits[along].size;
  if (!tiling.isAlongBatch)
    joinLines();
  auto createBox = [&](size_t index, const MatrixOperand &operand,
                       const TensorBox &box) {
    Value scratch = code.createScratch(function, index, code.getSumType(),
                                       box.numElements + code.lanes);
    return HostBox(code, operand, box, kernel.arguments[index], scratch);
  };
  lhs.emplace(createBox(0, kernel.form.lhs, tiling.lhs));
  rhs.emplace(createBox(1, kernel.form.rhs, tiling.rhs));
  // The last vector of results may go beyond the sums.
  sums =
      code.createScratch(function, 2, code.getSumType(), numSums + code.lanes);
}

Value DirectHostLoop::locate(ArrayRef<Value> values,
                             int64_t Digit::*distance) const {
  Value place = math.constant(0);
  for (auto [value, digit] : llvm::zip_equal(values, digits))
    place = math.add(place, math.mul(value, digit.*distance));
  return place;
}

/// Adds the products with `taps` neighbours of the reduction's innermost digit.
/// Neighbouring windows share most of their input, which is loaded once.
SmallVector<Value> DirectHostLoop::createLine(Value lhsPlace, Value rhsPlace,
                                              int64_t taps,
                                              ValueRange initial) const {
  size_t rank = tiling.reduction.getRank();
  size_t innermost = tiling.reduction.innermost;
  int64_t lhsTap = ArrayRef(tiling.lhs.distances).take_back(rank)[innermost];
  int64_t rhsTap = ArrayRef(tiling.rhs.distances).take_back(rank)[innermost];
  DenseMap<int64_t, Value> lhsLoaded, rhsLoaded;
  auto load = [&](const HostBox &box, Value base, int64_t place, int64_t step,
                  DenseMap<int64_t, Value> &loaded) {
    Value &elements = loaded[place];
    if (!elements)
      elements = box.load(math.add(base, place), step, lanes);
    return elements;
  };
  SmallVector<Value> results(initial);
  auto chains = int64_t(initial.size() / vectors.size());
  for (int64_t tap = 0; tap < taps; ++tap) {
    auto chain = MutableArrayRef(results).slice(tap % chains * vectors.size(),
                                                vectors.size());
    for (auto [vector, sum] : llvm::zip_equal(vectors, chain))
      sum = code.multiplyAdd(load(*lhs, lhsPlace, vector.lhs + tap * lhsTap,
                                  digits[along].lhs, lhsLoaded),
                             load(*rhs, rhsPlace, vector.rhs + tap * rhsTap,
                                  digits[along].rhs, rhsLoaded),
                             sum);
  }
  return results;
}

/// Adds the products with all taps of a line.
SmallVector<Value> DirectHostLoop::createRuns(Value lhsPlace, Value rhsPlace,
                                              ValueRange initial) const {
  size_t rank = tiling.reduction.getRank();
  size_t innermost = tiling.reduction.innermost;
  int64_t taps = tiling.reduction.digits[innermost];
  if (taps <= kMaxUnrolledTaps)
    return createLine(lhsPlace, rhsPlace, taps, initial);
  auto getPlaces = [&](Value tap) {
    auto move = [&](Value place, const TensorBox &box) {
      int64_t distance = ArrayRef(box.distances).take_back(rank)[innermost];
      return math.add(place, math.mul(tap, distance));
    };
    return std::pair(move(lhsPlace, tiling.lhs), move(rhsPlace, tiling.rhs));
  };
  int64_t whole = taps / kTapsOfRun * kTapsOfRun;
  auto loop = scf::ForOp::create(
      code.b, math.constant(0), math.constant(whole), math.constant(kTapsOfRun),
      initial, [&](OpBuilder &, Location, Value tap, ValueRange carried) {
        auto [left, right] = getPlaces(tap);
        scf::YieldOp::create(code.b,
                             createLine(left, right, kTapsOfRun, carried));
      });
  disableUnrolling(loop);
  auto [left, right] = getPlaces(math.constant(whole));
  return createLine(left, right, taps - whole, loop.getResults());
}

/// Adds the products with all taps to the sums of several lines. A vector of
/// the input is multiplied by the taps of all lines whose windows have it,
/// before the next one is loaded.
SmallVector<Value> DirectHostLoop::createSharedLines(Value lhsPlace,
                                                     Value rhsPlace,
                                                     ValueRange initial) const {
  struct Product {
    int64_t window; ///< The place of the input in the first vector of a line.
    int64_t along;
    int64_t rhs;
    size_t sum;
  };
  const DigitBox &reduction = tiling.reduction;
  size_t rank = reduction.getRank();
  auto lhsSteps = ArrayRef(tiling.lhs.distances).take_back(rank);
  auto rhsSteps = ArrayRef(tiling.rhs.distances).take_back(rank);
  SmallVector<Product> products;
  for (int64_t number = 0; number < llvm::product_of(reduction.digits);
       ++number) {
    int64_t left = 0, right = 0, rest = number;
    for (size_t d = rank; d-- > 0; rest /= reduction.digits[d]) {
      left += rest % reduction.digits[d] * lhsSteps[d];
      right += rest % reduction.digits[d] * rhsSteps[d];
    }
    for (auto [i, vector] : llvm::enumerate(vectors))
      products.push_back({vector.lhs - vector.along + left, vector.along,
                          vector.rhs + right, i});
  }
  llvm::sort(products, [](const Product &a, const Product &b) {
    auto order = [](const Product &each) {
      return std::tuple(each.window, each.along, each.sum, each.rhs);
    };
    return order(a) < order(b);
  });
  auto load = [&](const HostBox &box, Value base, int64_t place, int64_t step) {
    return box.load(math.add(base, place), step, lanes);
  };
  SmallVector<Value> results(initial);
  DenseMap<int64_t, Value> taps; // Of one window, which all its vectors share.
  Value input;
  const Product *last = nullptr;
  for (const Product &product : products) {
    bool isNewWindow = !last || last->window != product.window;
    if (isNewWindow)
      taps.clear();
    if (isNewWindow || last->along != product.along)
      input = load(*lhs, lhsPlace, product.window + product.along,
                   digits[along].lhs);
    Value &tap = taps[product.rhs];
    if (!tap)
      tap = load(*rhs, rhsPlace, product.rhs, digits[along].rhs);
    results[product.sum] = code.multiplyAdd(input, tap, results[product.sum]);
    last = &product;
  }
  return results;
}

/// The sums of a register tile: a loop over all but the innermost digit of the
/// reduction. Few vectors have several sums each (`countChains`).
SmallVector<Value> DirectHostLoop::createSums(ArrayRef<Value> local) const {
  const DigitBox &reduction = tiling.reduction;
  size_t rank = reduction.getRank();
  Type sum = getAccumulatorType(kernel.form.getOperandType());
  auto type = VectorType::get({lanes}, sum);
  Value zeros = arith::ConstantOp::create(code.b, code.b.getZeroAttr(type));
  if (lines > 1)
    return createSharedLines(
        math.add(locate(local, &Digit::lhs), math.constant(tiling.lhs.first)),
        math.add(locate(local, &Digit::rhs), math.constant(tiling.rhs.first)),
        SmallVector<Value>(vectors.size(), zeros));
  int64_t chains =
      countChains(*kernel.chip.calibration->host, int64_t(vectors.size()),
                  reduction.digits[reduction.innermost]);
  SmallVector<Value> initial(vectors.size() * chains, zeros);
  SmallVector<int64_t> outer(reduction.digits);
  outer[reduction.innermost] = 1;
  int64_t count = llvm::product_of(outer);
  auto createProducts = [&](Value number, ValueRange carried) {
    Value left =
        math.add(locate(local, &Digit::lhs), math.constant(tiling.lhs.first));
    Value right =
        math.add(locate(local, &Digit::rhs), math.constant(tiling.rhs.first));
    for (auto [value, leftStep, rightStep] :
         llvm::zip_equal(math.split(number, outer),
                         ArrayRef(tiling.lhs.distances).take_back(rank),
                         ArrayRef(tiling.rhs.distances).take_back(rank))) {
      left = math.add(left, math.mul(value, leftStep));
      right = math.add(right, math.mul(value, rightStep));
    }
    return createRuns(left, right, carried);
  };
  auto addChains = [&](ValueRange sums) {
    SmallVector<Value> totals(sums.take_front(vectors.size()));
    for (auto [i, sum] : llvm::enumerate(sums.drop_front(vectors.size()))) {
      Value &total = totals[i % vectors.size()];
      total = addSums(code.b, code.b.getLoc(), total, sum);
    }
    return totals;
  };
  if (count == 1)
    return addChains(createProducts(math.constant(0), initial));
  auto loop = scf::ForOp::create(
      code.b, math.constant(0), math.constant(count), math.constant(1), initial,
      [&](OpBuilder &, Location, Value number, ValueRange carried) {
        scf::YieldOp::create(code.b, createProducts(number, carried));
      });
  disableUnrolling(loop);
  return addChains(loop.getResults());
}

void DirectHostLoop::createTile(ArrayRef<Value> local) {
  Value place = locate(local, &Digit::sums);
  for (auto [vector, sum] : llvm::zip_equal(vectors, createSums(local)))
    code.store(sum, sums, math.add(place, vector.sums));
}

void DirectHostLoop::createTiles() {
  code.forEachDigit(
      llvm::map_to_vector(digits,
                          [&](const Digit &digit) {
                            return HostCode::DigitLoop{
                                math.constant(digit.count * digit.run),
                                digit.run};
                          }),
      [&](ArrayRef<Value> local) {
        // The next lines overwrite what vectors have beyond their line, so that
        // the ends of several lines come before their starts.
        SmallVector<Value> place(local);
        if (lines > 1)
          place[along] = math.sub(
              math.constant((digits[along].count - 1) * digits[along].run),
              place[along]);
        createTile(place);
      });
}

/// Values of a digit that the tile has.
Value DirectHostLoop::countValues(size_t number) const {
  const Digit &digit = digits[number];
  Value tile = math.constant(digit.tile);
  return digit.isClipped
             ? math.minimum(tile,
                            math.sub(math.constant(digit.size), first[number]))
             : tile;
}

TileOrigin DirectHostLoop::getElement(ArrayRef<Value> local) const {
  TileOrigin element = origin;
  for (auto [d, value] : llvm::enumerate(local)) {
    Value &index = d < tiling.batch.getRank() ? element.batch
                   : d < tiling.batch.getRank() + tiling.rows.getRank()
                       ? element.row
                       : element.column;
    index = math.add(index, math.mul(value, digits[d].index));
  }
  return element;
}

void DirectHostLoop::createRuns(const HostEpilogue &epilogue, Value outermost) {
  SmallVector<HostCode::DigitLoop> runs;
  for (size_t d = 0; d < digits.size(); ++d) {
    bool isOfRun = d >= firstOfRun && d <= along;
    runs.push_back(
        {isOfRun || digits[d].tile == 1 ? math.constant(1) : countValues(d)});
  }
  code.forEachDigit(runs, [&](ArrayRef<Value> local) {
    // The outermost digit of a run may be clipped; the others are whole.
    Value count = outermost;
    for (size_t d = firstOfRun + 1; d <= along; ++d)
      count = math.mul(count, digits[d].tile);
    Value place = locate(local, &Digit::sums);
    epilogue.create(getElement(local), count,
                    [&](Value step, int64_t elements) {
                      return code.load(sums, math.add(place, step), elements);
                    });
  });
}

/// Runs of channels are shorter only in the last tile. Others have a constant
/// length, and take half the time.
void DirectHostLoop::createResults(const HostEpilogue &epilogue) {
  const Digit &digit = digits[firstOfRun];
  Value count = countValues(firstOfRun);
  if (!tiling.isAlongBatch || digit.size % digit.tile == 0)
    return createRuns(epilogue, count);
  auto createFor = [&](Value outermost) {
    return [&, outermost](OpBuilder &, Location) {
      createRuns(epilogue, outermost);
      scf::YieldOp::create(code.b);
    };
  };
  Value all = math.constant(digit.tile);
  Value isWhole =
      arith::CmpIOp::create(code.b, arith::CmpIPredicate::eq, count, all);
  scf::IfOp::create(code.b, isWhole, createFor(all), createFor(count));
}

void DirectHostLoop::create() {
  origin = createGridScheduler(kernel.form)->createOrigin(kernel);
  Digits batch = math.split(origin.batch, tiling.batch.digits);
  Digits rows = math.split(origin.row, tiling.rows.digits);
  Digits columns(tiling.columns.getRank(), math.constant(0));
  Digits reduction(tiling.reduction.getRank(), math.constant(0));
  first = llvm::to_vector(llvm::concat<Value>(batch, rows, columns));
  lhs->copy(llvm::to_vector(llvm::concat<Value>(batch, rows, reduction)));
  rhs->copy(llvm::to_vector(llvm::concat<Value>(batch, columns, reduction)));
  createTiles();
  HostEpilogue epilogue(
      code, tiling.isAlongBatch ? MatrixIndex::Batch : MatrixIndex::Row,
      runBlock);
  createResults(epilogue);
}

LogicalResult mlir::conv::createDirectHostBody(Kernel &kernel,
                                               gpu::GPUFuncOp function) {
  FailureOr<DirectTiling> tiling = computeDirectTiling(kernel);
  if (failed(tiling))
    return failure();
  DirectHostLoop(kernel, function, *tiling).create();
  return success();
}

//===- DirectHostProducts.cpp - the sums of a register tile on the host ---===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register tile adds the products with one run of taps after another, in a
// loop over the rest of the reduction; or those of several lines at a time,
// which share the vectors of the input.
//
//===----------------------------------------------------------------------===//

#include "DirectHostLoop.h"

#include "../Parts/LoopUnrolling.h"
#include "../Parts/MultiplyAdd.h"
#include "DirectHostCost.h"
#include "TapRuns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::conv;

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

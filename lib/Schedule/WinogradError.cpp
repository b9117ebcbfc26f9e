//===- WinogradError.cpp - how far Winograd's results are off -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Roundings are counted, and what they apply to follows from the norms of the
// transforms (docs/numerics.md).
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Plan/WinogradForm.h"
#include "conv/Schedule/Schedule.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;

/// The most terms of a row that are not zero: each is rounded by at most so
/// many operations.
static int64_t countRoundings(const ::conv::RationalMatrix &matrix) {
  int64_t most = 0;
  for (const auto &row : matrix)
    most =
        std::max<int64_t>(most, llvm::count_if(row, [](::conv::Rational value) {
                            return !value.isZero();
                          }));
  return most;
}

/// Whether some f32 is not what the matrix has.
static bool isRounded(const ::conv::RationalMatrix &matrix) {
  return llvm::any_of(matrix, [](const auto &row) {
    return llvm::any_of(row, [](::conv::Rational value) {
      return !llvm::isPowerOf2_64(value.denominator());
    });
  });
}

/// How often a term of a sum of products is rounded, at most. A split-K slice
/// rounds it once for each of its products; then the slices are added up.
/// Slices are equal but for zeros, since tiles and channels are a single digit.
static int64_t countSumRoundings(int64_t products, ScheduleAttr schedule) {
  if (!schedule)
    return products;
  int64_t splits = schedule.getSplits();
  int64_t ofSlice = llvm::divideCeil(products, splits);
  return schedule.getAtom().getKind() == AtomKind::WGMMA3xTF32
             ? ::conv::count3xTF32Roundings(
                   llvm::divideCeil(ofSlice, ::conv::k3xTF32Step), splits)
             : ofSlice + splits - 1;
}

::conv::Accumulation
mlir::conv::getWinogradAccumulation(ConvolutionOpInterface op,
                                    ArrayRef<int64_t> outputTile,
                                    ScheduleAttr schedule) {
  int64_t roundings =
      countSumRoundings(countWinogradProducts(op, outputTile), schedule);
  for (const ::conv::WinogradMatrices &matrices :
       getWinogradMatrices(op, outputTile))
    roundings += countRoundings(matrices.input) +
                 countRoundings(matrices.filter) + isRounded(matrices.filter) +
                 countRoundings(matrices.output);
  return {roundings, ::conv::NumericType::F32};
}

/// The sums of the magnitudes of each row.
static std::vector<double> sumRows(const ::conv::RationalMatrix &matrix) {
  std::vector<double> sums;
  for (const auto &row : matrix) {
    double sum = 0;
    for (::conv::Rational value : row)
      sum += std::fabs(value.toDouble());
    sums.push_back(sum);
  }
  return sums;
}

/// The most that a result of one dimension sums up of operands of ones, by the
/// magnitudes of the matrices, over the elements of the filter.
static double getAmplification(const ::conv::WinogradMatrices &matrices) {
  std::vector<double> input = sumRows(matrices.input);
  std::vector<double> filter = sumRows(matrices.filter);
  double most = 0;
  for (const auto &row : matrices.output) {
    double sum = 0;
    for (size_t t = 0; t < row.size(); ++t)
      sum += std::fabs(row[t].toDouble()) * input[t] * filter[t];
    most = std::max(most, sum);
  }
  return most / matrices.filter.front().size();
}

double mlir::conv::getWinogradErrorFactor(ConvolutionOpInterface op,
                                          ArrayRef<int64_t> outputTile) {
  double factor = double(getWinogradAccumulation(op, outputTile).reduction) /
                  computeReduction(op);
  for (const ::conv::WinogradMatrices &matrices :
       getWinogradMatrices(op, outputTile))
    factor *= getAmplification(matrices);
  return factor;
}

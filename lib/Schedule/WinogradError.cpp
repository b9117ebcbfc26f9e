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
#include "conv/Kernels/KernelFamily.h"
#include "conv/Numerics/TransformRoundings.h"
#include "conv/Plan/WinogradForm.h"
#include "conv/Schedule/Schedule.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::conv;

/// The most of any row.
static int64_t
getMost(const ::conv::RationalMatrix &matrix,
        function_ref<int64_t(const ::conv::TransformRow &)> count) {
  int64_t most = 0;
  for (const auto &row : matrix) {
    ::conv::TransformRow elements;
    for (::conv::Rational element : row)
      elements.push_back(element.toDouble());
    most = std::max(most, count(elements));
  }
  return most;
}

/// Slices are equal but for zeros, since tiles and channels are a single digit.
static int64_t getSlice(int64_t products, ScheduleAttr schedule) {
  return llvm::divideCeil(products, schedule.getSplits());
}

/// How often a term of a sum of products is rounded, at most. A split-K slice
/// rounds it once for each of its products; then the slices are added up.
static int64_t countSumRoundings(int64_t products, ScheduleAttr schedule) {
  int64_t splits = schedule.getSplits();
  int64_t ofSlice = getSlice(products, schedule);
  return schedule.getAtom().getKind() == AtomKind::WGMMA3xTF32
             ? ::conv::count3xTF32Roundings(
                   llvm::divideCeil(ofSlice, ::conv::k3xTF32Step), splits)
             : ofSlice + splits - 1;
}

::conv::Accumulation
mlir::conv::getWinogradAccumulation(ConvolutionOpInterface op,
                                    ScheduleAttr schedule) {
  ArrayRef<int64_t> outputTile = schedule.getOutputTile();
  ::conv::Accumulation sum{
      countSumRoundings(countWinogradProducts(op, outputTile), schedule),
      ::conv::NumericType::F32};
  int64_t input = 0, filter = 0;
  for (const ::conv::WinogradMatrices &matrices :
       getWinogradMatrices(op, outputTile)) {
    input += getMost(matrices.input, ::conv::countTransformRoundings);
    filter += getMost(matrices.filter, ::conv::countTransformRoundings);
    sum.reduction += getMost(matrices.output, ::conv::countTransformRoundings);
  }
  sum.transforms = std::max(input, filter);
  sum.hasOrder = getWinogradOrder(op, schedule).unordered > 0;
  return sum;
}

SumOrder mlir::conv::getWinogradOrder(ConvolutionOpInterface op,
                                      ScheduleAttr schedule) {
  TargetAttr target = TargetAttr::lookup(op);
  int64_t slice =
      getSlice(countWinogradProducts(op, schedule.getOutputTile()), schedule);
  // Winograd's algorithm multiplies f32, whatever the operands' type.
  const ::conv::MatrixAtom *atom =
      target ? lookupAtom(target.getInfo(), schedule.getAtom(),
                          Float32Type::get(op.getContext()))
             : nullptr;
  if (!atom)
    return {0, slice};
  return {getKernelFamily(schedule).countUnordered(*atom), slice};
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
  int64_t operations = countWinogradProducts(op, outputTile);
  double amplification = 1;
  for (const ::conv::WinogradMatrices &matrices :
       getWinogradMatrices(op, outputTile)) {
    for (const auto *matrix :
         {&matrices.input, &matrices.filter, &matrices.output})
      operations += getMost(*matrix, ::conv::countTransformOperations);
    amplification *= getAmplification(matrices);
  }
  return double(operations) / computeReduction(op) * amplification;
}

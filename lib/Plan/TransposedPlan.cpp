//===- TransposedPlan.cpp - transposed products -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a window of one element, a convolution is one matrix product. If
// positions are innermost in memory, as in `NCW`, the transposed product has
// contiguous rows, in the input and in the result:
//
//                        positions (q)                      positions (q)
//   result of image n  [      k x q      ]  =  [ k x c ]  [      c x q      ]
//
// No tensor is transformed, and the result is stored by rows. The batch is the
// images, which share the filter.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "WindowFacts.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

/// Why a weight gradient, whose rows are taps of halo tiles, has no transpose.
static std::string findGradientObstacle(ConvolutionOpInterface op,
                                        ArrayRef<int64_t> haloTile) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (haloTile.empty() || shape.getRank() < int64_t(haloTile.size()))
    return llvm::formatv("expects halo tiles, in two or three spatial "
                         "dimensions, for a transposed gradient of a filter, "
                         "but got {0} in {1}",
                         haloTile.empty() ? "none" : printSizes(haloTile),
                         shape.getRank());
  bool hasOther = shape.groups != 1 ||
                  op.getLayouts().getInput().contains('G') ||
                  op.getPadding() != PaddingMode::Zeros ||
                  llvm::any_of(shape.strides, [](int64_t s) { return s != 1; });
  if (!hasOther)
    return "";
  return llvm::formatv(
      "expects one group, a window that moves by 1 and padding "
      "with zeros for a transposed gradient of a filter, but "
      "got {0} groups in \"{1}\", strides {2} and {3}",
      shape.groups, op.getLayouts().getInput(), printSizes(shape.strides),
      stringifyPaddingMode(op.getPadding()));
}

std::string mlir::conv::findTransposedObstacle(ConvolutionOpInterface op,
                                               ArrayRef<int64_t> haloTile) {
  // S20.
  if (op.getDirection() == Direction::BackwardWeight)
    return findGradientObstacle(op, haloTile);
  if (!haloTile.empty())
    return "expects no halo tiles for a transposed product, but got " +
           printSizes(haloTile);
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (shape.getRank() != 1 || !isPointwise(shape))
    return "expects one spatial dimension and a window of one element that "
           "moves by 1, without padding, for a transposed product, but got " +
           describeWindow(shape);
  if (shape.groups != 1 || op.getLayouts().getInput().contains('G'))
    return llvm::formatv("expects one group for a transposed product, but got "
                         "{0} in \"{1}\"",
                         shape.groups, op.getLayouts().getInput());
  return "";
}

void Planner::planTransposed() {
  bool isForward = direction == Direction::Forward;
  char rowLetter = isForward ? 'K' : 'C', summedLetter = isForward ? 'C' : 'K';
  TensorRole readRole = isForward ? TensorRole::Input : TensorRole::Output;
  StringRef readOrder = isForward ? layouts.getInput() : layouts.getOutput();
  StringRef writtenOrder = isForward ? layouts.getOutput() : layouts.getInput();
  int64_t rows = isForward ? shape.k : shape.c;
  int64_t summed = isForward ? shape.c : shape.k;
  int64_t positions = shape.output.front();
  MLIRContext *context = layouts.getContext();

  using Sizes = SmallVector<int64_t>;
  using Roles = SmallVector<DigitRole>;
  using Indices = llvm::SmallDenseMap<char, AffineExpr>;
  auto createView = [&](const Sizes &ofRows, const Sizes &ofColumns,
                        const Roles &roles, ArrayRef<AffineExpr> coordinates) {
    unsigned digits = 1 + ofRows.size() + ofColumns.size();
    return ViewAttr::get(context, Sizes{shape.n}, ofRows, ofColumns, roles,
                         AffineMap::get(digits, 0, coordinates, context),
                         Sizes(), PaddingMode::Zeros);
  };
  auto select = [](StringRef order, const Indices &indices) {
    return llvm::map_to_vector(
        order, [&](char letter) { return indices.lookup(letter); });
  };
  auto digit = [&](unsigned i) { return getAffineDimExpr(i, context); };

  // The filter takes the place of the input: the window moves over its rows as
  // if each were an image of one position.
  Sizes rowSizes = {rows}, reduction = {1, summed};
  AffineExpr image = digit(0);
  DigitRole row(llvm::toLower(rowLetter)), channel(llvm::toLower(summedLetter));
  DigitRole position(isForward ? 'q' : 'w');
  Roles resultRoles = {'n', row, position};
  ViewAttr lhs =
      createView(rowSizes, reduction, {'n', row, 's', channel},
                 select(layouts.getFilter(), {{rowLetter, digit(1)},
                                              {'S', digit(2)},
                                              {summedLetter, digit(3)}}));
  ViewAttr rhs =
      createView({positions}, reduction, {'n', position, 's', channel},
                 select(readOrder, {{'N', image},
                                    {'W', digit(1)},
                                    {'Q', digit(1)},
                                    {summedLetter, digit(3)}}));
  ViewAttr target = createView(rowSizes, {positions}, resultRoles,
                               select(writtenOrder, {{'N', image},
                                                     {'W', digit(2)},
                                                     {'Q', digit(2)},
                                                     {rowLetter, digit(1)}}));
  addProduct(
      {.product = MatrixProduct{TensorRole::Filter, readRole, lhs, rhs},
       .target = target,
       .channels = createView(rowSizes, {positions}, resultRoles, digit(1))});
}

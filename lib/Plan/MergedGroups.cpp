//===- MergedGroups.cpp - merges groups block-diagonally --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view of the filter makes it block-diagonal:
//
//                            channels of group 0   of group 1
//   filters of group 0   [        w                    0      ]
//   filters of group 1   [        0                    w      ]
//
// The element for filter block `i` and channel block `j` is at channel `c + (j
// - i) * C`. Unless `i == j`, that is out of bounds and reads zero.
//
//===----------------------------------------------------------------------===//

#include "MergedGroups.h"

#include "CopyMatrices.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

std::string mlir::conv::findMergeObstacle(ConvolutionOpInterface op,
                                          int64_t channels, Type operand) {
  int64_t groups = op.getGroups();
  int64_t own = ConvolutionShape::get(op).c / groups;
  if (channels % own != 0 || groups % (channels / own) != 0)
    return formatv("expects channel_multiple to be 1, or the channels of a "
                   "part of {0} groups of {1}, but got {2}",
                   groups, own, channels);
  if (op.getLayouts().getInput().contains('G'))
    return formatv("expects layouts without G for a channel_multiple of "
                   "groups, but got \"{0}\"",
                   op.getLayouts().getInput());
  Type element = op.getResultRole() == TensorRole::Filter
                     ? op.getResultType().getElementType()
                     : operand;
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return formatv("expects a filter of f32, f16 or bf16 for a "
                   "channel_multiple of groups, but got {0}",
                   element);
  return "";
}

namespace {
/// Digits of the result's elements, and their indices in both tensors.
struct MergedDigits {
  SmallVector<int64_t> rows, columns;
  llvm::SmallDenseMap<char, AffineExpr> inSource, inResult;
};
} // namespace

/// Creates the digits of the result, whose innermost dimension is the columns.
/// A filter has three digits: merged group, group in it, filter in the group. A
/// channel has a digit for its block, if the result has several, and one in it.
static MergedDigits createDigits(ConvolutionOpInterface op,
                                 RankedTensorType result, StringRef to,
                                 int64_t merged) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t filters = shape.k / shape.groups, channels = shape.c / shape.groups;
  MergedDigits digits;
  unsigned count = 1; // Digit 0 is the only place of a block.
  auto add = [&](char letter, int64_t size) {
    (letter == to.back() ? digits.columns : digits.rows).push_back(size);
    return getAffineDimExpr(count++, op.getContext());
  };
  AffineExpr block, channelBlock, channel;
  bool isWide = false;
  for (auto [letter, size] : llvm::zip(to, result.getShape())) {
    if (letter == 'K') {
      AffineExpr group = add(letter, shape.groups / merged);
      block = add(letter, merged);
      AffineExpr filter = add(letter, filters);
      digits.inResult['K'] = (group * merged + block) * filters + filter;
    } else if (letter == 'C') {
      isWide = size > channels;
      if (isWide)
        channelBlock = add(letter, merged);
      channel = add(letter, channels);
      digits.inResult['C'] =
          isWide ? channelBlock * channels + channel : channel;
    } else {
      digits.inResult[letter] = add(letter, size);
    }
  }
  digits.inSource = digits.inResult;
  digits.inSource['C'] =
      channel + (isWide ? channelBlock - block : block) * channels;
  return digits;
}

Value mlir::conv::createMergedFilter(OpBuilder &builder,
                                     ConvolutionOpInterface op, Value source,
                                     StringRef from, RankedTensorType result,
                                     StringRef to, int64_t merged) {
  MergedDigits digits = createDigits(op, result, to, merged);
  MLIRContext *context = op.getContext();
  auto createView = [&](StringRef order,
                        const llvm::SmallDenseMap<char, AffineExpr> &places) {
    SmallVector<AffineExpr> coordinates = llvm::map_to_vector(
        order, [&](char letter) { return places.lookup(letter); });
    unsigned count = 1 + digits.rows.size() + digits.columns.size();
    return ViewAttr::get(
        context, SmallVector<int64_t>{1}, digits.rows, digits.columns,
        AffineMap::get(count, 0, coordinates, context), {}, PaddingMode::Zeros);
  };
  return createBlockCopy(builder, op.getLoc(), source,
                         createView(from, digits.inSource), result,
                         createView(to, digits.inResult));
}

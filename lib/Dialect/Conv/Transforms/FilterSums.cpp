//===- FilterSums.cpp - sums of a constant filter's elements ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FilterSums.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::conv;

Taps::Taps(const RaisedConvolution &convolution) {
  LayoutsAttr layouts = convolution.layouts;
  auto sizes = [&](TensorRole role, StringRef order, StringRef letters) {
    return getSpatialSizes(order, convolution.getType(role).getShape(),
                           letters);
  };
  auto inputs = sizes(TensorRole::Input, layouts.getInput(), kInputLetters);
  auto filters = sizes(TensorRole::Filter, layouts.getFilter(), kFilterLetters);
  auto outputs = sizes(TensorRole::Output, layouts.getOutput(), kOutputLetters);
  WindowAttr window = convolution.window;
  bool isForward = convolution.direction == Direction::Forward;
  for (size_t d = 0; d < inputs.size(); ++d) {
    int64_t results = isForward ? outputs[d] : inputs[d];
    SmallVector<SmallVector<int64_t>> positions(results);
    for (int64_t output = 0; output < outputs[d]; ++output)
      for (int64_t tap = 0; tap < filters[d]; ++tap) {
        int64_t input = output * window.getStrides()[d] +
                        tap * window.getDilations()[d] - window.getLow()[d];
        if (input >= 0 && input < inputs[d])
          positions[isForward ? output : input].push_back(tap);
      }
    if (llvm::all_equal(positions))
      positions.truncate(1);
    met.push_back(std::move(positions));
  }
}

FilterSums::FilterSums(const RaisedConvolution &convolution, const Taps &taps,
                       SmallVector<int64_t> elements, int64_t channels)
    : sizes(getSpatialSizes(convolution.layouts.getFilter(),
                            convolution.getType(TensorRole::Filter).getShape(),
                            kFilterLetters)),
      sums(std::move(elements)), channels(channels) {
  for (size_t d = 0; d < sizes.size(); ++d)
    sumDimension(d, taps.met[d]);
}

/// Replaces the elements of the filter along a dimension by their sums at each
/// position.
void FilterSums::sumDimension(size_t d, ArrayRef<SmallVector<int64_t>> met) {
  int64_t inner =
      llvm::product_of(ArrayRef(sizes).drop_front(d + 1)) * channels;
  int64_t outer = llvm::product_of(ArrayRef(sizes).take_front(d));
  int64_t before = sizes[d], after = met.size();
  SmallVector<int64_t> result(outer * after * inner, 0);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t position = 0; position < after; ++position)
      for (int64_t tap : met[position])
        for (int64_t i = 0; i < inner; ++i)
          result[(o * after + position) * inner + i] +=
              sums[(o * before + tap) * inner + i];
  sizes[d] = after;
  sums = std::move(result);
}

Value FilterSums::create(OpBuilder &builder, Location loc, StringRef order,
                         char channel) const {
  StringRef letters = order.contains('Q') ? kOutputLetters : kInputLetters;
  letters = letters.take_back(sizes.size());
  // Maps the result's dimensions to those of the sums.
  SmallVector<int64_t> shape, strides;
  for (char letter : order) {
    size_t d = letters.find(letter);
    bool isSpatial = d != StringRef::npos;
    shape.push_back(isSpatial ? sizes[d] : letter == channel ? channels : 1);
    strides.push_back(
        isSpatial
            ? llvm::product_of(ArrayRef(sizes).drop_front(d + 1)) * channels
            : int64_t(letter == channel));
  }
  SmallVector<int32_t> elements;
  for (int64_t i = 0, end = sums.size(); i < end; ++i) {
    int64_t rest = i, source = 0;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      source += rest % shape[d] * strides[d];
    elements.push_back(static_cast<int32_t>(sums[source]));
  }
  auto type = RankedTensorType::get(shape, builder.getI32Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(elements)));
}

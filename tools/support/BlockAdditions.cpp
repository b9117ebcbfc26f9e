//===- BlockAdditions.cpp - what sums of products round ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockAdditions.h"

#include <algorithm>

using namespace conv;
using namespace conv::reference;

void BlockAdditions::endNeighbours() {
  if (neighbours == 0)
    return;
  for (size_t i = 0; i < slice.size(); ++i) {
    double before = slice[i], error = sums.errors.values[i];
    slice[i] += raised[i] - lowered[i];
    // One product is added and rounded at once. Of several neighbours, a
    // partial sum has some, with or without the slice; and instructions may
    // round each product before they add it.
    double rounded = std::fabs(slice[i]) + error;
    if (neighbours > 1) {
      double most =
          std::max({std::fabs(before + raised[i]),
                    std::fabs(before - lowered[i]), raised[i], lowered[i]});
      rounded = double(neighbours) * (most + error) + raised[i] + lowered[i];
    }
    if (isKnown())
      sums.rounded.values[i] += rounded;
    raised[i] = lowered[i] = 0;
  }
  neighbours = 0;
}

void BlockAdditions::endSlice() {
  for (size_t i = 0; i < slice.size(); ++i) {
    (slice[i] > 0 ? raisedSlices : loweredSlices)[i] += std::fabs(slice[i]);
    slice[i] = 0;
  }
  inSlice = 0;
  ++slices;
}

void BlockAdditions::endProduct() {
  if (++neighbours == order.unordered)
    endNeighbours();
  if (++inSlice == order.slice) {
    endNeighbours();
    endSlice();
  }
}

void BlockAdditions::end() {
  if (inSlice > 0) {
    endNeighbours();
    endSlice();
  }
  for (size_t i = 0; i < slice.size(); ++i) {
    sums.values.values[i] = raisedSlices[i] - loweredSlices[i];
    double most = std::max(raisedSlices[i], loweredSlices[i]);
    if (isKnown())
      sums.rounded.values[i] +=
          double(slices - 1) * (most + sums.errors.values[i]);
  }
}

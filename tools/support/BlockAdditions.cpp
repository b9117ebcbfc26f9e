//===- BlockAdditions.cpp - what sums of products round ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockAdditions.h"

#include <algorithm>
#include <cmath>

using namespace conv;
using namespace conv::reference;

void BlockAdditions::add(size_t first, int64_t count, double left,
                         const double *right, double leftMagnitude,
                         const double *rightMagnitudes) {
  double *up = &raised[first], *down = &lowered[first], *sum = &slice[first];
  double *errors = &sums.errors.values[first];
  double *rounded = &sums.rounded.values[first];
  if (order.unordered == 1) { // A product is added and rounded at once.
    for (int64_t i = 0; i < count; ++i) {
      double product = left * right[i];
      errors[i] += leftMagnitude * rightMagnitudes[i] - std::fabs(product);
      sum[i] += product;
      rounded[i] += computeLost(first + size_t(i), std::fabs(sum[i]));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    double product = left * right[i];
    errors[i] += leftMagnitude * rightMagnitudes[i] - std::fabs(product);
    up[i] += std::max(product, 0.0);
    down[i] += std::max(-product, 0.0);
  }
}

void BlockAdditions::endNeighbours() {
  if (neighbours == 0 || order.unordered == 1)
    return;
  double *up = raised.data(), *down = lowered.data(), *sum = slice.data();
  double *rounded = sums.rounded.values.data();
  // A partial sum has some of the neighbours, with or without those before
  // them; and instructions may round each product before they add it.
  for (size_t i = 0; i < slice.size(); ++i) {
    double most = std::max(
        std::max(std::fabs(sum[i] + up[i]), std::fabs(sum[i] - down[i])),
        std::max(up[i], down[i]));
    if (isKnown())
      rounded[i] += up[i] + down[i] + sums.errors.values[i] +
                    double(neighbours) * computeLost(i, most);
    sum[i] += up[i] - down[i];
    up[i] = down[i] = 0;
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
      sums.rounded.values[i] += double(slices - 1) * computeLost(i, most);
  }
}

//===- Im2colGeometry.cpp - the sizes behind an im2col tile -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read off the op once, for kernels of GPUs and of the host.
//
//===----------------------------------------------------------------------===//

#include "Im2colGeometry.h"

using namespace mlir;
using namespace mlir::conv;

Im2colGeometry::Im2colGeometry(Im2colOp im2col)
    : window(im2col.getWindow()),
      outputSizes(llvm::to_vector(im2col.getOutput())),
      filterSizes(llvm::to_vector(im2col.getFilter())) {
  ArrayRef<int64_t> shape = im2col.getInput().getType().getShape();
  inputSizes = llvm::to_vector(shape.drop_front().drop_back());
  channels = shape.back();
  pitches.assign(inputSizes.size(), channels);
  for (size_t d = inputSizes.size(); d-- > 1;)
    pitches[d - 1] = pitches[d] * inputSizes[d];
}

bool Im2colGeometry::canLeaveInput(size_t dimension) const {
  int64_t low = window.getLow()[dimension];
  int64_t last =
      (outputSizes[dimension] - 1) * window.getStrides()[dimension] - low +
      (filterSizes[dimension] - 1) * window.getDilations()[dimension];
  return low > 0 || last >= inputSizes[dimension];
}

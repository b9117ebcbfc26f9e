//===- ElementwiseShares.cpp - elements of a work-item ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels without a product wait for memory, so each work-item has enough
// elements to have many loads in flight.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseBody.h"

using namespace mlir;
using namespace mlir::conv;

/// The most elements of a work-item. Only many loads in flight can hide the
/// latency of loads.
static constexpr int64_t kElementsPerWorkItem = 4;
/// Loads of a work-item. If it adds many matrices, it has fewer elements.
static constexpr int64_t kLoadsPerWorkItem = 16;
/// Values in registers of a work-item that transforms blocks. Of 6 x 6 blocks
/// these are two elements each: 8 bytes of f32, or 4 bytes of 16-bit elements.
static constexpr int64_t kBlockValues = 72;

int64_t mlir::conv::countElementwiseElements(const TiledConvolution &form) {
  if (form.transformSchedule && form.transformSchedule.getElements() > 0)
    return form.transformSchedule.getElements();
  int64_t operands = std::max<int64_t>(1, form.epilogueOperands.size());
  if (!form.otherResults.empty()) {
    int64_t values = std::max<int64_t>(operands, form.getResults().size());
    return llvm::bit_floor<uint64_t>(
        std::clamp<int64_t>(kBlockValues / values, 1, kElementsPerWorkItem));
  }
  return llvm::bit_floor<uint64_t>(std::clamp<int64_t>(
      kLoadsPerWorkItem / operands, 1, kElementsPerWorkItem));
}

int64_t mlir::conv::countElementwiseShares(const TiledConvolution &form) {
  auto [batch, rows, columns] = form.getTile();
  return llvm::divideCeil(rows * columns, kElementwiseWorkItems *
                                              countElementwiseElements(form));
}

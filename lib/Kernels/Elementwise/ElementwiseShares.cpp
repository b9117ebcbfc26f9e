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
  return countElementwiseElements(
      std::max<int64_t>(1, form.epilogueOperands.size()),
      int64_t(form.getResults().size()));
}

int64_t mlir::conv::countElementwiseElements(int64_t operands,
                                             int64_t results) {
  if (results > 1) {
    int64_t values = std::max(operands, results);
    return llvm::bit_floor<uint64_t>(
        std::clamp<int64_t>(kBlockValues / values, 1, kElementsPerWorkItem));
  }
  return llvm::bit_floor<uint64_t>(std::clamp<int64_t>(
      kLoadsPerWorkItem / operands, 1, kElementsPerWorkItem));
}

int64_t mlir::conv::countElementwiseShares(const std::array<int64_t, 3> &tile,
                                           int64_t elements) {
  return llvm::divideCeil(tile[1] * tile[2], kElementwiseWorkItems * elements);
}

int64_t mlir::conv::countElementwiseShares(const TiledConvolution &form) {
  return countElementwiseShares(form.getTile(), countElementwiseElements(form));
}

bool mlir::conv::streamsElements(const TiledConvolution &form,
                                 const ::conv::ChipInfo &chip) {
  return chip.obeysScheduleFences() && form.transformSchedule &&
         form.transformSchedule.getElements() > 0;
}

int64_t mlir::conv::countSharingWorkgroups(const TiledConvolution &form,
                                           const ::conv::ChipInfo &chip) {
  return streamsElements(form, chip) ? 1 : countElementwiseShares(form);
}

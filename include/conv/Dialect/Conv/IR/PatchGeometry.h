//===- PatchGeometry.h - products of patches with a filter ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says whether the patch_buffer main loop can compute a matrix product, and
// how: asked when a schedule is chosen, and again when its kernel is built.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_PATCHGEOMETRY_H
#define CONV_DIALECT_CONV_IR_PATCHGEOMETRY_H

#include "conv/Dialect/Conv/IR/PatchTile.h"
#include "conv/Dialect/Conv/IR/TmaGeometry.h"

namespace mlir::conv {

struct PatchGeometry {
  TmaGeometry product; ///< Without a filter: it may have any layout.
  TmaResult result;
};

/// The geometry of `result = lhs * transpose(rhs)`; or none, and in `obstacle`
/// what a buffer of patches needs, as "expects ..., but got ...".
std::optional<PatchGeometry> computePatchGeometry(const ViewedTensor &lhs,
                                                  const ViewedTensor &rhs,
                                                  const ViewedTensor &result,
                                                  std::string &obstacle);

/// The tile of a schedule whose main loop is `patch_buffer`.
::conv::PatchTile getPatchTile(ScheduleAttr schedule,
                               const PatchGeometry &geometry);

/// Why the schedule's buffers cannot be had; empty if they can.
std::string checkPatches(const PatchGeometry &geometry, ScheduleAttr schedule,
                         const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_PATCHGEOMETRY_H

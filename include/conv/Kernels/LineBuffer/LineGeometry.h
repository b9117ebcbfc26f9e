//===- LineGeometry.h - a product as a line buffer sees it ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether the left operand of a matrix product are windows on whole lines of
// images: asked when a schedule is chosen, and again when its kernel is built.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_LINEBUFFER_LINEGEOMETRY_H
#define CONV_KERNELS_LINEBUFFER_LINEGEOMETRY_H

#include "conv/Kernels/LineBuffer/LineGradientTile.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

struct LineGeometry {
  TmaGeometry product; ///< Without a filter: it may have any layout.
  ::conv::LineWindow window;
  TmaResult result;
};

/// The geometry of `result = lhs * transpose(rhs)`; or none, and in `obstacle`
/// what a line buffer needs, as "expects ..., but got ...".
std::optional<LineGeometry> computeLineGeometry(const ViewedTensor &lhs,
                                                const ViewedTensor &rhs,
                                                const ViewedTensor &result,
                                                std::string &obstacle);

/// The tile of a schedule whose main loop is `line_buffer`, if windows are on
/// the left or if their positions are reduced.
::conv::LineTile getLineTile(ScheduleAttr schedule,
                             const LineGeometry &geometry);
::conv::LineGradientTile getLineGradientTile(ScheduleAttr schedule,
                                             const LineGeometry &geometry);

/// Why the schedule's line buffers cannot be had; empty if they can.
std::string checkLines(const LineGeometry &geometry, ScheduleAttr schedule,
                       const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_KERNELS_LINEBUFFER_LINEGEOMETRY_H

//===- LineGeometry.h - a product as a line buffer sees it ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says whether the left operand of a matrix product is windows on whole image
// rows: asked when a schedule is chosen, and again when its kernel is built.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_LINEBUFFER_LINEGEOMETRY_H
#define CONV_KERNELS_LINEBUFFER_LINEGEOMETRY_H

#include "conv/Kernels/LineBuffer/LineGradientTile.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"

namespace mlir::conv {

struct LineGeometry {
  TmaGeometry product; ///< Without a filter, which may have any layout.
  ::conv::LineWindow window;
  TmaResult result;
};

/// The geometry of `result = lhs * transpose(rhs)`; or none, and `obstacle`
/// says what a line buffer needs, as "expects ..., but got ...".
std::optional<LineGeometry> computeLineGeometry(const ViewedTensor &lhs,
                                                const ViewedTensor &rhs,
                                                const ViewedTensor &result,
                                                std::string &obstacle);

/// The tile of a `line_buffer` schedule, if the left operand has the window or
/// if positions are reduced.
::conv::LineTile getLineTile(ScheduleAttr schedule,
                             const LineGeometry &geometry);
::conv::LineGradientTile getLineGradientTile(ScheduleAttr schedule,
                                             const LineGeometry &geometry);

/// Why the schedule's line buffers are impossible; empty if they are possible.
std::string checkLines(const LineGeometry &geometry, ScheduleAttr schedule,
                       const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_KERNELS_LINEBUFFER_LINEGEOMETRY_H

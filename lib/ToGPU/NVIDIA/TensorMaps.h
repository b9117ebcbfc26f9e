//===- TensorMaps.h - tensor maps of a tma kernel -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_NVIDIA_TENSORMAPS_H
#define CONV_LIB_TOGPU_NVIDIA_TENSORMAPS_H

#include "conv/Dialect/Conv/IR/TmaGeometry.h"
#include "conv/Dialect/Conv/IR/TmaTile.h"

namespace mlir::conv {

/// Boxes of a step's tile of the left operand: `pixels` windows, one tap, and
/// as many channels as a row of the tile has.
TensorMapAttr createLeftMap(MLIRContext *context, const TmaGeometry &geometry,
                            const ::conv::TmaTile &tile);
/// Boxes of a step's tile of the right operand: one tap of all channels of the
/// tile; if it is transposed, of a row of them.
TensorMapAttr createRightMap(MLIRContext *context, const TmaGeometry &geometry,
                             const ::conv::TmaTile &tile);
/// Boxes of the result: dimensions are channels and rows.
TensorMapAttr createResultMap(MLIRContext *context, const TmaGeometry &geometry,
                              const ::conv::TmaTile &tile);

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_NVIDIA_TENSORMAPS_H

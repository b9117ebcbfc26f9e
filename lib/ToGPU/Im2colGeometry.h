//===- Im2colGeometry.h - the sizes behind an im2col tile -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TOGPU_IM2COLGEOMETRY_H
#define CONV_LIB_TOGPU_IM2COLGEOMETRY_H

#include "conv/Dialect/Conv/IR/TiledForm.h"

namespace mlir::conv {

/// What decoding a pixel or a filter element takes. Lists have one entry per
/// spatial dimension, outermost first.
struct Im2colGeometry {
  explicit Im2colGeometry(Im2colOp im2col);

  /// Whether some window reaches outside of the input in `dimension`.
  bool canLeaveInput(size_t dimension) const;

  WindowAttr window;
  SmallVector<int64_t> inputSizes, outputSizes, filterSizes;
  SmallVector<int64_t> pitches; ///< Elements between spatial neighbours.
  int64_t channels;
};

} // namespace mlir::conv

#endif // CONV_LIB_TOGPU_IM2COLGEOMETRY_H

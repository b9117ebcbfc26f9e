//===- HostCalibration.h - costs of kernels of the host ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the instructions of a thread cost (`lib/Kernels/Host`, and
// `lib/Kernels/Direct` on the host).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_HOSTCALIBRATION_H
#define CONV_CHIP_HOSTCALIBRATION_H

#include <cstdint>
#include <span>

namespace conv {

/// Instructions are counted; two of a kind are issued in a cycle.
struct HostCalibration {
  double ports;         ///< Loads, and products, that are issued in a cycle.
  double latencyCycles; ///< From a sum to the next one that needs it.
  /// Instructions around a run that is copied, a register tile, and a run of
  /// results; and of each vector of results. They were chosen for the order of
  /// schedules of ten depthwise layers (MobileNetV3 and ConvNeXt) on an EPYC.
  double copiedRunInstructions;
  double registerTileInstructions;
  double resultRunInstructions;
  double resultInstructions;
  /// Instructions of products of matrices, which are assumed: of each vector
  /// that is copied, as it is or with a mask of what is in the tensor, of each
  /// element that is transposed, as it is or with a mask, or loaded alone, and
  /// of each vector of a panel, which comes from the second cache.
  double copiedInstructions;
  double maskedInstructions;
  double panelInstructions;
  double transposedInstructions;
  double maskedLineInstructions;
  double gatheredInstructions;
  double beyondFirstCache; ///< Factor for tiles larger than the first cache.
  /// The most of the first cache that a panel of the wide operand takes; the
  /// rest is for the narrow operand and sums. Assumed.
  double panelShare;
  /// Sizes of tiles that are ranked: rows of the narrow operand, and panels of
  /// the wide one. Assumed; larger tiles do not fit the second cache.
  std::span<const int64_t> narrowRows, widePanels;
};

} // namespace conv

#endif // CONV_CHIP_HOSTCALIBRATION_H

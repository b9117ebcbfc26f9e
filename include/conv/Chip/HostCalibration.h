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
  /// Instructions around a run that is copied to a box, or to a tile of a
  /// product of matrices, around a register tile, and around a run of results;
  /// and of each vector of results. They were chosen for the order of schedules
  /// of eight depthwise layers (MobileNetV3 and ConvNeXt) on a thread of an
  /// EPYC.
  double boxRunInstructions;
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
  /// Instructions until a run of a row is found in memory. Assumed.
  double placeInstructions;
  /// Rows that are located together take as long as so many others. Assumed.
  double placesTogether;
  /// Bytes that a thread moves in a cycle when it transforms an operand.
  double transformBytes;
  /// Bytes that a thread moves in a cycle when it transforms an operand that
  /// does not fit the second caches of the threads. Chosen for filters of 2.6
  /// to 19 MB, both copies, on a thread of a Xeon with 2 MiB: 9 to 18 GB/s.
  double farTransformBytes;
  /// Cycles of a vector of a box, in a tile that is larger than the first
  /// cache. Chosen for the order of the same schedules.
  double beyondFirstCache;
  /// The part of these that is added where a tile fits the first cache, but not
  /// beside the input that passes through it when it is copied: so much if all
  /// of the input does not fit. Chosen for 48 depthwise layers on a thread of a
  /// Xeon with AVX-512; 0.5 chooses tiles that are too large.
  double besideInput;
  /// Cycles of a run of a box that is contiguous in memory, in an operand of
  /// a filter gradient that does not fit the second cache. Chosen for the order
  /// of the schedules of seven depthwise layers in channels last, on a thread
  /// of a Xeon with AVX-512 and 2 MiB of second cache.
  double farRunCycles;
  /// The most of the first cache that a panel of the wide operand takes; the
  /// rest is for the narrow operand and sums. Assumed.
  double panelShare;
  /// Sizes of tiles that are ranked: rows of the narrow operand, and panels of
  /// the wide one. Assumed; larger tiles do not fit the second cache.
  std::span<const int64_t> narrowRows, widePanels;
};

} // namespace conv

#endif // CONV_CHIP_HOSTCALIBRATION_H

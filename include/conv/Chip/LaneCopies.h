//===- LaneCopies.h - copies to LDS in the order of lanes -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some AMD chips copy from global memory to LDS without registers ("direct to
// LDS"). Lanes cannot choose where their parts arrive: those of a subgroup lie
// side by side, in the order of lanes, behind an address that they share. Lanes
// whose source is out of range write zeros.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_LANECOPIES_H
#define CONV_CHIP_LANECOPIES_H

#include "conv/Chip/Chip.h"

namespace conv {

/// What a chip has of such copies.
struct LaneCopies {
  int bytes; ///< Of a lane.
  /// Reads of LDS transpose blocks of 16-bit elements, so that tiles need not
  /// have the reduction innermost.
  bool hasTransposingReads;
};

/// Null for chips without them. Copies of 4 bytes (gfx9) are left out: they
/// take four times the instructions.
const LaneCopies *lookupLaneCopies(const ChipInfo &chip);

} // namespace conv

#endif // CONV_CHIP_LANECOPIES_H

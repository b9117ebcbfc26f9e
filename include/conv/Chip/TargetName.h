//===- TargetName.h - targets as users write them ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CHIP_TARGETNAME_H
#define CONV_CHIP_TARGETNAME_H

#include "conv/Chip/Chip.h"
#include "conv/Support/Result.h"

#include <string>

namespace conv {

/// A chip that code is compiled for, or its simulator.
struct TargetName {
  std::string name; ///< "gfx942", "sim:gfx942", "host", ...
  const ChipInfo *chip = nullptr;
  bool simulated = false;
};

/// Reads a target as users and tools write it: with blanks around it, and with
/// what rocminfo prints around an AMD chip. `amdgcn-amd-amdhsa--gfx942:xnack-`
/// is gfx942, whose code runs with any setting of these features. The error for
/// an unknown name suggests the intended one, or what runs on such a chip.
Result<TargetName> parseTargetName(const std::string &text);

} // namespace conv

#endif // CONV_CHIP_TARGETNAME_H

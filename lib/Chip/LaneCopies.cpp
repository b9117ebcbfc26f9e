//===- LaneCopies.cpp - chips that copy in the order of lanes -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's AMDGPU back end (VMEMToLDSLoad and transposing LDS loads) has for
// gfx950 alone buffer_load_dwordx4 with `lds` and ds_read_b64_tr_b16.
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/LaneCopies.h"

using namespace conv;

const LaneCopies *conv::lookupLaneCopies(const ChipInfo &chip) {
  static constexpr LaneCopies gfx950 = {.bytes = 16,
                                        .hasTransposingReads = true};
  return chip.name == "gfx950" ? &gfx950 : nullptr;
}

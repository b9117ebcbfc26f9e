//===- CrossLaneOps.cpp - data from lane to lane --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that move data between the lanes of a wave. They work on
// bytes, so one handler serves every type. An inactive lane supplies
// nothing.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"

#include <bit>
#include <cstring>

namespace conv::runtime::sim {

namespace {

constexpr uint32_t noLane = ~0u;

void copyOperand(const WaveOp &op, uint32_t to, uint32_t from, unsigned index) {
  memcpy(&op.result<uint8_t>(to), &op.operand<uint8_t>(from, index),
         op.site->resultBytes);
}

void clearResult(const WaveOp &op, uint32_t lane) {
  memset(&op.result<uint8_t>(lane), 0, op.site->resultBytes);
}

/// Calls `body(lane)` for the active lanes.
template <typename Body> void forEachLane(const WaveOp &op, Body body) {
  for (uint64_t rest = op.active; rest; rest &= rest - 1)
    body(uint32_t(std::countr_zero(rest)));
}

/// The lane that `lane` reads with this DPP control word; `noLane` where the
/// pattern leaves the row or wave. An unknown control sets the failure.
uint32_t selectDppLane(WaveOp &op, uint32_t control, uint32_t lane) {
  uint32_t row = lane & ~15u, inRow = lane & 15, amount = control & 15;
  uint32_t lastLane = op.waveSize - 1;
  if (control <= 0xff) // quad_perm
    return (lane & ~3u) + (control >> 2 * (lane & 3) & 3);
  if (control > 0x100 && control <= 0x10f) // row_shl
    return inRow + amount < 16 ? lane + amount : noLane;
  if (control > 0x110 && control <= 0x11f) // row_shr
    return inRow >= amount ? lane - amount : noLane;
  if (control > 0x120 && control <= 0x12f) // row_ror
    return row + (inRow - amount & 15);
  if (control >= 0x150 && control <= 0x15f) // row_share, row_newbcast
    return row + amount;
  if (control >= 0x160 && control <= 0x16f) // row_xmask
    return row + (inRow ^ amount);
  switch (control) {
  case 0x130: // wave_shl
    return lane < lastLane ? lane + 1 : noLane;
  case 0x134: // wave_rol
    return (lane + 1) & lastLane;
  case 0x138: // wave_shr
    return lane > 0 ? lane - 1 : noLane;
  case 0x13c: // wave_ror
    return (lane - 1) & lastLane;
  case 0x140: // row_mirror
    return row + 15 - inRow;
  case 0x141: // row_half_mirror
    return (lane & ~7u) + 7 - (lane & 7);
  case 0x142: // row_bcast15
    return row > 0 ? row - 1 : noLane;
  case 0x143: // row_bcast31
    return lane >= 32 ? 31 : noLane;
  default:
    op.failure = "unknown DPP control";
    return noLane;
  }
}

/// Operands from `first`: source, control, row mask, bank mask, bound control.
/// `keepOld` writes the value of a lane that receives nothing.
template <typename KeepOld>
void applyDpp(WaveOp &op, unsigned first, KeepOld keepOld) {
  uint32_t control = op.uniform<uint32_t>(first + 1);
  uint32_t rowMask = op.uniform<uint32_t>(first + 2);
  uint32_t bankMask = op.uniform<uint32_t>(first + 3);
  bool boundControl = op.uniform<uint8_t>(first + 4) & 1;
  forEachLane(op, [&](uint32_t lane) {
    bool isEnabled =
        (rowMask >> lane / 16 & 1) && (bankMask >> lane % 16 / 4 & 1);
    uint32_t source = selectDppLane(op, control, lane);
    if (!isEnabled)
      keepOld(lane);
    else if (source != noLane && op.isActive(source))
      copyOperand(op, lane, source, first);
    else if (boundControl)
      clearResult(op, lane);
    else
      keepOld(lane);
  });
}

/// permlane16 and permlanex16: old, source, selector low and high, fetch
/// inactive, bound control. `rowFlip` is 16 to read from the other row.
void applyPermlane(WaveOp &op, uint32_t rowFlip) {
  bool fetchInactive = op.uniform<uint8_t>(4) & 1;
  bool boundControl = op.uniform<uint8_t>(5) & 1;
  uint64_t selector =
      op.uniform<uint32_t>(2) | uint64_t(op.uniform<uint32_t>(3)) << 32;
  forEachLane(op, [&](uint32_t lane) {
    uint32_t source =
        ((lane & ~15u) ^ rowFlip) + uint32_t(selector >> 4 * (lane & 15) & 15);
    if (op.isActive(source) || fetchInactive)
      copyOperand(op, lane, source, 1);
    else if (boundControl)
      clearResult(op, lane);
    else
      copyOperand(op, lane, lane, 0);
  });
}

/// The swaps of gfx950: the first operand of lanes with bit `distance` set and
/// the second operand of lanes with it clear change places.
void applySwap(WaveOp &op, uint32_t distance) {
  forEachLane(op, [&](uint32_t lane) {
    auto *result = &op.result<uint32_t>(lane);
    bool isUpper = lane & distance;
    result[0] = isUpper ? op.operand<uint32_t>(lane - distance, 1)
                        : op.operand<uint32_t>(lane, 0);
    result[1] = isUpper ? op.operand<uint32_t>(lane, 1)
                        : op.operand<uint32_t>(lane + distance, 0);
  });
}

} // namespace

void waveBarrier(WaveOp &) {}

void readFirstLane(WaveOp &op) {
  uint32_t source = op.firstActive();
  forEachLane(op, [&](uint32_t lane) { copyOperand(op, lane, source, 0); });
}

void readLane(WaveOp &op) {
  uint32_t source = op.uniform<uint32_t>(1) % op.waveSize;
  forEachLane(op, [&](uint32_t lane) { copyOperand(op, lane, source, 0); });
}

/// Operands: value, lane, old.
void writeLane(WaveOp &op) {
  uint32_t target = op.uniform<uint32_t>(1) % op.waveSize;
  uint32_t first = op.firstActive();
  forEachLane(op, [&](uint32_t lane) {
    if (lane == target)
      copyOperand(op, lane, first, 0);
    else
      copyOperand(op, lane, lane, 2);
  });
}

void ballot(WaveOp &op) {
  uint64_t votes = 0;
  forEachLane(op, [&](uint32_t lane) {
    votes |= uint64_t(op.operand<uint8_t>(lane, 0) & 1) << lane;
  });
  forEachLane(op, [&](uint32_t lane) {
    memcpy(&op.result<uint8_t>(lane), &votes, op.site->resultBytes);
  });
}

/// Operands: byte address of the source lane, data.
void dsBpermute(WaveOp &op) {
  forEachLane(op, [&](uint32_t lane) {
    uint32_t source = op.operand<uint32_t>(lane, 0) / 4 % op.waveSize;
    if (op.isActive(source))
      copyOperand(op, lane, source, 1);
    else
      clearResult(op, lane);
  });
}

/// Operands: byte address of the target lane, data. The highest lane wins.
void dsPermute(WaveOp &op) {
  forEachLane(op, [&](uint32_t lane) { clearResult(op, lane); });
  forEachLane(op, [&](uint32_t lane) {
    uint32_t target = op.operand<uint32_t>(lane, 0) / 4 % op.waveSize;
    if (op.isActive(target))
      copyOperand(op, target, lane, 1);
  });
}

/// Operands: data, pattern.
void dsSwizzle(WaveOp &op) {
  uint32_t pattern = op.uniform<uint32_t>(1);
  if (pattern >= 0xc000) {
    op.failure = "rotating and FFT patterns are not modelled";
    return;
  }
  forEachLane(op, [&](uint32_t lane) {
    uint32_t source;
    if (pattern & 0x8000) {
      source = (lane & ~3u) + (pattern >> 2 * (lane & 3) & 3);
    } else {
      uint32_t inHalf = lane & 31;
      inHalf = ((inHalf & pattern) | pattern >> 5) ^ pattern >> 10;
      source = (lane & ~31u) + (inHalf & 31);
    }
    if (op.isActive(source))
      copyOperand(op, lane, source, 0);
    else
      clearResult(op, lane);
  });
}

void updateDpp(WaveOp &op) {
  applyDpp(op, 1, [&](uint32_t lane) { copyOperand(op, lane, lane, 0); });
}

void movDpp(WaveOp &op) {
  applyDpp(op, 0, [&](uint32_t lane) { clearResult(op, lane); });
}

/// Operands: data, eight selectors of three bits.
void movDpp8(WaveOp &op) {
  uint32_t selectors = op.uniform<uint32_t>(1);
  forEachLane(op, [&](uint32_t lane) {
    uint32_t source = (lane & ~7u) + (selectors >> 3 * (lane & 7) & 7);
    if (op.isActive(source))
      copyOperand(op, lane, source, 0);
    else
      clearResult(op, lane);
  });
}

void permlane16(WaveOp &op) { applyPermlane(op, 0); }
void permlanex16(WaveOp &op) { applyPermlane(op, 16); }
void permlane16Swap(WaveOp &op) { applySwap(op, 16); }
void permlane32Swap(WaveOp &op) { applySwap(op, 32); }

void permlane64(WaveOp &op) {
  forEachLane(op, [&](uint32_t lane) {
    copyOperand(op, lane, op.waveSize == 64 ? lane ^ 32 : lane, 0);
  });
}

} // namespace conv::runtime::sim

//===- MemoryOps.cpp - memory moved by whole waves ------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads that write to LDS instead of registers, and loads that transpose. Their
// accesses are checked and counted like accesses of single lanes.
//
//===----------------------------------------------------------------------===//

#include "Observer.h"
#include "Operations.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace conv::runtime::sim {

namespace {

WorkItem &itemOf(const WaveOp &op, uint32_t lane) {
  return *static_cast<WorkItem *>(op.items[lane]);
}

template <typename Body> void forEachLane(const WaveOp &op, Body body) {
  for (uint64_t rest = op.active; rest; rest &= rest - 1)
    body(uint32_t(std::countr_zero(rest)));
}

bool announce(WorkItem &item, const abi::Site *site, abi::SiteKind kind,
              uint32_t bytes, uint64_t address) {
  Observer::WaveAccess access = {site, kind, bytes, std::min(bytes, 4u)};
  return item.group->getObserver().accessForWave(item, access, address);
}

void copyBytes(uint64_t to, uint64_t from, uint32_t bytes) {
  memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from),
         bytes);
}

/// The LDS address that the instruction takes from a scalar register; each lane
/// writes after the previous lane.
bool getLdsBase(WaveOp &op, uint64_t &base) {
  base = op.uniform<uint64_t>(1);
  forEachLane(op, [&](uint32_t lane) {
    if (op.operand<uint64_t>(lane, 1) != base)
      op.failure = "the LDS address differs between lanes";
  });
  uint32_t bytes = op.uniform<uint32_t>(2);
  bool isWide = bytes == 12 || bytes == 16;
  if (bytes != 4 && !(isWide && op.chip->ldsBanks == 64))
    op.failure = "the chip does not move so many bytes a lane";
  return !op.failure;
}

/// Loads `bytes` for every lane and writes `columns` of the square that they
/// form: lane l receives element `column` of the lanes that hold the rows.
template <typename Element, typename SourceOf>
void loadTransposed(WaveOp &op, SourceOf sourceOf) {
  constexpr uint32_t maxPerLane = 16;
  uint32_t bytes = op.site->resultBytes;
  Element loaded[64][maxPerLane];
  bool isFine = true;
  forEachLane(op, [&](uint32_t lane) {
    uint64_t address = op.operand<uint64_t>(lane, 0);
    isFine = isFine && announce(itemOf(op, lane), op.site, abi::SiteKind::Load,
                                bytes, address);
    if (isFine)
      memcpy(loaded[lane], reinterpret_cast<const void *>(address), bytes);
  });
  if (!isFine)
    return;
  forEachLane(op, [&](uint32_t lane) {
    for (uint32_t j = 0; j < bytes / sizeof(Element); ++j) {
      auto [source, element] = sourceOf(lane, j);
      (&op.result<Element>(lane))[j] = loaded[source][element];
    }
  });
}

bool needsWholeWave(WaveOp &op) {
  uint64_t all = op.waveSize == 64 ? ~0ull : (1ull << op.waveSize) - 1;
  if (op.active != all)
    op.failure = "needs all lanes of the wave";
  return op.active == all;
}

struct Source {
  uint32_t lane, element;
};

} // namespace

/// Operands: global pointer, LDS pointer, bytes, offset, cache policy.
void globalLoadLds(WaveOp &op) {
  uint64_t ldsBase;
  if (!getLdsBase(op, ldsBase))
    return;
  uint32_t bytes = op.uniform<uint32_t>(2);
  int32_t offset = op.uniform<int32_t>(3);
  bool isFine = true;
  forEachLane(op, [&](uint32_t lane) {
    uint64_t from = op.operand<uint64_t>(lane, 0) + int64_t(offset);
    uint64_t to = ldsBase + int64_t(offset) + uint64_t(lane) * bytes;
    isFine =
        isFine &&
        announce(itemOf(op, lane), op.site, abi::SiteKind::Load, bytes, from) &&
        announce(itemOf(op, lane), op.site, abi::SiteKind::Store, bytes, to);
    if (isFine)
      copyBytes(to, from, bytes);
  });
}

/// Whether a kernel of the launch waits for copies explicitly. Otherwise copies
/// arrive at once, since LLVM waits before it reads what they may have written.
static bool waitsForCopies(const LaunchState &launch) {
  const abi::Object &object = *launch.object;
  return std::any_of(object.sites, object.sites + object.siteCount,
                     [](const abi::Site &site) {
                       return strcmp(site.name, "s.waitcnt") == 0;
                     });
}

/// The words that a lane of a buffer load receives. Each word is checked on its
/// own; words out of range are zero. False after a failure.
static bool loadWords(WorkItem &item, const abi::Site *site,
                      const abi::Resource &resource, uint64_t offset,
                      PendingCopy &copy) {
  copy.data.fill(0);
  for (uint32_t byte = 0; byte < copy.bytes; byte += 4) {
    if (offset + byte + 4 > resource.numRecords) {
      if (item.group->getLaunch().options->counters && byte == 0)
        ++item.group->getCounters().bufferOutOfRange;
      continue;
    }
    uint64_t from = resource.base + offset + byte;
    if (!announce(item, site, abi::SiteKind::Load, 4, from))
      return false;
    memcpy(copy.data.data() + byte, reinterpret_cast<const void *>(from), 4);
  }
  return true;
}

static void arrive(const PendingCopy &copy) {
  memcpy(reinterpret_cast<void *>(copy.to), copy.data.data(), copy.bytes);
}

/// Operands: resource, LDS pointer, bytes, offset of the lane, scalar offset,
/// immediate offset, cache policy.
void bufferLoadLds(WaveOp &op) {
  uint64_t ldsBase;
  if (!getLdsBase(op, ldsBase))
    return;
  uint32_t bytes = op.uniform<uint32_t>(2);
  uint32_t immediate = op.uniform<uint32_t>(5);
  Workgroup &group = *itemOf(op, op.firstActive()).group;
  Wave &wave = group.getWave(itemOf(op, op.firstActive()));
  bool isLate = waitsForCopies(group.getLaunch());
  uint32_t instruction = wave.startedCopies++;
  bool isFine = true;
  forEachLane(op, [&](uint32_t lane) {
    WorkItem &item = itemOf(op, lane);
    const auto &resource = *op.operand<const abi::Resource *>(lane, 0);
    uint64_t offset = uint64_t(op.operand<uint32_t>(lane, 3)) + immediate +
                      op.operand<uint32_t>(lane, 4);
    PendingCopy copy{
        ldsBase + immediate + uint64_t(lane) * bytes, instruction, bytes, {}};
    isFine = isFine &&
             announce(item, op.site, abi::SiteKind::Store, bytes, copy.to) &&
             loadWords(item, op.site, resource, offset, copy);
    if (isFine && isLate)
      wave.copies.push_back(copy);
    else if (isFine)
      arrive(copy);
  });
}

/// Operand: limits of the counters in gfx9's encoding. Only copies are counted,
/// and as few of them as possible have arrived.
void waitCount(WaveOp &op) {
  uint32_t limits = op.uniform<uint32_t>(0);
  uint32_t left = (limits & 0xf) | (limits >> 14 & 3) << 4;
  const WorkItem &item = itemOf(op, op.firstActive());
  Wave &wave = item.group->getWave(item);
  while (!wave.copies.empty() &&
         wave.startedCopies - wave.copies.front().instruction > left) {
    arrive(wave.copies.front());
    wave.copies.pop_front();
  }
}

/// Blocks of four rows and 16 columns: one block for each 16 lanes, four lanes
/// for each row.
void dsReadTr16(WaveOp &op) {
  if (!needsWholeWave(op))
    return;
  loadTransposed<uint16_t>(op, [](uint32_t lane, uint32_t row) {
    uint32_t column = lane % 16;
    return Source{lane / 16 * 16 + row * 4 + column / 4, column % 4};
  });
}

/// Blocks of eight by eight elements, one row for each of eight lanes.
void globalLoadTr16(WaveOp &op) {
  if (!needsWholeWave(op))
    return;
  loadTransposed<uint16_t>(op, [](uint32_t lane, uint32_t row) {
    return Source{lane / 8 * 8 + row, lane % 8};
  });
}

} // namespace conv::runtime::sim

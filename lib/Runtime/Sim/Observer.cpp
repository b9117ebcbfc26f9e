//===- Observer.cpp - checks what kernels access --------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every byte of LDS remembers its writers and readers since the last barrier:
// enough to find reads of bytes that nobody wrote, and waves that touch the
// same byte without a barrier between them.
//
//===----------------------------------------------------------------------===//

#include "Observer.h"

using namespace conv::runtime;
using namespace conv::runtime::sim;
using conv::sim::SiteKind;

Observer::Observer(Workgroup &group)
    : group(group), isChecking(group.getLaunch().options->checks),
      isCounting(group.getLaunch().options->counters),
      isIdle(!isChecking && !isCounting) {
  if (isChecking)
    lds.resize(group.getLaunch().ldsBytes);
  visits.resize(group.getLaunch().object->siteCount);
  lastBuffer.resize(group.getLaunch().object->siteCount);
}

void Observer::startWorkgroup() { groupEpoch = ++epoch; }

void Observer::finishWorkgroup() { log.clear(); }

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static const char *getVerb(SiteKind kind) {
  switch (kind) {
  case SiteKind::Load:
    return "reads";
  case SiteKind::Store:
    return "writes";
  default:
    return "updates";
  }
}

std::string Observer::describe(const WorkItem &item,
                               const Request &request) const {
  std::string text = getVerb(request.kind);
  text += " " + std::to_string(request.bytes) + " bytes at ";
  if (isInLds(request.address))
    text += "byte " + std::to_string(request.address - group.getLdsBase()) +
            " of LDS";
  else
    text += "a global address";
  if (*request.site->location)
    text += std::string(" (") + request.site->location + ")";
  return text;
}

std::string Observer::describeItem(uint32_t index) const {
  const auto &block = group.getLaunch().shape.block;
  return "work-item (" + std::to_string(index % block[0]) + "," +
         std::to_string(index / block[0] % block[1]) + "," +
         std::to_string(index / (block[0] * block[1])) + ")";
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

bool Observer::isInLds(uint64_t address) const {
  uint64_t base = group.getLdsBase();
  return address >= base && address < base + group.getChip().ldsBytes;
}

/// The parameters, the packet and the work-item's own stack.
bool Observer::isMachineMemory(const WorkItem &item, uint64_t address,
                               uint64_t bytes) const {
  const LaunchState &launch = group.getLaunch();
  auto contains = [&](const auto &block) {
    uint64_t begin = reinterpret_cast<uint64_t>(block.data());
    return address >= begin && address + bytes <= begin + block.size();
  };
  return contains(launch.kernarg) || contains(launch.dispatchPacket) ||
         contains(launch.implicitArgs) || group.isOnStack(item, address, bytes);
}

bool Observer::checkRead(const WorkItem &item, LdsByte &byte,
                         std::string &problem) {
  Wave &wave = group.getWave(item);
  uint32_t waveSize = group.getChip().waveSize;
  if (byte.writeEpoch < groupEpoch) {
    problem = ", which nobody has written";
    return false;
  }
  uint32_t writerWave = byte.writer / waveSize;
  if (byte.writeEpoch >= epoch && writerWave != item.wave) {
    problem = ", which " + describeItem(byte.writer) +
              " of another wave writes without a barrier in between";
    return false;
  }
  if (byte.writeSegment == wave.segment && byte.writer != item.index &&
      !byte.isAtomic) {
    problem = ", which " + describeItem(byte.writer) +
              " of the same wave writes without a wave barrier in between";
    return false;
  }
  uint32_t readEpoch = epoch + (wave.hasSignalled ? 1 : 0);
  if (byte.readEpoch != readEpoch)
    byte.readerWaves = 0;
  byte.readEpoch = readEpoch;
  byte.readerWaves |= 1u << item.wave;
  byte.readSegment = wave.segment;
  byte.reader = item.index;
  return true;
}

bool Observer::checkWrite(const WorkItem &item, LdsByte &byte, bool isAtomic,
                          std::string &problem) {
  Wave &wave = group.getWave(item);
  uint32_t waveSize = group.getChip().waveSize;
  uint32_t writerWave = byte.writer / waveSize;
  if (byte.writeEpoch >= epoch && writerWave != item.wave &&
      !(isAtomic && byte.isAtomic)) {
    problem = ", which " + describeItem(byte.writer) +
              " of another wave writes without a barrier in between";
    return false;
  }
  if (byte.readEpoch >= epoch && (byte.readerWaves & ~(1u << item.wave))) {
    problem = ", which " + describeItem(byte.reader) +
              " of another wave reads without a barrier in between";
    uint32_t otherWave = __builtin_ctz(byte.readerWaves & ~(1u << item.wave));
    if (byte.reader / waveSize == item.wave)
      problem = ", which wave " + std::to_string(otherWave) +
                " reads without a barrier in between";
    return false;
  }
  if (byte.readSegment == wave.segment && byte.reader != item.index) {
    problem = ", which " + describeItem(byte.reader) +
              " of the same wave reads without a wave barrier in between";
    return false;
  }
  byte.writeEpoch = epoch + (wave.hasSignalled ? 1 : 0);
  byte.writeSegment = wave.segment;
  byte.writer = item.index;
  byte.isAtomic = isAtomic;
  return true;
}

bool Observer::checkLds(WorkItem &item, const Request &request,
                        std::string &problem) {
  uint64_t offset = request.address - group.getLdsBase();
  uint64_t limit = group.getLaunch().ldsBytes;
  if (offset + request.bytes > limit) {
    problem = ", but the workgroup has " + std::to_string(limit) + " bytes";
    return false;
  }
  for (uint64_t i = offset; i < offset + request.bytes; ++i) {
    LdsByte &byte = lds[i];
    bool isFine = true;
    if (request.kind == SiteKind::Load)
      isFine = checkRead(item, byte, problem);
    else if (request.kind == SiteKind::Atomic && byte.writeEpoch < groupEpoch) {
      problem = ", which nobody has written";
      isFine = false;
    } else {
      isFine =
          checkWrite(item, byte, request.kind == SiteKind::Atomic, problem);
    }
    if (!isFine)
      return false;
  }
  return true;
}

bool Observer::checkGlobal(WorkItem &item, const Request &request,
                           std::string &problem) {
  MemoryBuffer *&last = lastBuffer[request.site->index];
  if (last && request.address >= last->address &&
      request.address + request.bytes <= last->address + last->bytes)
    return true;
  const Memory &memory = *group.getLaunch().memory;
  last = memory.find(request.address, request.bytes);
  if (last || isMachineMemory(item, request.address, request.bytes))
    return true;
  problem = " outside every buffer: " + memory.describe(request.address);
  return false;
}

/// Checks and counts one access; false with a `problem` if it is wrong.
bool Observer::examine(WorkItem &item, const Request &request,
                       std::string &problem) {
  bool inLds = isInLds(request.address);
  if (isChecking) {
    if (request.address % request.alignment != 0) {
      problem = ", which is not aligned to " +
                std::to_string(request.alignment) + " bytes";
      return false;
    }
    if (!(inLds ? checkLds(item, request, problem)
                : checkGlobal(item, request, problem)))
      return false;
  }
  if (isCounting)
    record(item, request, inLds);
  return true;
}

void Observer::access(WorkItem &item, const abi::Site &site, uint64_t address) {
  if (isIdle)
    return;
  Request request = {&site, site.kind, site.bytes, site.alignment, address};
  std::string problem;
  if (!examine(item, request, problem))
    group.stop(item, describe(item, request) + problem);
}

bool Observer::accessForWave(WorkItem &item, const WaveAccess &what,
                             uint64_t address) {
  Request request = {what.site, what.kind, what.bytes, what.alignment, address};
  std::string problem;
  if (examine(item, request, problem))
    return true;
  group.fail(item, describe(item, request) + problem);
  return false;
}

/// Refuses an access whose offset is right only if register and immediate wrap
/// around 32 bits: no manual says that the bounds check uses the wrapped sum.
void Observer::checkWrap(WorkItem &item, const abi::Site &site,
                         uint32_t offset) {
  if (!isChecking || offset >= site.immediate)
    return;
  std::string text = getVerb(site.kind);
  text += " " + std::to_string(site.bytes) + " bytes of a buffer at offset " +
          std::to_string(offset) + ", which wraps around 32 bits: " +
          std::to_string(offset - site.immediate) + " in the register and " +
          std::to_string(site.immediate) + " in the instruction";
  group.stop(item, text);
}

void Observer::bufferAccess(WorkItem &item, const abi::Site &site,
                            const abi::Resource &resource, uint64_t offset,
                            uint32_t scalarOffset) {
  if (isIdle)
    return;
  checkWrap(item, site, uint32_t(offset - scalarOffset));
  bool isGfx9 = group.getChip().isGfx9;
  uint64_t checked = isGfx9 ? offset : offset - scalarOffset;
  uint64_t limit = resource.numRecords;
  if (!isGfx9 && (resource.flags >> 28 & 3) == 2 && limit != 0)
    limit = INT64_MAX;
  uint64_t address = resource.base + offset;
  if (checked + site.bytes <= limit)
    return access(item, site, address);
  if (isCounting)
    ++group.getCounters().bufferOutOfRange;
  // Loads and stores check each word on its own.
  if (site.kind == SiteKind::Atomic || site.bytes <= 4 || site.bytes % 4 != 0)
    return;
  abi::Site word = site;
  word.bytes = 4;
  for (uint32_t byte = 0; byte < site.bytes; byte += 4)
    if (checked + byte + 4 <= limit)
      access(item, word, address + byte);
}

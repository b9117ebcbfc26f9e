//===- ObserverCounters.cpp - counts what kernels access ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters depend on all lanes of a wave together, so accesses are logged and
// counted when the lanes meet.
//
//===----------------------------------------------------------------------===//

#include "Observer.h"

#include "conv/Chip/Banks.h"

#include <algorithm>
#include <tuple>

using namespace conv::runtime;
using namespace conv::runtime::sim;
using conv::sim::SiteKind;

void Observer::record(const WorkItem &item, const Request &request,
                      bool isLds) {
  Visits &visit = visits[request.site->index];
  uint32_t segment = group.getWave(item).segment;
  if (visit.segment != segment || visit.item != item.index)
    visit = {segment, item.index, 0};
  log.push_back({request.site->index, visit.count++, item.lane, request.bytes,
                 request.address, request.kind, isLds});
  if (isLds)
    return;
  MemoryBuffer *buffer =
      group.getLaunch().memory->find(request.address, request.bytes);
  if (!buffer)
    return;
  uint64_t offset = request.address - buffer->address;
  if (request.kind != SiteKind::Store)
    buffer->read.insert(offset, request.bytes);
  if (request.kind != SiteKind::Load)
    buffer->written.insert(offset, request.bytes);
}

void Observer::finishSegment(Wave &wave) {
  if (log.empty())
    return;
  auto isBefore = [](const LogEntry &a, const LogEntry &b) {
    return std::tie(a.site, a.occurrence, a.lane) <
           std::tie(b.site, b.occurrence, b.lane);
  };
  std::sort(log.begin(), log.end(), isBefore);
  for (auto begin = log.begin(); begin != log.end();) {
    auto end = std::find_if(begin, log.end(), [&](const LogEntry &entry) {
      return entry.site != begin->site ||
             entry.occurrence != begin->occurrence ||
             entry.isLds != begin->isLds;
    });
    if (begin->isLds)
      countLds(begin, end);
    else
      countGlobal(begin, end);
    begin = end;
  }
  log.clear();
}

/// The number of aligned segments of `segmentBytes` that the lanes touch.
template <typename Iterator>
static uint64_t countSegments(Iterator begin, Iterator end,
                              uint64_t segmentBytes) {
  std::vector<uint64_t> segments;
  for (auto entry = begin; entry != end; ++entry)
    for (uint64_t segment = entry->address / segmentBytes;
         segment <= (entry->address + entry->bytes - 1) / segmentBytes;
         ++segment)
      segments.push_back(segment);
  std::sort(segments.begin(), segments.end());
  return std::unique(segments.begin(), segments.end()) - segments.begin();
}

void Observer::countGlobal(std::vector<LogEntry>::iterator begin,
                           std::vector<LogEntry>::iterator end) {
  SimCounters &counters = group.getCounters();
  uint64_t bytes = 0;
  for (auto entry = begin; entry != end; ++entry)
    bytes += entry->bytes;
  switch (begin->kind) {
  case SiteKind::Load:
    ++counters.globalLoads;
    counters.globalBytesRead += bytes;
    break;
  case SiteKind::Store:
    ++counters.globalStores;
    counters.globalBytesWritten += bytes;
    break;
  default:
    ++counters.globalAtomics;
    counters.globalBytesRead += bytes;
    counters.globalBytesWritten += bytes;
    break;
  }
  counters.globalSegments64 += countSegments(begin, end, 64);
  counters.globalSegments128 += countSegments(begin, end, 128);
}

void Observer::countLds(std::vector<LogEntry>::iterator begin,
                        std::vector<LogEntry>::iterator end) {
  SimCounters &counters = group.getCounters();
  uint64_t bytes = 0;
  std::vector<LdsAccess> accesses;
  for (auto entry = begin; entry != end; ++entry) {
    bytes += entry->bytes;
    accesses.push_back(
        {entry->lane, uint32_t(entry->address - group.getLdsBase())});
  }
  switch (begin->kind) {
  case SiteKind::Load:
    ++counters.ldsLoads;
    counters.ldsBytesRead += bytes;
    break;
  case SiteKind::Store:
    ++counters.ldsStores;
    counters.ldsBytesWritten += bytes;
    break;
  default:
    ++counters.ldsAtomics;
    counters.ldsBytesRead += bytes;
    counters.ldsBytesWritten += bytes;
    break;
  }
  BankCost cost =
      computeBankCost(accesses, begin->bytes, group.getChip().ldsBanks,
                      begin->kind != SiteKind::Load);
  counters.ldsCycles += cost.cycles;
  counters.ldsBankConflicts += cost.conflicts;
}

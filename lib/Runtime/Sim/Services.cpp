//===- Services.cpp - what compiled kernels call of the machine -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each service finds the workgroup of the work-item that calls it.
//
//===----------------------------------------------------------------------===//

#include "Observer.h"
#include "Operations.h"
#include "Workgroup.h"

using namespace conv::runtime;
using namespace conv::runtime::sim;

static WorkItem &itemOf(abi::Item *item) {
  return *static_cast<WorkItem *>(item);
}

static void serveWaveOp(abi::Item *item, const abi::Site *site) {
  itemOf(item).group->meetWave(itemOf(item), site);
}

static void serveBarrier(abi::Item *item, const abi::Site *site) {
  itemOf(item).group->meetGroup(itemOf(item), site);
}

static void serveBarrierSignal(abi::Item *item, const abi::Site *site) {
  Workgroup &group = *itemOf(item).group;
  group.getObserver().signalBarrier(group.getWave(itemOf(item)));
}

static void serveAccess(abi::Item *item, const abi::Site *site,
                        uint64_t address) {
  itemOf(item).group->getObserver().access(itemOf(item), *site, address);
}

static void serveBufferAccess(abi::Item *item, const abi::Site *site,
                              const abi::Resource *resource, uint64_t offset,
                              uint32_t scalarOffset) {
  itemOf(item).group->getObserver().bufferAccess(itemOf(item), *site, *resource,
                                                 offset, scalarOffset);
}

static const abi::Resource *serveMakeResource(abi::Item *item, uint64_t base,
                                              uint64_t numRecords,
                                              uint32_t flags, uint32_t stride) {
  return itemOf(item).group->getLaunch().internResource(
      {base, numRecords, flags, stride});
}

const abi::Services conv::runtime::sim::services = {
    serveWaveOp, serveBarrier,      serveBarrierSignal,
    serveAccess, serveBufferAccess, serveMakeResource};

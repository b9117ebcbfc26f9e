//===- SimDevice.h - the simulated GPU as a device --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_SIMDEVICE_H
#define CONV_RUNTIME_SIMDEVICE_H

#include "conv/Runtime/HostMemory.h"
#include "conv/Runtime/Sim.h"

namespace conv::runtime {

/// A simulated GPU as a device, with the facts that only a simulator knows.
class SimDevice : public HostMemoryDevice {
public:
  /// The counters of all launches since the last reset.
  virtual const SimCounters &counters() const = 0;
  virtual void resetCounters() = 0;
};

/// A simulation of `chip` ("gfx942"); its name and target are "sim:gfx942".
Result<std::unique_ptr<SimDevice>> createSimDevice(const std::string &chip,
                                                   const SimOptions &options);

} // namespace conv::runtime

#endif // CONV_RUNTIME_SIMDEVICE_H

//===- HostMemory.h - buffers and time of a CPU device ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common half of devices whose kernels run on the CPU: their memory is the
// caller's, and every operation has ended when its call returns. `host` and
// `sim` derive from it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_HOSTMEMORY_H
#define CONV_RUNTIME_HOSTMEMORY_H

#include "conv/Runtime/Driver.h"

namespace conv::runtime {

class HostMemoryDevice : public Device {
public:
  Result<std::unique_ptr<Buffer>> allocate(int64_t bytes) override;
  Result<void> copyToDevice(void *device, const void *host,
                            int64_t bytes) override;
  Result<void> copyToHost(void *host, const void *device,
                          int64_t bytes) override;
  Result<void> synchronize(StreamHandle stream) override { return {}; }
  Result<std::unique_ptr<Event>> createEvent() override;
  Result<void> record(Event &event, StreamHandle stream) override;
  Result<double> elapsedMilliseconds(Event &start, Event &stop) override;
};

} // namespace conv::runtime

#endif // CONV_RUNTIME_HOSTMEMORY_H

//===- Devices.h - making each device ---------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The devices behind `openDevice`, for callers that set more than a name. The
// simulator's function is in SimDevice.h.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_DEVICES_H
#define CONV_RUNTIME_DEVICES_H

#include "conv/Runtime/Driver.h"

namespace conv::runtime {

/// This machine's processor. 0 threads mean `defaultThreadCount()`.
Result<std::unique_ptr<Device>> createHostDevice(unsigned threads = 0);

/// An AMD GPU through libamdhip64.so, which this call loads. Without the
/// library or a GPU the error is `System` and says what was searched for.
Result<std::unique_ptr<Device>> createHipDevice(int ordinal = 0);

/// An NVIDIA GPU through the driver's libcuda.so.1, which this call loads.
Result<std::unique_ptr<Device>> createCudaDevice(int ordinal = 0);

} // namespace conv::runtime

#endif // CONV_RUNTIME_DEVICES_H

//===- Registry.cpp - devices by name ---------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the names that users type into devices. What a name means beyond its
// first part (an ordinal, a chip) is checked here or by the device.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Devices.h"
#include "conv/Runtime/SimDevice.h"

#include <charconv>

using namespace conv;
using namespace conv::runtime;

/// The number after "hip:".
static Result<int> parseOrdinal(std::string_view text) {
  int ordinal = -1;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), ordinal);
  if (code == std::errc() && end == text.data() + text.size() && ordinal >= 0)
    return ordinal;
  return Error{ErrorKind::BadInput, "expects 'hip:<number>', but got 'hip:" +
                                        std::string(text) + "'"};
}

Result<std::unique_ptr<Device>> runtime::openDevice(const std::string &name) {
  if (name == "host")
    return createHostDevice();
  if (name == "hip")
    return createHipDevice();
  if (name.starts_with("hip:")) {
    Result<int> ordinal = parseOrdinal(std::string_view(name).substr(4));
    if (!ordinal)
      return ordinal.error();
    return createHipDevice(*ordinal);
  }
  if (name.starts_with("sim:")) {
    auto device = createSimDevice(name.substr(4), SimOptions());
    if (!device)
      return device.error();
    return std::unique_ptr<Device>(std::move(*device));
  }
  return Error{ErrorKind::BadInput,
               "expects a device of host, hip, hip:<number> or sim:<chip>, but "
               "got '" +
                   name + "'"};
}

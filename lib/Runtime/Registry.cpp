//===- Registry.cpp - devices by name ---------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the names that users type into devices. The part of a name after its
// kind (an ordinal, a chip) is checked here or by the device.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Devices.h"
#include "conv/Runtime/SimDevice.h"

#include <charconv>

using namespace conv;
using namespace conv::runtime;

using CreateGpu = Result<std::unique_ptr<Device>> (*)(int ordinal);

/// Opens the GPU whose number follows `kind` and a colon in `name`, or the
/// first GPU.
static Result<std::unique_ptr<Device>>
openGpu(std::string_view name, std::string_view kind, CreateGpu create) {
  if (name == kind)
    return create(0);
  std::string_view text = name.substr(kind.size() + 1);
  int ordinal = -1;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), ordinal);
  if (code == std::errc() && end == text.data() + text.size() && ordinal >= 0)
    return create(ordinal);
  return Error{ErrorKind::BadInput, "expects '" + std::string(kind) +
                                        ":<number>', but got '" +
                                        std::string(name) + "'"};
}

static bool isKind(std::string_view name, std::string_view kind) {
  return name.starts_with(kind) &&
         (name.size() == kind.size() || name[kind.size()] == ':');
}

Result<std::unique_ptr<Device>> runtime::openDevice(const std::string &name) {
  if (name == "host")
    return createHostDevice();
  if (isKind(name, "cuda"))
    return openGpu(name, "cuda", createCudaDevice);
  if (isKind(name, "hip"))
    return openGpu(name, "hip", createHipDevice);
  if (name.starts_with("sim:")) {
    auto device = createSimDevice(name.substr(4), SimOptions());
    if (!device)
      return device.error();
    return std::unique_ptr<Device>(std::move(*device));
  }
  return Error{ErrorKind::BadInput,
               "expects a device of host, cuda, cuda:<number>, hip, "
               "hip:<number> or sim:<chip>, but got '" +
                   name + "'"};
}

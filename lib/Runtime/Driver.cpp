//===- Driver.cpp - what devices have in common -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Driver.h"

using namespace conv;
using namespace conv::runtime;

Result<std::unique_ptr<Buffer>> Device::upload(const Blob &data) {
  auto bytes = int64_t(data.bytes.size());
  auto buffer = allocate(bytes);
  if (!buffer)
    return buffer.error();
  Result<void> copied =
      copyToDevice((*buffer)->address(), data.bytes.data(), bytes);
  if (!copied)
    return copied.error();
  return std::move(*buffer);
}

//===- Session.cpp - one entry on one device --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain calls of the runtime, in the order in which an application makes them.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "ArgumentMemory.h"
#include "RandomInputs.h"

#include "conv/Artifact/RunTimeSizes.h"
#include "conv/Support/Memory.h"

using namespace conv;
using namespace conv::tools;

/// Refuses an entry if `bytes` do not fit this machine's memory.
static Result<void> checkMemory(const artifact::Entry &entry, double bytes) {
  auto available = double(getMachineMemory());
  if (bytes <= available)
    return {};
  auto gib = [](double value) {
    return std::to_string(int64_t(value / double(1 << 30)) + 1) + " GiB";
  };
  return Error{ErrorKind::System, entry.function + " expects " + gib(bytes) +
                                      " of memory, but this machine has " +
                                      gib(available)};
}

Result<void> tools::checkMemoryOfBuffers(const artifact::Entry &entry) {
  double bytes = double(entry.workspaceBytes);
  for (const artifact::Argument &argument : entry.arguments)
    bytes += double(artifact::bufferBytes(argument));
  for (const artifact::Constant &constant : entry.constants)
    bytes += double(artifact::bufferBytes(constant.tensor));
  return checkMemory(entry, 2 * bytes); // On the host and on the device.
}

Result<void> tools::checkMemoryOfElements(const artifact::Entry &entry,
                                          int64_t bytesPerElement) {
  double bytes = 0;
  for (const artifact::Argument &argument : entry.arguments) {
    double elements = 1;
    for (int64_t size : argument.shape)
      elements *= double(size);
    bytes += elements * double(bytesPerElement);
  }
  return checkMemory(entry, bytes);
}

Result<Session> Session::create(runtime::Device &device,
                                const artifact::Artifact &artifact,
                                const std::string &function,
                                const GivenSizes &given) {
  Result<runtime::Executable> executable =
      runtime::Executable::load(device, artifact, function);
  if (!executable)
    return executable.error();
  Session session(device, std::move(*executable));
  Result<std::vector<int64_t>> sizes =
      chooseSizes(session.executable.entry(), given);
  if (!sizes)
    return sizes.error();
  if (!sizes->empty()) {
    session.sizes = std::move(*sizes);
    Result<artifact::Entry> entry =
        artifact::instantiate(session.executable.entry(), session.sizes);
    if (!entry)
      return entry.error();
    session.sized = std::make_unique<artifact::Entry>(std::move(*entry));
  }
  if (Result<void> fits = checkMemoryOfBuffers(session.entry()); !fits)
    return fits.error();
  if (Result<void> allocated = session.allocate(); !allocated)
    return allocated.error();
  return session;
}

Result<void> Session::allocate() {
  for (const artifact::Argument &argument : entry().arguments) {
    auto buffer = device->allocate(artifact::bufferBytes(argument));
    if (!buffer)
      return buffer.error();
    addresses.push_back((*buffer)->address());
    buffers.push_back(std::move(*buffer));
  }
  if (int64_t bytes = entry().workspaceBytes) {
    auto buffer = device->allocate(bytes);
    if (!buffer)
      return buffer.error();
    workspace = std::move(*buffer);
  }
  auto first = device->createEvent(), second = device->createEvent();
  if (!first || !second)
    return first ? second.error() : first.error();
  start = std::move(*first);
  stop = std::move(*second);
  return {};
}

Result<void> Session::upload(const ArgumentBytes &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const artifact::Argument &argument = entry().arguments[i];
    Result<void> copied;
    if (argument.isRead() && isContiguous(argument)) {
      copied = device->copyToDevice(addresses[i], arguments[i].data(),
                                    int64_t(arguments[i].size()));
    } else {
      ArgumentMemory memory(argument);
      if (argument.isRead())
        memory.place(arguments[i]);
      copied = memory.upload(*device, addresses[i]);
    }
    if (!copied)
      return copied;
  }
  return {};
}

Result<double> Session::run() {
  Result<void> done = device->record(*start, nullptr);
  if (done)
    done = executable.run(addresses, workspace ? workspace->address() : nullptr,
                          /*stream=*/nullptr, sizes);
  if (done)
    done = device->record(*stop, nullptr);
  if (done)
    done = device->synchronize(nullptr);
  if (!done)
    return done.error();
  return device->elapsedMilliseconds(*start, *stop);
}

Result<void> Session::download(ArgumentBytes &arguments) {
  arguments.resize(addresses.size());
  for (size_t i = 0; i < addresses.size(); ++i) {
    const artifact::Argument &argument = entry().arguments[i];
    if (!argument.isWritten())
      continue;
    Result<void> copied;
    if (isContiguous(argument)) {
      arguments[i].resize(size_t(buffers[i]->bytes()));
      copied = device->copyToHost(arguments[i].data(), addresses[i],
                                  int64_t(arguments[i].size()));
    } else {
      ArgumentMemory memory(argument);
      copied = memory.download(*device, addresses[i]);
      arguments[i] = memory.collect();
    }
    if (!copied)
      return copied;
  }
  return {};
}

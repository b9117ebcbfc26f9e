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

#include "RandomInputs.h"

#include "conv/Artifact/RunTimeSizes.h"
#include "conv/Support/ElementType.h"
#include "conv/Support/Memory.h"

#include <cstring>

using namespace conv;
using namespace conv::tools;

/// The bytes of written buffers before a run: NaN in every floating type.
static constexpr char kUnwritten = '\xff';

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

/// Calls `visit` with the position in memory of each element of an argument, in
/// the order of its shape.
template <typename Visit>
static void forEachElement(const artifact::Argument &argument, Visit visit) {
  std::vector<int64_t> index(argument.shape.size(), 0);
  int64_t offset = 0;
  for (bool more = true; more;) {
    visit(offset);
    more = false;
    for (size_t d = index.size(); d-- > 0 && !more;) {
      more = ++index[d] < argument.shape[d];
      offset += argument.strides[d];
      if (!more) {
        offset -= argument.shape[d] * argument.strides[d];
        index[d] = 0;
      }
    }
  }
}

static size_t getElementBytes(const artifact::Argument &argument) {
  return size_t(elementBytes(*lookupElementType(argument.dtype)));
}

/// Whether elements lie in memory in the order of their shape, without gaps.
static bool isContiguous(const artifact::Argument &argument) {
  int64_t stride = 1;
  for (size_t d = argument.shape.size(); d-- > 0; stride *= argument.shape[d])
    if (argument.strides[d] != stride && argument.shape[d] > 1)
      return false;
  return true;
}

/// Elements in an argument's memory layout; gaps have the pattern of unwritten
/// bytes.
static std::string spread(const artifact::Argument &argument,
                          const std::string &elements, size_t bytes) {
  std::string memory(bytes, kUnwritten);
  size_t width = getElementBytes(argument);
  const char *next = elements.data();
  forEachElement(argument, [&](int64_t offset) {
    std::memcpy(memory.data() + size_t(offset) * width, next, width);
    next += width;
  });
  return memory;
}

/// The elements of an argument in the order of its shape.
static std::string collect(const artifact::Argument &argument,
                           const std::string &memory) {
  size_t width = getElementBytes(argument);
  std::string elements;
  forEachElement(argument, [&](int64_t offset) {
    elements.append(memory, size_t(offset) * width, width);
  });
  return elements;
}

Result<void> Session::upload(const ArgumentBytes &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    bool isRead = entry().arguments[i].isRead();
    std::string pattern;
    if (!isRead)
      pattern.assign(size_t(buffers[i]->bytes()), kUnwritten);
    bool isSpread = isRead && !isContiguous(entry().arguments[i]);
    if (isSpread)
      pattern = spread(entry().arguments[i], arguments[i],
                       size_t(buffers[i]->bytes()));
    const std::string &bytes = isRead && !isSpread ? arguments[i] : pattern;
    Result<void> copied =
        device->copyToDevice(addresses[i], bytes.data(), int64_t(bytes.size()));
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
    if (!entry().arguments[i].isWritten())
      continue;
    arguments[i].resize(size_t(buffers[i]->bytes()));
    Result<void> copied = device->copyToHost(arguments[i].data(), addresses[i],
                                             int64_t(arguments[i].size()));
    if (!copied)
      return copied;
    if (!isContiguous(entry().arguments[i]))
      arguments[i] = collect(entry().arguments[i], arguments[i]);
  }
  return {};
}

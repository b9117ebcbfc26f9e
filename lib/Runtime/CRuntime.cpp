//===- CRuntime.cpp - the C functions for files and devices ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function checks its pointers and calls the C++ class of the same name.
//
//===----------------------------------------------------------------------===//

#include "CHandles.h"

#include "conv/Artifact/ManifestJson.h"
#include "conv/Runtime/ThreadPool.h"

using namespace conv;
using namespace conv::runtime::c;

std::string &runtime::c::lastError() {
  thread_local std::string text;
  return text;
}

conv_status runtime::c::fail(ErrorKind kind,
                             std::string_view message) noexcept {
  try {
    lastError() = message;
  } catch (const std::exception &) {
    lastError() = "out of memory";
  }
  return conv_status(int(kind));
}

/// Stores the artifact that `read` returns as a handle in `*output`.
template <typename Read>
static conv_status makeArtifact(conv_artifact **output, Read read) {
  if (!output)
    return badInput("expects a place for the artifact, but got null");
  return guarded([&]() -> Result<void> {
    Result<artifact::Artifact> artifact = read();
    if (!artifact)
      return artifact.error();
    Result<std::string> text = artifact::writeManifest(artifact->manifest);
    if (!text)
      return text.error();
    *output = new conv_artifact{std::move(*artifact), std::move(*text)};
    return {};
  });
}

/// Refuses a copy without a device or an address, or of fewer than 0 bytes.
static Result<void> checkCopy(const conv_device *device, const void *target,
                              const void *source, int64_t bytes) {
  if (!device || !target || !source)
    return Error{ErrorKind::BadInput,
                 "expects a device and two addresses, but got null"};
  if (bytes < 0)
    return Error{ErrorKind::BadInput,
                 "expects 0 or more bytes, but got " + std::to_string(bytes)};
  return {};
}

extern "C" {

const char *conv_last_error(void) { return lastError().c_str(); }

const char *conv_runtime_version(void) { return CONV_VERSION; }

conv_status conv_artifact_open(const char *path, conv_artifact **artifact) {
  if (!path)
    return badInput("expects a path, but got null");
  return makeArtifact(artifact, [&] { return artifact::Artifact::read(path); });
}

conv_status conv_artifact_open_memory(const void *bytes, size_t size,
                                      conv_artifact **artifact) {
  if (!bytes)
    return badInput("expects the bytes of a file, but got null");
  return makeArtifact(artifact, [&] {
    return artifact::Artifact::parse({static_cast<const char *>(bytes), size},
                                     "memory");
  });
}

void conv_artifact_close(conv_artifact *artifact) { delete artifact; }

size_t conv_artifact_entry_count(const conv_artifact *artifact) {
  return artifact ? artifact->artifact.manifest.entries.size() : 0;
}

const char *conv_artifact_function(const conv_artifact *artifact,
                                   size_t entry) {
  if (entry >= conv_artifact_entry_count(artifact))
    return nullptr;
  return artifact->artifact.manifest.entries[entry].function.c_str();
}

const char *conv_artifact_target(const conv_artifact *artifact, size_t entry) {
  if (entry >= conv_artifact_entry_count(artifact))
    return nullptr;
  return artifact->artifact.manifest.entries[entry].target.c_str();
}

const char *conv_artifact_manifest(const conv_artifact *artifact) {
  return artifact ? artifact->manifest.c_str() : nullptr;
}

conv_status conv_device_open(const char *name, conv_device **device) {
  if (!name || !device)
    return badInput("expects a name and a place for the device, but got null");
  return guarded([&]() -> Result<void> {
    auto opened = runtime::openDevice(name);
    if (!opened)
      return opened.error();
    auto handle = std::make_unique<conv_device>();
    handle->device = std::move(*opened);
    handle->targets = handle->device->targets();
    *device = handle.release();
    return {};
  });
}

void conv_device_close(conv_device *device) {
  if (device)
    device->buffers.clear(); // Buffers go before their device.
  delete device;
}

const char *conv_device_target(const conv_device *device, size_t index) {
  return device && index < device->targets.size()
             ? device->targets[index].c_str()
             : nullptr;
}

unsigned conv_device_compute_units(const conv_device *device) {
  return device ? device->device->computeUnits() : 0;
}

void conv_limit_threads(unsigned most) { runtime::limitThreads(most); }

void conv_use_team(conv_team team) { runtime::useTeam(team); }

conv_status conv_device_allocate(conv_device *device, int64_t bytes,
                                 void **address) {
  if (!device || !address)
    return badInput("expects a device and a place for the address, but got "
                    "null");
  return guarded([&]() -> Result<void> {
    if (bytes <= 0)
      return Error{ErrorKind::BadInput,
                   "expects 1 or more bytes, but got " + std::to_string(bytes)};
    auto buffer = device->device->allocate(bytes);
    if (!buffer)
      return buffer.error();
    void *memory = (*buffer)->address();
    std::lock_guard lock(device->mutex);
    device->buffers[memory] = std::move(*buffer);
    *address = memory;
    return {};
  });
}

conv_status conv_device_free(conv_device *device, void *address) {
  if (!device)
    return badInput("expects a device, but got null");
  if (!address)
    return CONV_OK;
  return guarded([&]() -> Result<void> {
    std::lock_guard lock(device->mutex);
    if (device->buffers.erase(address))
      return {};
    return Error{ErrorKind::BadInput,
                 "expects an address that conv_device_allocate gave, but got "
                 "another one"};
  });
}

conv_status conv_device_copy_to(conv_device *device, void *target,
                                const void *source, int64_t bytes) {
  return guarded([&] {
    Result<void> checked = checkCopy(device, target, source, bytes);
    return checked ? device->device->copyToDevice(target, source, bytes)
                   : checked;
  });
}

conv_status conv_device_copy_from(conv_device *device, void *target,
                                  const void *source, int64_t bytes) {
  return guarded([&] {
    Result<void> checked = checkCopy(device, target, source, bytes);
    return checked ? device->device->copyToHost(target, source, bytes)
                   : checked;
  });
}

conv_status conv_device_synchronize(conv_device *device, void *stream) {
  if (!device)
    return badInput("expects a device, but got null");
  return guarded([&] { return device->device->synchronize(stream); });
}

} // extern "C"

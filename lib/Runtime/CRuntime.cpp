//===- CRuntime.cpp - the C functions of the runtime ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function checks its pointers, calls the C++ class of the same name, and
// turns an Error into a status and a text of this thread. No exception leaves
// this file.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/conv_runtime.h"

#include "conv/Artifact/Artifact.h"
#include "conv/Artifact/ManifestJson.h"
#include "conv/Artifact/RunTimeSizes.h"
#include "conv/Runtime/Driver.h"
#include "conv/Runtime/Executable.h"

#include <exception>
#include <map>
#include <mutex>

using namespace conv;

struct conv_artifact {
  artifact::Artifact artifact;
  std::string manifest; ///< As JSON text.
};

struct conv_device {
  std::unique_ptr<runtime::Device> device;
  std::vector<std::string> targets;
  std::mutex mutex; ///< Guards `buffers`.
  std::map<void *, std::unique_ptr<runtime::Buffer>> buffers;
};

struct conv_executable {
  runtime::Executable executable;
};

static std::string &lastError() {
  thread_local std::string text;
  return text;
}

/// Keeps a message for `conv_last_error`, or one that needs no memory.
static conv_status fail(ErrorKind kind, std::string_view message) noexcept {
  try {
    lastError() = message;
  } catch (const std::exception &) {
    lastError() = "out of memory";
  }
  return conv_status(int(kind));
}

static conv_status badInput(const char *message) {
  return fail(ErrorKind::BadInput, message);
}

/// Runs `body`, which returns a Result<void>.
template <typename Body> static conv_status guarded(Body body) {
  try {
    Result<void> result = body();
    return result ? CONV_OK : fail(result.error().kind, result.error().message);
  } catch (const std::exception &exception) {
    return fail(ErrorKind::System, exception.what());
  }
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

/// Its pointers are those of `source`.
static conv_argument describe(const artifact::Argument &source) {
  return {source.name.c_str(),
          source.dtype.c_str(),
          source.layout.c_str(),
          source.shape.size(),
          source.shape.data(),
          source.strides.data(),
          artifact::bufferBytes(source),
          source.alignment,
          source.isWritten() ? 1 + source.isRead() : 0};
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
    device->buffers.clear(); // Before the device they are on.
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

conv_status conv_device_allocate(conv_device *device, int64_t bytes,
                                 void **address) {
  if (!device || !address || bytes <= 0)
    return badInput("expects a device, a positive size and a place for the "
                    "address");
  return guarded([&]() -> Result<void> {
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
                 "expects an address that conv_device_allocate gave"};
  });
}

conv_status conv_device_copy_to(conv_device *device, void *target,
                                const void *source, int64_t bytes) {
  if (!device || !target || !source || bytes < 0)
    return badInput("expects a device, two addresses and a size");
  return guarded(
      [&] { return device->device->copyToDevice(target, source, bytes); });
}

conv_status conv_device_copy_from(conv_device *device, void *target,
                                  const void *source, int64_t bytes) {
  if (!device || !target || !source || bytes < 0)
    return badInput("expects a device, two addresses and a size");
  return guarded(
      [&] { return device->device->copyToHost(target, source, bytes); });
}

conv_status conv_device_synchronize(conv_device *device, void *stream) {
  if (!device)
    return badInput("expects a device, but got null");
  return guarded([&] { return device->device->synchronize(stream); });
}

conv_status conv_executable_load(conv_device *device,
                                 const conv_artifact *artifact,
                                 const char *function,
                                 conv_executable **executable) {
  if (!device || !artifact || !executable)
    return badInput("expects a device, an artifact and a place for the "
                    "executable, but got null");
  return guarded([&]() -> Result<void> {
    auto loaded = runtime::Executable::load(*device->device, artifact->artifact,
                                            function ? function : "");
    if (!loaded)
      return loaded.error();
    *executable = new conv_executable{std::move(*loaded)};
    return {};
  });
}

void conv_executable_close(conv_executable *executable) { delete executable; }

const char *conv_executable_target(const conv_executable *executable) {
  return executable ? executable->executable.entry().target.c_str() : nullptr;
}

size_t conv_executable_argument_count(const conv_executable *executable) {
  return executable ? executable->executable.entry().arguments.size() : 0;
}

conv_status conv_executable_argument(const conv_executable *executable,
                                     size_t index, conv_argument *argument) {
  if (!argument || index >= conv_executable_argument_count(executable))
    return badInput("expects the index of an argument and a place for it");
  *argument = describe(executable->executable.entry().arguments[index]);
  return CONV_OK;
}

size_t conv_executable_constant_count(const conv_executable *executable) {
  return executable ? executable->executable.entry().constants.size() : 0;
}

conv_status conv_executable_constant(const conv_executable *executable,
                                     size_t index, conv_argument *constant) {
  if (!constant || index >= conv_executable_constant_count(executable))
    return badInput("expects the index of a constant and a place for it");
  *constant = describe(executable->executable.entry().constants[index].tensor);
  return CONV_OK;
}

int64_t conv_executable_workspace_bytes(const conv_executable *executable) {
  return executable ? executable->executable.workspaceBytes() : 0;
}

conv_status conv_executable_run(const conv_executable *executable,
                                void *const *arguments, size_t count,
                                void *workspace, void *stream) {
  if (!executable || (!arguments && count))
    return badInput("expects an executable and its arguments, but got null");
  return guarded([&] {
    return executable->executable.run(std::span(arguments, count), workspace,
                                      stream);
  });
}

size_t conv_executable_size_count(const conv_executable *executable) {
  return executable ? executable->executable.entry().sizes.size() : 0;
}

conv_status conv_executable_size(const conv_executable *executable,
                                 size_t index, conv_size *size) {
  if (!size || index >= conv_executable_size_count(executable))
    return badInput("expects the index of a size and a place for it");
  const artifact::RunTimeSize &known =
      executable->executable.entry().sizes[index];
  *size = {known.name.c_str(), known.least, known.most};
  return CONV_OK;
}

conv_status conv_executable_find_sizes(const conv_executable *executable,
                                       const int64_t *const *shapes,
                                       size_t count, int64_t *sizes,
                                       int64_t *workspace_bytes) {
  if (!executable || (!shapes && count) ||
      (!sizes && conv_executable_size_count(executable)))
    return badInput("expects an executable, shapes and a place for sizes, but "
                    "got null");
  return guarded([&]() -> Result<void> {
    const artifact::Entry &entry = executable->executable.entry();
    if (count != entry.arguments.size())
      return Error{ErrorKind::BadInput,
                   "expects shapes of " +
                       std::to_string(entry.arguments.size()) +
                       " arguments, but got " + std::to_string(count)};
    std::vector<std::span<const int64_t>> given;
    for (size_t i = 0; i < count; ++i) {
      size_t rank = entry.arguments[i].shape.size();
      if (!shapes[i] && rank)
        return Error{ErrorKind::BadInput, "argument '" +
                                              entry.arguments[i].name +
                                              "': expects a shape, but got "
                                              "null"};
      given.emplace_back(shapes[i], rank);
    }
    Result<std::vector<int64_t>> found = artifact::findSizes(entry, given);
    if (!found)
      return found.error();
    std::copy(found->begin(), found->end(), sizes);
    if (workspace_bytes)
      *workspace_bytes = executable->executable.workspaceBytes(*found);
    return {};
  });
}

conv_status conv_executable_run_sizes(const conv_executable *executable,
                                      const int64_t *sizes, size_t size_count,
                                      void *const *arguments, size_t count,
                                      void *workspace, void *stream) {
  if (!executable || (!arguments && count) || (!sizes && size_count))
    return badInput(
        "expects an executable, sizes and its arguments, but got null");
  return guarded([&] {
    return executable->executable.run(std::span(arguments, count), workspace,
                                      stream, std::span(sizes, size_count));
  });
}

} // extern "C"

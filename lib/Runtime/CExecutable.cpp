//===- CExecutable.cpp - the C functions for executables ------------------===//
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

#include "conv/Artifact/RunTimeSizes.h"

using namespace conv;
using namespace conv::runtime::c;

/// The description points into `source`.
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

/// Checks the index of one of `count` things that `name` says, and the place
/// for its description.
static Result<void> checkIndex(size_t index, size_t count, const void *place,
                               const char *name) {
  if (place && index < count)
    return {};
  return Error{ErrorKind::BadInput,
               place ? std::string("expects the index of one of ") +
                           std::to_string(count) + " " + name + ", but got " +
                           std::to_string(index)
                     : "expects a place for the description, but got null"};
}

extern "C" {

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
  return guarded([&] {
    Result<void> checked =
        checkIndex(index, conv_executable_argument_count(executable), argument,
                   "arguments");
    if (checked)
      *argument = describe(executable->executable.entry().arguments[index]);
    return checked;
  });
}

size_t conv_executable_constant_count(const conv_executable *executable) {
  return executable ? executable->executable.entry().constants.size() : 0;
}

conv_status conv_executable_constant(const conv_executable *executable,
                                     size_t index, conv_argument *constant) {
  return guarded([&] {
    Result<void> checked =
        checkIndex(index, conv_executable_constant_count(executable), constant,
                   "constants");
    if (checked)
      *constant =
          describe(executable->executable.entry().constants[index].tensor);
    return checked;
  });
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
  return guarded([&]() -> Result<void> {
    Result<void> checked = checkIndex(
        index, conv_executable_size_count(executable), size, "sizes");
    if (!checked)
      return checked;
    const artifact::RunTimeSize &known =
        executable->executable.entry().sizes[index];
    *size = {known.name.c_str(), known.least, known.most};
    return {};
  });
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

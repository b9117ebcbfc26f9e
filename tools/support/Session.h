//===- Session.h - one entry on one device ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executable with buffers for all of its arguments: set inputs, run, get
// outputs. For tools and tests; applications manage their own buffers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_SESSION_H
#define CONV_TOOLS_SUPPORT_SESSION_H

#include "ChooseSizes.h"

#include "conv/Runtime/Executable.h"

#include <memory>
#include <string>
#include <vector>

namespace conv::tools {

/// The bytes of every argument of an entry, in its order.
using ArgumentBytes = std::vector<std::string>;

/// Refuse an entry if its buffers, or `bytesPerElement` bytes for each of its
/// elements, do not fit this machine's memory.
Result<void> checkMemoryOfBuffers(const artifact::Entry &entry);
Result<void> checkMemoryOfElements(const artifact::Entry &entry,
                                   int64_t bytesPerElement);

class Session {
public:
  /// Loads `function` of the artifact and allocates its buffers, with these
  /// run-time sizes if it has any.
  static Result<Session> create(runtime::Device &device,
                                const artifact::Artifact &artifact,
                                const std::string &function,
                                const GivenSizes &given = {});

  /// The loaded entry, with numbers for run-time sizes.
  const artifact::Entry &entry() const {
    return sized ? *sized : executable.entry();
  }

  /// Copies the arguments that are read to the device and fills the others with
  /// a pattern (NaN for floating types), so that elements that a kernel does
  /// not write are visible.
  Result<void> upload(const ArgumentBytes &arguments);

  /// Runs once and returns the milliseconds on the device's clock.
  Result<double> run();

  /// Copies the written arguments back.
  Result<void> download(ArgumentBytes &arguments);

private:
  Session(runtime::Device &device, runtime::Executable executable)
      : device(&device), executable(std::move(executable)) {}
  Result<void> allocate();

  runtime::Device *device;
  runtime::Executable executable;
  std::vector<int64_t> sizes;
  std::unique_ptr<artifact::Entry> sized; ///< Set if there are run-time sizes.
  std::vector<std::unique_ptr<runtime::Buffer>> buffers;
  std::unique_ptr<runtime::Buffer> workspace;
  std::vector<void *> addresses;
  std::unique_ptr<runtime::Event> start, stop;
};

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_SESSION_H

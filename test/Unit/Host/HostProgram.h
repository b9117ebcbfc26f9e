//===- HostProgram.h - functions for the host -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_HOST_HOSTPROGRAM_H
#define CONV_TEST_UNIT_HOST_HOSTPROGRAM_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace conv::test {

/// One function, compiled for the host by the pipelines and loaded into this
/// process.
class HostProgram {
public:
  /// Null, with the diagnostics in `errors`, if compiling or loading fails.
  static std::unique_ptr<HostProgram> compile(const std::string &source,
                                              std::string &errors);
  ~HostProgram();

  /// Runs the launches in order, every workgroup on this thread. `arguments`
  /// are the function's: operands, results, and the workspace if it needs one.
  void run(const std::vector<void *> &arguments) const;

  int64_t getWorkspaceBytes() const { return workspaceBytes; }
  /// The bytes of the shared library.
  const std::string &getObject() const { return object; }
  /// The address of a symbol, or null.
  void *find(const char *symbol) const;

private:
  using Kernel = void (*)(void *const *parameters, const int32_t workgroup[3]);
  /// An argument of the function, or a place in its workspace.
  struct Operand {
    size_t argument;
    int64_t offset;
  };
  struct Launch {
    Kernel kernel;
    int32_t workgroups;
    std::vector<Operand> operands;
  };
  struct Reader;

  std::string object;
  void *library = nullptr;
  int64_t workspaceBytes = 0;
  std::vector<Launch> launches;
};

} // namespace conv::test

#endif // CONV_TEST_UNIT_HOST_HOSTPROGRAM_H

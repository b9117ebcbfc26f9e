//===- StandInTest.h - tests against a driver without a GPU -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executables find the stand-ins of test/standin through their run path. A
// GPU's code is an ELF header and a few bytes here; the stand-in runs the host
// entry of the same artifact instead, so results can be compared, and the
// recorded calls are those that a GPU would receive.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_RUNTIME_STANDINTEST_H
#define CONV_TEST_UNIT_RUNTIME_STANDINTEST_H

#include "../TemporaryDirectory.h"
#include "HostArtifact.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>

namespace conv::test {

/// The functions that a stand-in has for tests.
struct Control {
  void (*reset)();
  const char *(*takeLog)();
  int (*liveObjects)();
  void *library;

  explicit Control(const char *name) : library(::dlopen(name, RTLD_NOW)) {
    EXPECT_NE(library, nullptr) << ::dlerror();
    find(reset, "standin_reset");
    find(takeLog, "standin_take_log");
    find(liveObjects, "standin_live_objects");
  }

  template <typename Function>
  void find(Function &function, const char *name) const {
    function = reinterpret_cast<Function>(::dlsym(library, name));
  }
};

/// The header of a GPU's code object.
inline std::string makeCodeObject(uint16_t machine) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = machine;
  header.e_shoff = sizeof(header) + 4;
  header.e_shentsize = sizeof(Elf64_Shdr);
  std::string bytes(sizeof(header), '\0');
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes + "code";
}

/// Each test has a fresh driver, and an artifact with "twice" for `target`
/// beside its host entry.
class StandInTest : public testing::Test {
protected:
  StandInTest(const char *library, const std::string &target, uint16_t machine)
      : control(library), artifact(makeHostArtifact()), machine(machine) {
    artifact.manifest.entries.push_back(
        makeTwice(target, artifact.addCode(codeObject(), "gpu")));
  }

  void SetUp() override {
    control.reset();
    ASSERT_TRUE(artifact.write(directory.path("a.convpack")));
    setenv("CONV_STANDIN_PACK", directory.path("a.convpack").c_str(), 1);
    unsetenv("CONV_STANDIN_ARCH");
    unsetenv("CONV_STANDIN_DEVICES");
    unsetenv("CONV_STANDIN_MEMORY");
  }

  std::string codeObject() const { return makeCodeObject(machine); }

  /// The calls since the previous query.
  std::string calls() { return control.takeLog(); }

  Control control;
  TemporaryDirectory directory;
  artifact::Artifact artifact;

private:
  uint16_t machine;
};

} // namespace conv::test

#endif // CONV_TEST_UNIT_RUNTIME_STANDINTEST_H

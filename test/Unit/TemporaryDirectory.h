//===- TemporaryDirectory.h - a directory for one test ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TEST_UNIT_TEMPORARYDIRECTORY_H
#define CONV_TEST_UNIT_TEMPORARYDIRECTORY_H

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>
#include <string>
#include <vector>

namespace conv::test {

/// A fresh directory that is removed with the object.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string name =
        (std::filesystem::temp_directory_path() / "conv-test-XXXXXX").string();
    root = ::mkdtemp(name.data());
  }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(root); }

  std::string path(const std::string &name) const {
    return (root / name).string();
  }

  /// Names of the files in it, to see leftovers of a failure.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto &entry : std::filesystem::directory_iterator(root))
      result.push_back(entry.path().filename().string());
    return result;
  }

  void write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  std::string read(const std::string &name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

private:
  std::filesystem::path root;
};

} // namespace conv::test

#endif // CONV_TEST_UNIT_TEMPORARYDIRECTORY_H

//===- Jit.h - what was compiled before, in memory and files ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_JIT_H
#define CONV_LIB_COMPILER_JIT_H

#include "FileCache.h"
#include "Request.h"

#include <future>
#include <list>
#include <mutex>
#include <unordered_map>

namespace conv::compiler {

/// Any number of threads may use it. The first thread that asks for an artifact
/// compiles it, the others wait.
class Jit {
public:
  static constexpr int64_t kDefaultBytes = int64_t(256) << 20;

  Jit(FileCache files, int64_t maxBytes)
      : files(std::move(files)), maxBytes(maxBytes) {}

  /// The bytes of the artifact. Errors are not kept.
  Result<Bytes> compile(const Request &request);

  struct Statistics {
    uint64_t memoryHits = 0, fileHits = 0, compilations = 0;
  };
  Statistics getStatistics() const;

private:
  using Future = std::shared_future<Result<Bytes>>;
  struct Place {
    Future future;
    int64_t bytes = 0;                        ///< Zero until it is compiled.
    std::list<std::string>::iterator inOrder; ///< Its place in `order`.
  };

  /// The artifact of the key, or a promise that the caller fulfills.
  std::variant<Future, std::promise<Result<Bytes>>>
  find(const std::string &key);
  Result<Bytes> make(const std::string &key, const Request &request);
  void keep(const std::string &key, const Result<Bytes> &made);

  const FileCache files;
  const int64_t maxBytes;
  mutable std::mutex mutex; ///< Guards all members below.
  std::unordered_map<std::string, Place> places;
  std::list<std::string> order; ///< Keys, the least recently used first.
  int64_t bytes = 0;
  Statistics statistics;
};

} // namespace conv::compiler

#endif // CONV_LIB_COMPILER_JIT_H

//===- Memory.h - the memory that kernels may touch -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registered buffers, and the bytes of them that a launch has touched.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_MEMORY_H
#define CONV_LIB_RUNTIME_SIM_MEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace conv::runtime::sim {

/// A set of bytes that several threads add to.
class ByteSet {
public:
  void reset(size_t bytes);
  void insert(uint64_t offset, uint64_t bytes);
  uint64_t count() const;

private:
  std::unique_ptr<std::atomic<uint64_t>[]> words;
  size_t wordCount = 0;
};

struct MemoryBuffer {
  uint64_t address;
  uint64_t bytes;
  ByteSet read, written;
};

/// All buffers of a machine, by address.
class Memory {
public:
  void add(const void *address, size_t bytes);
  void remove(const void *address);

  /// The buffer that contains all of the bytes, or null.
  MemoryBuffer *find(uint64_t address, uint64_t bytes) const;

  /// Describes the place of `address` relative to the nearest buffer.
  std::string describe(uint64_t address) const;

  void resetTouched();
  uint64_t countRead() const;
  uint64_t countWritten() const;

private:
  std::vector<std::unique_ptr<MemoryBuffer>> buffers; ///< Sorted by address.
};

} // namespace conv::runtime::sim

#endif // CONV_LIB_RUNTIME_SIM_MEMORY_H

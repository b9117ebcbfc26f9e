//===- Memory.cpp - the memory that kernels may touch ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sorted list with binary search, since buffers are few. Touched bytes are
// bits that all threads of a launch set.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>
#include <bit>

using namespace conv::runtime::sim;

void ByteSet::reset(size_t bytes) {
  wordCount = (bytes + 63) / 64;
  words = std::make_unique<std::atomic<uint64_t>[]>(wordCount);
}

void ByteSet::insert(uint64_t offset, uint64_t bytes) {
  while (bytes > 0) {
    uint64_t bit = offset % 64;
    uint64_t taken = std::min<uint64_t>(bytes, 64 - bit);
    uint64_t ones = taken == 64 ? ~0ull : (1ull << taken) - 1;
    std::atomic<uint64_t> &word = words[offset / 64];
    // Most bytes are touched many times; a plain read is cheaper.
    if ((word.load(std::memory_order_relaxed) & ones << bit) != ones << bit)
      word.fetch_or(ones << bit, std::memory_order_relaxed);
    offset += taken;
    bytes -= taken;
  }
}

uint64_t ByteSet::count() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < wordCount; ++i)
    sum += std::popcount(words[i].load(std::memory_order_relaxed));
  return sum;
}

static bool startsBefore(const std::unique_ptr<MemoryBuffer> &buffer,
                         uint64_t address) {
  return buffer->address < address;
}

void Memory::add(const void *address, size_t bytes) {
  auto buffer = std::make_unique<MemoryBuffer>();
  buffer->address = reinterpret_cast<uint64_t>(address);
  buffer->bytes = bytes;
  auto place = std::lower_bound(buffers.begin(), buffers.end(), buffer->address,
                                startsBefore);
  buffers.insert(place, std::move(buffer));
}

void Memory::remove(const void *address) {
  uint64_t start = reinterpret_cast<uint64_t>(address);
  auto place =
      std::lower_bound(buffers.begin(), buffers.end(), start, startsBefore);
  if (place != buffers.end() && (*place)->address == start)
    buffers.erase(place);
}

MemoryBuffer *Memory::find(uint64_t address, uint64_t bytes) const {
  auto next = std::lower_bound(buffers.begin(), buffers.end(), address + 1,
                               startsBefore);
  if (next == buffers.begin())
    return nullptr;
  MemoryBuffer *buffer = std::prev(next)->get();
  uint64_t offset = address - buffer->address;
  if (offset > buffer->bytes || bytes > buffer->bytes - offset)
    return nullptr;
  return buffer;
}

std::string Memory::describe(uint64_t address) const {
  const MemoryBuffer *nearest = nullptr;
  uint64_t nearestDistance = ~0ull;
  bool isBehind = false;
  for (const auto &buffer : buffers) {
    bool before = address < buffer->address;
    uint64_t end = buffer->address + buffer->bytes;
    uint64_t distance = before           ? buffer->address - address
                        : address >= end ? address - end
                                         : 0;
    if (distance < nearestDistance) {
      nearest = buffer.get();
      nearestDistance = distance;
      isBehind = !before;
    }
  }
  if (!nearest)
    return "no buffer is registered";
  std::string size = std::to_string(nearest->bytes) + " bytes";
  if (nearestDistance == 0 && isBehind &&
      address < nearest->address + nearest->bytes)
    return "it starts at byte " + std::to_string(address - nearest->address) +
           " of a buffer of " + size;
  return "it starts " + std::to_string(nearestDistance) + " bytes " +
         (isBehind ? "after the end" : "before the start") +
         " of the nearest buffer, which has " + size;
}

void Memory::resetTouched() {
  for (auto &buffer : buffers) {
    buffer->read.reset(buffer->bytes);
    buffer->written.reset(buffer->bytes);
  }
}

uint64_t Memory::countRead() const {
  uint64_t sum = 0;
  for (const auto &buffer : buffers)
    sum += buffer->read.count();
  return sum;
}

uint64_t Memory::countWritten() const {
  uint64_t sum = 0;
  for (const auto &buffer : buffers)
    sum += buffer->written.count();
  return sum;
}

//===- Caches.h - which lines a cache has -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set-associative cache of line numbers that replaces the least recently used
// line. A hash chooses sets, as caches do against powers of two.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CLOCK_CACHES_H
#define CONV_LIB_CLOCK_CACHES_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace conv::clock {

class LineCache {
public:
  LineCache(int64_t bytes, int64_t lineBytes) {
    uint64_t sets = std::bit_floor(
        uint64_t(std::max<int64_t>(1, bytes / lineBytes / kWays)));
    ways = int(std::max<int64_t>(1, bytes / lineBytes / int64_t(sets)));
    mask = sets - 1;
    tags.assign(sets * uint64_t(ways), ~0ull);
  }

  /// Whether the line was present; it becomes the most recently used one.
  bool touch(uint64_t line) {
    uint64_t hash = line * 0x9e3779b97f4a7c15;
    auto set = tags.begin() + int64_t((hash >> 32 & mask) * uint64_t(ways));
    auto end = set + ways;
    auto found = std::find(set, end, line);
    bool isHit = found != end;
    if (!isHit)
      found = end - 1;
    std::move_backward(set, found, found + 1);
    *set = line;
    return isHit;
  }

private:
  static constexpr int64_t kWays = 16;
  int ways;
  uint64_t mask;
  std::vector<uint64_t> tags;
};

} // namespace conv::clock

#endif // CONV_LIB_CLOCK_CACHES_H

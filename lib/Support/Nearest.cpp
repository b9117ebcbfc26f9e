//===- Nearest.cpp - what a misspelt name was meant to be -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Nearest.h"

#include <algorithm>
#include <climits>
#include <utility>

using namespace conv;

int conv::computeEditDistance(const std::string &from, const std::string &to) {
  // Row i holds the distances of the first i letters of `from`; the last three
  // rows are kept.
  std::vector<int> before, last, row(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j)
    row[j] = int(j);
  for (size_t i = 1; i <= from.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = int(i);
    for (size_t j = 1; j <= to.size(); ++j) {
      int replaced = last[j - 1] + (from[i - 1] != to[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      bool isExchange = i > 1 && j > 1 && from[i - 1] == to[j - 2] &&
                        from[i - 2] == to[j - 1];
      if (isExchange)
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[to.size()];
}

std::string conv::findNearest(const std::string &name,
                              const std::vector<std::string> &names) {
  std::string nearest;
  int least = INT_MAX;
  for (const std::string &other : names) {
    bool begins = name.size() >= 3 && other.starts_with(name);
    int distance = begins ? 1 : computeEditDistance(name, other);
    int allowed = int(std::max(name.size(), other.size())) / 3;
    if (distance <= allowed && distance < least) {
      least = distance;
      nearest = other;
    }
  }
  return nearest;
}

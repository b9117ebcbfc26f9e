//===- ChooseSizes.cpp - run-time sizes from a command line -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChooseSizes.h"

#include <charconv>
#include <optional>

using namespace conv;
using namespace conv::tools;

Result<std::map<std::string, int64_t>>
tools::parseSizes(const std::vector<std::string> &pairs) {
  std::map<std::string, int64_t> sizes;
  for (const std::string &pair : pairs) {
    size_t equals = pair.find('=');
    const char *end = pair.data() + pair.size();
    int64_t number = 0;
    std::from_chars_result read{end, std::errc::invalid_argument};
    if (equals != 0 && equals != std::string::npos)
      read = std::from_chars(pair.data() + equals + 1, end, number);
    if (read.ec != std::errc() || read.ptr != end)
      return badInput("--size expects NAME=NUMBER, but got " + pair);
    if (!sizes.emplace(pair.substr(0, equals), number).second)
      return badInput("--size expects each name once, but got " +
                      pair.substr(0, equals) + " again");
  }
  return sizes;
}

/// The value of size `number` in the shapes of arguments, or none.
static std::optional<int64_t> findIn(const artifact::Entry &entry,
                                     int64_t number, const GivenSizes &given) {
  for (const artifact::Argument &argument : entry.arguments) {
    auto known = given.shapes.find(argument.name);
    if (known == given.shapes.end() ||
        known->second.size() != argument.shape.size())
      continue;
    for (size_t d = 0; d < argument.shape.size(); ++d)
      if (argument.shape[d] == artifact::encodeSize(number))
        return known->second[d];
  }
  return std::nullopt;
}

Result<std::vector<int64_t>> tools::chooseSizes(const artifact::Entry &entry,
                                                const GivenSizes &given) {
  std::map<std::string, int64_t> unknown = given.sizes;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < entry.sizes.size(); ++i) {
    const std::string &name = entry.sizes[i].name;
    unknown.erase(name);
    auto number = given.sizes.find(name);
    std::optional<int64_t> size = number != given.sizes.end()
                                      ? number->second
                                      : findIn(entry, int64_t(i), given);
    if (!size)
      return badInput(entry.function + " expects --size " + name +
                      "=NUMBER for its run-time size, but got none");
    sizes.push_back(*size);
  }
  if (!unknown.empty())
    return badInput(entry.function +
                    " expects --size for a run-time size, but got " +
                    unknown.begin()->first);
  return sizes;
}

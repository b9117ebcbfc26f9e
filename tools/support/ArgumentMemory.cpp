//===- ArgumentMemory.cpp - an argument's memory, with gaps -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentMemory.h"

#include "conv/Support/ElementType.h"

#include <algorithm>
#include <cstring>

using namespace conv;
using namespace conv::tools;

/// A larger gap separates two extents.
static constexpr size_t kMaxGap = size_t(1) << 20;
static constexpr char kUnwritten = '\xff';

bool tools::isContiguous(const artifact::Argument &argument) {
  int64_t stride = 1;
  for (size_t d = argument.shape.size(); d-- > 0; stride *= argument.shape[d])
    if (argument.strides[d] != stride && argument.shape[d] > 1)
      return false;
  return true;
}

/// Calls `visit` with the position in memory of each element of an argument, in
/// the order of its shape.
template <typename Visit>
static void forEachElement(const artifact::Argument &argument, Visit visit) {
  std::vector<int64_t> index(argument.shape.size(), 0);
  int64_t offset = 0;
  for (bool more = true; more;) {
    visit(size_t(offset));
    more = false;
    for (size_t d = index.size(); d-- > 0 && !more;) {
      more = ++index[d] < argument.shape[d];
      offset += argument.strides[d];
      if (!more) {
        offset -= argument.shape[d] * argument.strides[d];
        index[d] = 0;
      }
    }
  }
}

ArgumentMemory::ArgumentMemory(const artifact::Argument &argument)
    : argument(argument),
      width(size_t(elementBytes(*lookupElementType(argument.dtype)))) {
  auto bytes = size_t(artifact::bufferBytes(argument));
  if (isContiguous(argument)) {
    extents.emplace(0, std::string(bytes, kUnwritten));
    return;
  }
  std::vector<size_t> places;
  forEachElement(argument,
                 [&](size_t offset) { places.push_back(offset * width); });
  std::sort(places.begin(), places.end());
  size_t begin = 0;
  for (size_t i = 1; i <= places.size(); ++i) {
    size_t end = places[i - 1] + width;
    if (i < places.size() && places[i] <= end + kMaxGap)
      continue;
    extents.emplace(begin, std::string(end - begin, kUnwritten));
    begin = i < places.size() ? places[i] : bytes;
  }
}

void ArgumentMemory::place(const std::string &elements) {
  const char *next = elements.data();
  forEachElement(argument, [&](size_t offset) {
    auto &[begin, memory] = *--extents.upper_bound(offset * width);
    std::memcpy(memory.data() + (offset * width - begin), next, width);
    next += width;
  });
}

std::string ArgumentMemory::collect() const {
  std::string elements;
  forEachElement(argument, [&](size_t offset) {
    const auto &[begin, memory] = *--extents.upper_bound(offset * width);
    elements.append(memory, offset * width - begin, width);
  });
  return elements;
}

Result<void> ArgumentMemory::upload(runtime::Device &device,
                                    void *address) const {
  for (const auto &[begin, memory] : extents)
    if (Result<void> copied =
            device.copyToDevice(static_cast<char *>(address) + begin,
                                memory.data(), int64_t(memory.size()));
        !copied)
      return copied;
  return {};
}

Result<void> ArgumentMemory::download(runtime::Device &device, void *address) {
  for (auto &[begin, memory] : extents)
    if (Result<void> copied = device.copyToHost(
            memory.data(), static_cast<char *>(address) + begin,
            int64_t(memory.size()));
        !copied)
      return copied;
  return {};
}

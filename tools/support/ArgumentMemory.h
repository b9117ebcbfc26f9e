//===- ArgumentMemory.h - an argument's memory, with gaps -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements may be gigabytes apart. Only the extents of memory that have
// elements are copied to a device and back, with the gaps between elements that
// are less than a megabyte apart.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_ARGUMENTMEMORY_H
#define CONV_TOOLS_SUPPORT_ARGUMENTMEMORY_H

#include "conv/Artifact/Artifact.h"
#include "conv/Runtime/Driver.h"
#include "conv/Support/Result.h"

#include <map>
#include <string>

namespace conv::tools {

/// Whether elements lie in memory in the order of their shape, without gaps.
bool isContiguous(const artifact::Argument &argument);

/// The memory of an argument on this machine.
class ArgumentMemory {
public:
  /// All bytes are those of unwritten memory: NaN in every floating type.
  explicit ArgumentMemory(const artifact::Argument &argument);

  /// Writes elements, which are in the order of the shape.
  void place(const std::string &elements);
  /// Reads the elements in the order of the shape.
  std::string collect() const;

  Result<void> upload(runtime::Device &device, void *address) const;
  Result<void> download(runtime::Device &device, void *address);

private:
  const artifact::Argument &argument;
  size_t width;                          ///< The bytes of an element.
  std::map<size_t, std::string> extents; ///< By the place of the first byte.
};

} // namespace conv::tools

#endif // CONV_TOOLS_SUPPORT_ARGUMENTMEMORY_H

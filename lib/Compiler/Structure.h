//===- Structure.h - structures of older and newer headers ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure of the C interface grows only at its end and says how long its
// caller's version is. What an older caller does not have is zero, the default;
// what a newer caller has besides must be zero, since it would be ignored.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_COMPILER_STRUCTURE_H
#define CONV_LIB_COMPILER_STRUCTURE_H

#include "conv/Support/Result.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace conv::compiler {

/// No structure has more bytes, whatever its version.
inline constexpr size_t kMostStructureBytes = 4096;

/// Checks the size that a structure says it has.
inline Result<void> checkStructureSize(size_t size, size_t least,
                                       const char *name) {
  if (size >= least && size <= kMostStructureBytes)
    return {};
  return Error{ErrorKind::BadInput,
               std::string("expects ") + name + " of " + std::to_string(least) +
                   " to " + std::to_string(kMostStructureBytes) +
                   " bytes (struct_size), but got " + std::to_string(size)};
}

/// Copies a caller's structure, which has at least `least` bytes and zeros
/// after those of `T`; none stands for one of zeros.
template <typename T>
Result<T> readStructure(const T *given, size_t least, const char *name) {
  T structure = {};
  if (!given)
    return structure;
  size_t size = given->struct_size;
  if (Result<void> known = checkStructureSize(size, least, name); !known)
    return known.error();
  const char *bytes = reinterpret_cast<const char *>(given);
  size_t common = std::min(size, sizeof(T));
  if (std::any_of(bytes + common, bytes + size, [](char c) { return c != 0; }))
    return Error{ErrorKind::BadInput,
                 std::string("expects ") + name + " with zeros after the " +
                     std::to_string(sizeof(T)) +
                     " bytes that this version knows, but got others in the " +
                     std::to_string(size) + " bytes (struct_size)"};
  std::memcpy(&structure, given, common);
  return structure;
}

/// The bytes of `T` up to the end of a field: the least of its structures.
#define CONV_BYTES_THROUGH(T, field) (offsetof(T, field) + sizeof(T::field))

} // namespace conv::compiler

#endif // CONV_LIB_COMPILER_STRUCTURE_H

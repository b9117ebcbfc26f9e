//===- Npy.h - NumPy's .npy files -------------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays in and out of tools, in the format of NumPy (versions 1 to 3, little
// endian, C order). NumPy has no bfloat16 and no 8-bit floats: these are stored
// as the bit patterns of unsigned integers.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_NPY_H
#define CONV_SUPPORT_NPY_H

#include "conv/Support/ElementType.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conv {

/// An array and its bytes in C order.
struct NpyArray {
  /// Type of the file: F64, F32, F16, I32, I16, I8, U16 or U8.
  ElementType type;
  std::vector<int64_t> shape;
  std::string bytes;
};

/// The type whose bits a .npy file stores for `type`: U16 for BF16, U8 for the
/// 8-bit floats, and `type` itself for the others.
ElementType npyStorage(ElementType type);

/// Elements of `shape`, or -1 if a size is negative or the product overflows.
int64_t elementCount(const std::vector<int64_t> &shape);

/// Reads an array of at most `maxBytes` bytes of data.
Result<NpyArray> readNpy(const std::string &path, int64_t maxBytes = int64_t(1)
                                                                     << 36);

/// Reads an array from the bytes of a file; `name` is for messages.
Result<NpyArray> parseNpy(std::string_view file, const std::string &name);

/// The bytes of a version 1 file. `array.type` may be any type; its bits are
/// stored as `npyStorage` says.
std::string formatNpy(const NpyArray &array);

/// Writes `formatNpy(array)`; a failure leaves no partial file.
Result<void> writeNpy(const std::string &path, const NpyArray &array);

} // namespace conv

#endif // CONV_SUPPORT_NPY_H

//===- ElementType.h - element types of tensors in memory -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types as manifests and .npy files name them, their storage, and exact
// conversions to and from `double`. Every value of every type here is a double,
// so arithmetic that must be a reference is done in double and rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_ELEMENTTYPE_H
#define CONV_SUPPORT_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace conv {

/// Storage types of tensors. The four 8-bit floats are OCP's E4M3 and E5M2 and
/// the "FNUZ" forms of gfx942, which have neither infinity nor negative zero.
enum class ElementType {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  I64,
  I32,
  I16,
  I8,
  U16,
  U8,
};

/// "f16", "f8E4M3FN", "i8": MLIR's spelling; unsigned types are "u8", "u16".
std::string_view elementTypeName(ElementType type);
std::optional<ElementType> lookupElementType(std::string_view name);

int64_t elementBytes(ElementType type);
bool isFloat(ElementType type);

/// The value of element `index` of the array at `data`, exactly, except for
/// 64-bit integers beyond 2^53.
double loadElement(ElementType type, const void *data, int64_t index);

/// Stores `value` rounded to nearest even. Beyond the largest finite value, a
/// floating type stores infinity, or NaN if it has no infinity; an integer type
/// stores its nearest limit, and zero for NaN.
void storeElement(ElementType type, void *data, int64_t index, double value);

/// `value` as stored in `type`.
double roundTo(ElementType type, double value);

/// The distance between neighbouring values of `type` at `value`: the unit of
/// `output_ulp`. Subnormal spacing near zero; 1 for integers.
double ulp(ElementType type, double value);

} // namespace conv

#endif // CONV_SUPPORT_ELEMENTTYPE_H

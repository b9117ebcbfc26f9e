//===- TransformRoundings.h - roundings of transforms -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transform multiplies by a small constant matrix, such as one of Winograd's
// algorithm, in f32: a product for the first element of a row that is not zero,
// and a fused multiply-add for each other one (docs/numerics.md, "The
// transforms").
//
//===----------------------------------------------------------------------===//

#ifndef CONV_NUMERICS_TRANSFORMROUNDINGS_H
#define CONV_NUMERICS_TRANSFORMROUNDINGS_H

#include <cstdint>
#include <vector>

namespace conv {

/// A row of such a matrix, as it is or rounded to f32.
using TransformRow = std::vector<double>;

/// The operations on a term of a row, at most, with the rounding of an element
/// that no f32 is.
int64_t countTransformOperations(const TransformRow &row);

/// How often they round a term, at most: the first product is exact if its
/// factor is a power of two, and the other terms have one operation less.
int64_t countTransformRoundings(const TransformRow &row);

} // namespace conv

#endif // CONV_NUMERICS_TRANSFORMROUNDINGS_H

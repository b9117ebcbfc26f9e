//===- IntegerMath.h - division that rounds up ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_INTEGERMATH_H
#define CONV_SUPPORT_INTEGERMATH_H

#include <cstdint>

namespace conv {

/// `a / b`, rounded up; `a` is not negative and `b` is positive.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// The smallest multiple of `b` that is not below `a`.
constexpr int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

} // namespace conv

#endif // CONV_SUPPORT_INTEGERMATH_H

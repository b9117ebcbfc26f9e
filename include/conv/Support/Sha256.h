//===- Sha256.h - digests of code files -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_SHA256_H
#define CONV_SUPPORT_SHA256_H

#include <string>
#include <string_view>

namespace conv {

/// The SHA-256 digest of `bytes` (FIPS 180-4) as 64 lower-case hex digits.
std::string sha256Hex(std::string_view bytes);

} // namespace conv

#endif // CONV_SUPPORT_SHA256_H

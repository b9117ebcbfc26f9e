//===- Blob.h - bytes and what keeps them -----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_BLOB_H
#define CONV_SUPPORT_BLOB_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace conv {

/// Bytes that exist as long as a copy of this does: of a mapped file, say.
struct Blob {
  std::shared_ptr<const void> owner;
  std::string_view bytes;

  static Blob fromString(std::string text) {
    auto kept = std::make_shared<const std::string>(std::move(text));
    return {kept, *kept};
  }

  bool isAligned(int64_t alignment) const {
    return reinterpret_cast<uintptr_t>(bytes.data()) % uintptr_t(alignment) ==
           0;
  }
};

} // namespace conv

#endif // CONV_SUPPORT_BLOB_H

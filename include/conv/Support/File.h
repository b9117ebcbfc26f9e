//===- File.h - whole files, read and written -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_FILE_H
#define CONV_SUPPORT_FILE_H

#include "conv/Support/Blob.h"
#include "conv/Support/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace conv {

/// The most bytes of a file whose size the system does not know: a pipe, or a
/// device such as /dev/zero, which has no end.
inline constexpr int64_t kMaxStreamBytes = int64_t(1) << 30;

/// Reads a whole file of at most `maxBytes`. A file that is missing, not
/// readable or too long is `BadInput`; an error of the disk, or too
/// little memory, is `System`. If a file does not start with `magic`,
/// only its beginning is read and returned, for the caller's parser to
/// refuse.
Result<std::string> readFile(const std::string &path, int64_t maxBytes,
                             std::string_view magic = {});

/// Reads a file; a regular file is mapped rather than copied. The bytes change
/// with the file: whoever replaces a file in use must rename the new one to its
/// path, as `writeFile` does.
Result<Blob> mapFile(const std::string &path, int64_t maxBytes,
                     std::string_view magic = {});

/// The beginning of the names of `writeFile`'s temporary files.
inline constexpr std::string_view kTemporaryPrefix = ".conv-tmp-";

/// Writes a whole file. The bytes go to a temporary file beside `path`, which
/// is renamed once complete and removed after a failure, so `path` is either
/// untouched or whole; a replaced file keeps its permissions. A device or pipe
/// (/dev/stdout) is written directly. Any failure is `System` and names the
/// file.
Result<void> writeFile(const std::string &path, std::string_view bytes);

/// Writes a file that consists of several buffers, one after the other.
Result<void> writeFile(const std::string &path,
                       std::span<const std::string_view> buffers);

} // namespace conv

#endif // CONV_SUPPORT_FILE_H

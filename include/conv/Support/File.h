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

/// Reads a whole file of at most `maxBytes`. A file that is missing, not
/// readable or too long is `BadInput`; an error of the disk, or too little
/// memory, is `System`. A file that does not start with `magic` is not read
/// further than that shows: its beginning is the result, for the caller's
/// parser to refuse.
Result<std::string> readFile(const std::string &path, int64_t maxBytes,
                             std::string_view magic = {});

/// Reads a file; a regular one is mapped and not copied. What it holds changes
/// with the file: whoever replaces one that is in use does so by a rename, as
/// `writeFile` does.
Result<Blob> mapFile(const std::string &path, int64_t maxBytes,
                     std::string_view magic = {});

/// Writes a whole file. The bytes go to a temporary file beside `path`, which
/// is renamed once complete and removed after a failure, so `path` is either
/// untouched or whole; a file that is replaced keeps its permissions. A device
/// or pipe (/dev/stdout) is written directly. Any failure is `System` and names
/// the file.
Result<void> writeFile(const std::string &path, std::string_view bytes);

/// Writes a file of several pieces.
Result<void> writeFile(const std::string &path,
                       std::span<const std::string_view> pieces);

} // namespace conv

#endif // CONV_SUPPORT_FILE_H

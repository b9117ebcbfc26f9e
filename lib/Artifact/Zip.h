//===- Zip.h - the part of the zip format that is used ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Zip files in memory over zlib, so that a host application that loads the
// runtime loads no other archive library with it. Files have one part, with
// 64-bit records where necessary; members are stored or deflated, and not
// encrypted.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_ARTIFACT_ZIP_H
#define CONV_ARTIFACT_ZIP_H

#include "conv/Support/Result.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace conv::artifact {

/// Builds a zip file. Equal members in equal order give equal bytes.
class ZipWriter {
public:
  /// Adds a member, deflated, as a file with write permission for its owner,
  /// dated 1980-01-01.
  Result<void> add(const std::string &name, std::string_view content);

  /// Adds a member stored as it is, at a multiple of `kStoredAlignment` bytes
  /// of the file. `content` must outlive the buffers that `finish` returns.
  Result<void> addStored(const std::string &name, std::string_view content);

  /// The whole file, in buffers that live as long as the writer.
  Result<std::vector<std::string_view>> finish();

private:
  Result<void> append(const std::string &name, std::string_view content,
                      std::string_view data, bool isDeflated);
  void append(std::string_view buffer);

  std::deque<std::string> owned; ///< The memory of buffers other than content.
  std::vector<std::string_view> buffers;
  uint64_t fileBytes = 0;
  std::string directory;
  size_t count = 0;
};

/// The content of a stored member starts at a multiple of this many bytes: a
/// cache line, which suits every element type.
inline constexpr size_t kStoredAlignment = 64;

/// The directory's facts about a member.
struct ZipMember {
  std::string name;
  uint32_t checksum;
  uint64_t size;     ///< Inflated bytes.
  size_t dataOffset; ///< Offset of its bytes in the file.
  size_t dataSize;   ///< Number of its bytes there.
  bool isDeflated;
};

/// Lists and inflates the members of a zip file, which must outlive the reader.
/// The file is untrusted: errors are `BadInput`, and say what is wrong with it.
class ZipReader {
public:
  /// Reads the directory, and compares it with the header of each member.
  static Result<ZipReader> open(std::string_view bytes);

  const std::vector<ZipMember> &members() const { return list; }

  /// The content of a member: exactly `size` bytes of the right checksum.
  Result<std::string> read(const ZipMember &member) const;

  /// The bytes of a member as stored in the file.
  std::string_view view(const ZipMember &member) const {
    return bytes.substr(member.dataOffset, member.dataSize);
  }

private:
  std::string_view bytes;
  std::vector<ZipMember> list;
};

} // namespace conv::artifact

#endif // CONV_ARTIFACT_ZIP_H

//===- ZipFormat.h - records of a zip file ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three records of a zip file: the header before each member, its copy in
// the directory, and the end of the directory. Numbers are little-endian, as on
// every machine that this code supports.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_ARTIFACT_ZIPFORMAT_H
#define CONV_ARTIFACT_ZIPFORMAT_H

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace conv::artifact::zip {

static_assert(std::endian::native == std::endian::little);

/// Values of `Content::method`.
enum Method : uint16_t { Stored = 0, Deflated = 8 };

/// Bits of `Content::flags`.
enum Flag : uint16_t {
  Encrypted = 1 << 0,
  SizesFollow = 1 << 3, ///< Header's checksum and sizes are zero.
};

/// The common part of a member's header and of its copy in the directory.
struct [[gnu::packed]] Content {
  uint16_t versionNeeded = 20;
  uint16_t flags = 0;
  uint16_t method = Deflated;
  uint16_t time = 0;
  uint16_t date = 1 << 5 | 1; ///< 1980-01-01, the first possible date.
  uint32_t checksum = 0;
  uint32_t compressedSize = 0;
  uint32_t size = 0;
  uint16_t nameSize = 0;
  uint16_t extraSize = 0;
};

/// Precedes the name, the extra field and the bytes of a member.
struct [[gnu::packed]] LocalHeader {
  uint32_t signature = kSignature;
  Content content;

  static constexpr uint32_t kSignature = 0x04034b50;
};

/// An extra field that Android's zipalign uses as well: the alignment, then
/// zeros.
struct [[gnu::packed]] PaddingHeader {
  uint16_t id = 0xd935;
  uint16_t size = 2; ///< Bytes after the first `kStart` ones.
  uint16_t alignment = 64;

  static constexpr size_t kStart = 4;
};

/// Precedes the name, the extra field and the comment of a member in the
/// directory.
struct [[gnu::packed]] DirectoryHeader {
  uint32_t signature = kSignature;
  uint16_t versionMadeBy = 3 << 8 | 20; ///< On Unix.
  Content content;
  uint16_t commentSize = 0;
  uint16_t disk = 0;
  uint16_t internalAttributes = 0;
  uint32_t externalAttributes = uint32_t(0100644) << 16; ///< -rw-r--r--.
  uint32_t headerOffset = 0;

  static constexpr uint32_t kSignature = 0x02014b50;
};

/// The value of a 32-bit field whose value is in a 64-bit field elsewhere.
inline constexpr uint32_t kElsewhere = UINT32_MAX;

/// An extra field with 64-bit values that replace `kElsewhere` in a header: the
/// size, the compressed size and the header's offset.
struct [[gnu::packed]] WideHeader {
  uint16_t id = kId;
  uint16_t size = 0; ///< Bytes of the values.

  static constexpr uint16_t kId = 1;
};

/// Follows a directory whose place does not fit `DirectoryEnd`.
struct [[gnu::packed]] WideDirectoryEnd {
  uint32_t signature = kSignature;
  uint64_t recordSize = 44; ///< Bytes after this field.
  uint16_t versionMadeBy = 3 << 8 | 45;
  uint16_t versionNeeded = 45;
  uint32_t disk = 0;
  uint32_t directoryDisk = 0;
  uint64_t countOnDisk = 0;
  uint64_t count = 0;
  uint64_t directorySize = 0;
  uint64_t directoryOffset = 0;

  static constexpr uint32_t kSignature = 0x06064b50;
};

/// Follows the `WideDirectoryEnd` and has its offset.
struct [[gnu::packed]] WideDirectoryLocator {
  uint32_t signature = kSignature;
  uint32_t disk = 0;
  uint64_t endOffset = 0;
  uint32_t disks = 1;

  static constexpr uint32_t kSignature = 0x07064b50;
};

/// Follows the directory, before the comment of the file.
struct [[gnu::packed]] DirectoryEnd {
  uint32_t signature = kSignature;
  uint16_t disk = 0;
  uint16_t directoryDisk = 0;
  uint16_t countOnDisk = 0;
  uint16_t count = 0;
  uint32_t directorySize = 0;
  uint32_t directoryOffset = 0;
  uint16_t commentSize = 0;

  static constexpr uint32_t kSignature = 0x06054b50;
};

/// Appends the bytes of a record.
template <typename Record>
void append(std::string &bytes, const Record &record) {
  bytes.append(reinterpret_cast<const char *>(&record), sizeof(record));
}

/// Reads a record at `offset` into `record`. False if the bytes end before the
/// record does, or its signature differs.
template <typename Record>
bool read(std::string_view bytes, size_t offset, Record &record) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(record))
    return false;
  std::memcpy(&record, bytes.data() + offset, sizeof(record));
  return record.signature == Record::kSignature;
}

} // namespace conv::artifact::zip

#endif // CONV_ARTIFACT_ZIPFORMAT_H

//===- ZipReader.cpp - reading zip files ------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is trusted only where its parts agree: the directory ends where its
// end record starts, fills the bytes between the members and that record, and
// equals the headers of the members.
//
//===----------------------------------------------------------------------===//

#include "Zip.h"
#include "ZipFormat.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <zlib.h>

using namespace conv;
using namespace conv::artifact;

static Error bad(const std::string &why) { return {ErrorKind::BadInput, why}; }

static Error notWhole(const std::string &why) {
  return bad("expects a whole artifact (.convpack, a zip file), but " + why);
}

/// Finds the end record: the last offset from which the record and its comment
/// extend exactly to the end of the file.
static std::optional<size_t> findEnd(std::string_view bytes,
                                     zip::DirectoryEnd &end) {
  constexpr size_t kMaxComment = 65535;
  if (bytes.size() < sizeof(end))
    return std::nullopt;
  size_t last = bytes.size() - sizeof(end);
  for (size_t back = 0; back <= std::min(last, kMaxComment); ++back)
    if (zip::read(bytes, last - back, end) && end.commentSize == back)
      return last - back;
  return std::nullopt;
}

namespace {
/// The place of a directory in the file.
struct DirectoryPlace {
  uint64_t offset, size, count;
  bool isOnOneDisk;
};

/// Sizes and offset of a member, from its header or its extra field.
struct MemberPlace {
  uint64_t size, compressedSize, headerOffset;
};
} // namespace

/// The place that the end record, or the 64-bit record before it, states; none
/// if records are not where these say.
static std::optional<DirectoryPlace>
findDirectory(std::string_view bytes, size_t endOffset,
              const zip::DirectoryEnd &end) {
  if (end.directoryOffset != zip::kElsewhere)
    return DirectoryPlace{end.directoryOffset, end.directorySize, end.count,
                          end.disk == 0 && end.directoryDisk == 0 &&
                              end.countOnDisk == end.count};
  zip::WideDirectoryLocator locator;
  zip::WideDirectoryEnd wide;
  if (endOffset < sizeof(locator) + sizeof(wide))
    return std::nullopt;
  size_t locatorOffset = endOffset - sizeof(locator);
  if (!zip::read(bytes, locatorOffset, locator) ||
      locator.endOffset != locatorOffset - sizeof(wide) ||
      !zip::read(bytes, locator.endOffset, wide))
    return std::nullopt;
  return DirectoryPlace{wide.directoryOffset, wide.directorySize, wide.count,
                        wide.disk == 0 && wide.directoryDisk == 0 &&
                            wide.countOnDisk == wide.count};
}

/// The place of a member; `extra` may have values that its header lacks. False
/// if neither has them.
static bool readPlace(const zip::Content &content, uint32_t headerOffset,
                      std::string_view extra, MemberPlace &place) {
  std::string_view values;
  for (zip::WideHeader field; extra.size() >= sizeof(field);) {
    std::memcpy(&field, extra.data(), sizeof(field));
    extra.remove_prefix(sizeof(field));
    if (field.size > extra.size())
      break; // Foreign; some archivers leave garbage here.
    if (field.id == zip::WideHeader::kId)
      values = extra.substr(0, field.size);
    extra.remove_prefix(field.size);
  }
  auto widen = [&](uint32_t narrow, uint64_t &value) {
    value = narrow;
    if (narrow != zip::kElsewhere)
      return true;
    if (values.size() < sizeof(value))
      return false;
    std::memcpy(&value, values.data(), sizeof(value));
    values.remove_prefix(sizeof(value));
    return true;
  };
  return widen(content.size, place.size) &&
         widen(content.compressedSize, place.compressedSize) &&
         widen(headerOffset, place.headerOffset);
}

/// Whether the header before a member agrees with the directory. The header's
/// checksum and sizes may follow the member instead.
static bool agrees(const zip::Content &local, const zip::Content &entry) {
  bool sizesFollow = entry.flags & zip::SizesFollow;
  return local.flags == entry.flags && local.method == entry.method &&
         local.nameSize == entry.nameSize &&
         (sizesFollow || (local.checksum == entry.checksum &&
                          local.compressedSize == entry.compressedSize &&
                          local.size == entry.size));
}

/// The member that a header of the directory describes. `members` is the part
/// of the file before the directory. Messages contain the member's number,
/// because its name has not been checked yet.
static Result<ZipMember> locate(std::string_view members,
                                const zip::Content &content,
                                const MemberPlace &place,
                                const std::string &name, size_t number) {
  std::string member = "member " + std::to_string(number);
  if ((content.flags & zip::Encrypted) ||
      (content.method != zip::Stored && content.method != zip::Deflated))
    return bad("expects " + member + " to be stored or deflated");
  if (place.size > uint64_t(std::numeric_limits<int64_t>::max()))
    return bad("expects " + member + " of less than 2^63 bytes, but got " +
               std::to_string(place.size));
  zip::LocalHeader local;
  if (!zip::read(members, place.headerOffset, local) ||
      !agrees(local.content, content))
    return notWhole(member + " is not where the directory has it");
  size_t nameOffset = place.headerOffset + sizeof(local);
  size_t dataOffset = nameOffset + content.nameSize + local.content.extraSize;
  if (dataOffset > members.size() ||
      place.compressedSize > members.size() - dataOffset ||
      members.substr(nameOffset, content.nameSize) != name)
    return notWhole(member + " is not where the directory has it");
  return ZipMember{
      name,       content.checksum,     place.size,
      dataOffset, place.compressedSize, content.method == zip::Deflated};
}

Result<ZipReader> ZipReader::open(std::string_view bytes) {
  zip::DirectoryEnd end;
  std::optional<size_t> endOffset = findEnd(bytes, end);
  if (!endOffset)
    return notWhole("it has no directory");
  std::optional<DirectoryPlace> place = findDirectory(bytes, *endOffset, end);
  size_t behind = *endOffset;
  if (place && end.directoryOffset == zip::kElsewhere)
    behind -= sizeof(zip::WideDirectoryEnd) + sizeof(zip::WideDirectoryLocator);
  if (!place || !place->isOnOneDisk || place->offset > behind ||
      place->size != behind - place->offset)
    return notWhole("its directory is not where its end is");

  ZipReader reader;
  reader.bytes = bytes;
  std::string_view members = bytes.substr(0, place->offset);
  std::string_view directory = bytes.substr(0, behind);
  size_t offset = place->offset;
  for (size_t i = 0; i < place->count; ++i) {
    zip::DirectoryHeader entry;
    if (!zip::read(directory, offset, entry))
      return notWhole("its directory has fewer members than its end says");
    size_t nameOffset = offset + sizeof(entry);
    size_t extraOffset = nameOffset + entry.content.nameSize;
    offset = extraOffset + entry.content.extraSize + entry.commentSize;
    MemberPlace member;
    if (offset > directory.size() || entry.disk != 0 ||
        !readPlace(entry.content, entry.headerOffset,
                   directory.substr(extraOffset, entry.content.extraSize),
                   member))
      return notWhole("member " + std::to_string(i) + " leaves its directory");
    Result<ZipMember> located = locate(
        members, entry.content, member,
        std::string(directory.substr(nameOffset, entry.content.nameSize)), i);
    if (!located)
      return located.error();
    reader.list.push_back(std::move(*located));
  }
  if (offset != directory.size())
    return notWhole("its directory has more members than its end says");
  return reader;
}

/// Inflates a stream without a header to exactly `size` bytes.
static std::optional<std::string> inflateBytes(std::string_view compressed,
                                               size_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return std::nullopt;
  std::string content(size, '\0');
  Bytef nothing; // zlib needs an address even for zero bytes.
  stream.next_in =
      reinterpret_cast<Bytef *>(const_cast<char *>(compressed.data()));
  stream.avail_in = uInt(compressed.size());
  stream.next_out = size ? reinterpret_cast<Bytef *>(content.data()) : &nothing;
  stream.avail_out = uInt(size);
  int status = inflate(&stream, Z_FINISH);
  bool isWhole = status == Z_STREAM_END && stream.avail_in == 0 &&
                 stream.total_out == size;
  inflateEnd(&stream);
  return isWhole ? std::optional(std::move(content)) : std::nullopt;
}

Result<std::string> ZipReader::read(const ZipMember &member) const {
  std::string_view data = bytes.substr(member.dataOffset, member.dataSize);
  std::optional<std::string> content;
  if (member.isDeflated)
    content = inflateBytes(data, size_t(member.size));
  else if (member.size == data.size())
    content = std::string(data);
  if (!content)
    return bad("'" + member.name + "' is damaged: expects " +
               std::to_string(member.size) + " bytes");
  auto checksum =
      uint32_t(crc32(0, reinterpret_cast<const Bytef *>(content->data()),
                     uInt(content->size())));
  if (checksum != member.checksum)
    return bad("'" + member.name + "' is damaged: its checksum is another");
  return std::move(*content);
}

//===- ZipWriter.cpp - making zip files -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Zip.h"
#include "ZipFormat.h"

#include <algorithm>
#include <zlib.h>

using namespace conv;
using namespace conv::artifact;

static Error cannotWrite(const std::string &why) {
  return {ErrorKind::System, "cannot make the zip file: " + why};
}

/// The bytes as a deflate stream without a header, at zlib's usual level.
static Result<std::string> deflateBytes(std::string_view content) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS,
                   /*memLevel=*/8, Z_DEFAULT_STRATEGY) != Z_OK)
    return cannotWrite("zlib has no memory");
  std::string compressed(deflateBound(&stream, content.size()), '\0');
  stream.next_in =
      reinterpret_cast<Bytef *>(const_cast<char *>(content.data()));
  stream.avail_in = uInt(content.size());
  stream.next_out = reinterpret_cast<Bytef *>(compressed.data());
  stream.avail_out = uInt(compressed.size());
  int status = deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END)
    return cannotWrite("zlib did not finish");
  return compressed;
}

void ZipWriter::append(std::string_view buffer) {
  buffers.push_back(buffer);
  fileBytes += buffer.size();
}

/// An extra field of a local header that aligns the bytes after it; readers
/// skip the field by its size.
static std::string createPadding(uint64_t offset) {
  std::string field;
  zip::append(field, zip::PaddingHeader{});
  size_t rest = (offset + field.size()) % kStoredAlignment;
  field.append(rest ? kStoredAlignment - rest : 0, '\0');
  zip::PaddingHeader header;
  header.size = uint16_t(field.size() - zip::PaddingHeader::kStart);
  std::memcpy(field.data(), &header, sizeof(header));
  return field;
}

/// Moves values to a 64-bit extra field if they do not fit 32 bits.
class WideValues {
public:
  /// The 32-bit field for `value`.
  uint32_t fit(uint64_t value) {
    if (value < zip::kElsewhere)
      return uint32_t(value);
    values.append(reinterpret_cast<const char *>(&value), sizeof(value));
    return zip::kElsewhere;
  }

  /// The extra field, or nothing.
  std::string field() const {
    std::string field;
    if (!values.empty())
      zip::append(field, zip::WideHeader{.size = uint16_t(values.size())});
    return field + values;
  }

private:
  std::string values;
};

/// Appends a member with `content`, stored in the file as `data`.
Result<void> ZipWriter::append(const std::string &name,
                               std::string_view content, std::string_view data,
                               bool isDeflated) {
  constexpr uint16_t kWideVersion = 45;
  zip::DirectoryHeader entry;
  WideValues wide;
  entry.content.method = isDeflated ? zip::Deflated : zip::Stored;
  entry.content.checksum = uint32_t(crc32_z(
      0, reinterpret_cast<const Bytef *>(content.data()), content.size()));
  entry.content.size = wide.fit(content.size());
  entry.content.compressedSize = wide.fit(data.size());
  entry.content.nameSize = uint16_t(name.size());
  std::string extra = wide.field(); // Local headers have no offset.
  entry.headerOffset = wide.fit(fileBytes);
  std::string directoryExtra = wide.field();
  if (!directoryExtra.empty())
    entry.content.versionNeeded = kWideVersion;
  zip::LocalHeader local{.content = entry.content};
  entry.content.extraSize = uint16_t(directoryExtra.size());
  zip::append(directory, entry);
  directory += name + directoryExtra;

  if (!isDeflated)
    extra +=
        createPadding(fileBytes + sizeof(local) + name.size() + extra.size());
  local.content.extraSize = uint16_t(extra.size());
  std::string &header = owned.emplace_back();
  zip::append(header, local);
  header += name + extra;
  append(header);
  append(data);
  ++count;
  return {};
}

Result<void> ZipWriter::add(const std::string &name, std::string_view content) {
  constexpr size_t kMaxContentBytes = size_t(1) << 31;
  if (content.size() > kMaxContentBytes)
    return cannotWrite("'" + name + "' has " + std::to_string(content.size()) +
                       " bytes, beyond " + std::to_string(kMaxContentBytes));
  Result<std::string> compressed = deflateBytes(content);
  if (!compressed)
    return compressed.error();
  owned.push_back(std::move(*compressed));
  return append(name, content, owned.back(), /*isDeflated=*/true);
}

Result<void> ZipWriter::addStored(const std::string &name,
                                  std::string_view content) {
  return append(name, content, content, /*isDeflated=*/false);
}

Result<std::vector<std::string_view>> ZipWriter::finish() {
  constexpr size_t kMaxMembers = 65535;
  if (count > kMaxMembers)
    return cannotWrite("it has " + std::to_string(count) + " members, beyond " +
                       std::to_string(kMaxMembers));
  zip::DirectoryEnd end;
  end.countOnDisk = end.count = uint16_t(count);
  end.directorySize = uint32_t(directory.size());
  end.directoryOffset =
      uint32_t(std::min<uint64_t>(fileBytes, zip::kElsewhere));
  if (end.directoryOffset == zip::kElsewhere) {
    zip::WideDirectoryEnd wide;
    wide.countOnDisk = wide.count = count;
    wide.directorySize = directory.size();
    wide.directoryOffset = fileBytes;
    zip::WideDirectoryLocator locator;
    locator.endOffset = fileBytes + directory.size();
    zip::append(directory, wide);
    zip::append(directory, locator);
  }
  zip::append(directory, end);
  append(directory);
  return buffers;
}

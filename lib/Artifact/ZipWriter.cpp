//===- ZipWriter.cpp - making zip files -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Zip.h"
#include "ZipFormat.h"

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

Result<void> ZipWriter::add(const std::string &name, std::string_view content) {
  constexpr size_t kMaxContentBytes = size_t(1) << 31;
  if (content.size() > kMaxContentBytes)
    return cannotWrite("'" + name + "' has " + std::to_string(content.size()) +
                       " bytes, beyond " + std::to_string(kMaxContentBytes));
  Result<std::string> compressed = deflateBytes(content);
  if (!compressed)
    return compressed.error();

  zip::DirectoryHeader entry;
  entry.content.checksum =
      uint32_t(crc32(0, reinterpret_cast<const Bytef *>(content.data()),
                     uInt(content.size())));
  entry.content.compressedSize = uint32_t(compressed->size());
  entry.content.size = uint32_t(content.size());
  entry.content.nameSize = uint16_t(name.size());
  entry.headerOffset = uint32_t(file.size());
  zip::append(directory, entry);
  directory += name;

  zip::append(file, zip::LocalHeader{.content = entry.content});
  file += name;
  file += *compressed;
  ++count;
  return {};
}

Result<std::string> ZipWriter::finish() {
  constexpr size_t kMaxMembers = 65535, kMaxFileBytes = UINT32_MAX;
  if (count > kMaxMembers || file.size() + directory.size() > kMaxFileBytes)
    return cannotWrite("it has " + std::to_string(count) + " members and " +
                       std::to_string(file.size()) + " bytes, beyond " +
                       std::to_string(kMaxMembers) + " and " +
                       std::to_string(kMaxFileBytes));
  zip::DirectoryEnd end;
  end.countOnDisk = end.count = uint16_t(count);
  end.directorySize = uint32_t(directory.size());
  end.directoryOffset = uint32_t(file.size());
  file += directory;
  zip::append(file, end);
  return std::move(file);
}

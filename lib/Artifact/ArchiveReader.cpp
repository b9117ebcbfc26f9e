//===- ArchiveReader.cpp - members of an untrusted archive ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveReader.h"

#include <algorithm>

using namespace conv;
using namespace conv::artifact;

// Limits of a file that is read. The ratio bounds how much a small file can
// inflate; code objects compress to a third, manifests of many entries to a
// 50th, a page of zeros to a 1000th. Stored members, such as constants, are
// mapped and cost nothing.
static constexpr int64_t kMaxTotalBytes = int64_t(1) << 30;
static constexpr int64_t kMaxRatio = 200;
static constexpr int64_t kRatioAllowance = int64_t(1) << 24;

int64_t artifact::computeInflatedLimit(int64_t fileBytes) {
  return std::min(kMaxTotalBytes, kRatioAllowance + kMaxRatio * fileBytes);
}

/// Whether extracting `name` would stay inside the folder it is extracted to.
static bool isSafeName(const std::string &name) {
  if (name.empty() || name.front() == '/' ||
      name.find_first_of("\\:") != std::string::npos)
    return false;
  for (unsigned char c : name)
    if (c < 0x20 || c >= 0x7f)
      return false;
  for (size_t start = 0; start <= name.size();) {
    size_t end = std::min(name.find('/', start), name.size());
    std::string_view part = std::string_view(name).substr(start, end - start);
    bool isTrailingSlash = part.empty() && end == name.size();
    if (part == "." || part == ".." || (part.empty() && !isTrailingSlash))
      return false;
    start = end + 1;
  }
  return true;
}

Result<void> ArchiveReader::open(std::string_view bytes) {
  Result<ZipReader> opened = ZipReader::open(bytes);
  if (!opened)
    return bad(opened.error().message);
  zip = std::move(*opened);
  for (const ZipMember &member : zip->members()) {
    if (!isSafeName(member.name))
      return bad("member " + std::to_string(members.size()) +
                 " has a name that is empty, absolute, or leaves its folder");
    if (!members.emplace(member.name, &member).second)
      return bad("two members have the same name, '" + member.name + "'");
  }
  return {};
}

Result<const ZipMember *> ArchiveReader::find(const std::string &member) const {
  auto found = members.find(member);
  if (found == members.end())
    return bad("it has no member '" + member + "'");
  return found->second;
}

Result<std::string> ArchiveReader::member(const std::string &member,
                                          int64_t limit) {
  Result<const ZipMember *> found = find(member);
  if (!found)
    return found.error();
  // Every size is checked before it is allocated.
  auto size = int64_t((*found)->size);
  if (size > std::min(limit, budget))
    return bad("'" + member +
               "' is too large to inflate: " + std::to_string(size) + " bytes");
  budget -= size;
  Result<std::string> content = zip->read(**found);
  if (!content)
    return bad(content.error().message);
  return content;
}

Result<Blob> ArchiveReader::data(const std::string &member, const Blob &file) {
  Result<const ZipMember *> found = find(member);
  if (!found)
    return found.error();
  if (!(*found)->isDeflated)
    return Blob{file.owner, zip->view(**found)};
  Result<std::string> content = this->member(member, budget);
  if (!content)
    return content.error();
  return Blob::fromString(std::move(*content));
}

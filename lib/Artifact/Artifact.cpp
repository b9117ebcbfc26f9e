//===- Artifact.cpp - .convpack files in memory and on disk -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A manifest and code files in a zip archive, made and read in memory. A file
// that is read is somebody else's: its names, sizes and digests are checked
// before anything is inflated, stored or believed. This file stops at the
// members; Zip.h knows the archive, and ManifestJson.cpp what is in it.
//
//===----------------------------------------------------------------------===//

#include "conv/Artifact/Artifact.h"

#include "Zip.h"
#include "conv/Artifact/ManifestJson.h"
#include "conv/Support/File.h"
#include "conv/Support/Sha256.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace conv;
using namespace conv::artifact;

namespace {

constexpr char kManifestName[] = "manifest.json";

// Limits of a file that is read. The ratio bounds what a small file can make
// us inflate; code objects compress to a third, a page of zeros to a 1000th.
constexpr int64_t kMaxFileBytes = int64_t(1) << 30;
constexpr int64_t kMaxManifestBytes = int64_t(1) << 24;
constexpr int64_t kMaxCodeBytes = int64_t(1) << 28;
constexpr int64_t kMaxTotalBytes = int64_t(1) << 30;
constexpr int64_t kMaxRatio = 200;
constexpr int64_t kRatioAllowance = int64_t(1) << 24;

/// The code files that the launches name, once each.
std::set<std::string> namedCode(const Manifest &manifest) {
  std::set<std::string> names;
  for (const Entry &entry : manifest.entries)
    for (const Launch &launch : entry.launches)
      names.insert(launch.code);
  return names;
}

/// Whether extracting `name` would stay inside the folder it is extracted to.
bool isSafeName(const std::string &name) {
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

/// A zip file whose member names have been checked.
class Reader {
public:
  Reader(std::string_view bytes, std::string name)
      : name(std::move(name)),
        budget(std::min(kMaxTotalBytes,
                        kRatioAllowance + kMaxRatio * int64_t(bytes.size()))) {}

  Result<void> open(std::string_view bytes);

  /// Inflates a member of at most `limit` bytes.
  Result<std::string> member(const std::string &member, int64_t limit);

  Error bad(const std::string &why) const {
    return {ErrorKind::BadInput, "cannot read '" + name + "': " + why};
  }

private:
  std::string name;
  int64_t budget; ///< How many bytes may still be inflated.
  std::optional<ZipReader> zip;
};

Result<void> Reader::open(std::string_view bytes) {
  Result<ZipReader> opened = ZipReader::open(bytes);
  if (!opened)
    return bad(opened.error().message);
  zip = std::move(*opened);
  std::set<std::string> names;
  for (const ZipMember &member : zip->members()) {
    if (!isSafeName(member.name))
      return bad("member " + std::to_string(names.size()) +
                 " has a name that is empty, absolute, or leaves its folder");
    if (!names.insert(member.name).second)
      return bad("two members have the same name, '" + member.name + "'");
  }
  return {};
}

Result<std::string> Reader::member(const std::string &member, int64_t limit) {
  const std::vector<ZipMember> &members = zip->members();
  auto found = std::find_if(
      members.begin(), members.end(),
      [&](const ZipMember &candidate) { return candidate.name == member; });
  if (found == members.end())
    return bad("it has no member '" + member + "'");
  // Every size is checked before it is allocated.
  auto size = int64_t(found->size);
  if (size > std::min(limit, budget))
    return bad("'" + member +
               "' is too large to inflate: " + std::to_string(size) + " bytes");
  budget -= size;
  Result<std::string> content = zip->read(*found);
  if (!content)
    return bad(content.error().message);
  return content;
}

} // namespace

std::string Artifact::addCode(std::string bytes, const std::string &extension) {
  std::string path = "code/" + sha256Hex(bytes) + "." + extension;
  files.emplace(path, std::move(bytes));
  return path;
}

const std::string *Artifact::code(const std::string &path) const {
  auto file = files.find(path);
  return file == files.end() ? nullptr : &file->second;
}

void Artifact::addEntry(const Entry &entry, const Artifact &from) {
  for (const Launch &launch : entry.launches)
    if (const std::string *code = from.code(launch.code))
      files.emplace(launch.code, *code);
  manifest.entries.push_back(entry);
}

Result<std::string> Artifact::bytes() const {
  if (Result<void> result = verifyManifest(manifest); !result)
    return result.error();
  Result<std::string> text = writeManifest(manifest);
  if (!text)
    return text.error();

  ZipWriter zip;
  Result<void> added = zip.add(kManifestName, *text);
  for (const std::string &path : namedCode(manifest)) {
    const std::string *code = this->code(path);
    if (!code)
      return Error{ErrorKind::BadInput,
                   "the manifest names '" + path + "', which was not added"};
    if (added)
      added = zip.add(path, *code);
  }
  if (!added)
    return added.error();
  return zip.finish();
}

Result<void> Artifact::write(const std::string &path) const {
  Result<std::string> content = bytes();
  if (!content)
    return Error{content.error().kind,
                 "cannot write '" + path + "': " + content.error().message};
  return writeFile(path, *content);
}

Result<Artifact> Artifact::read(const std::string &path) {
  Result<std::string> content = readFile(path, kMaxFileBytes, "PK");
  if (!content)
    return content.error();
  return parse(*content, path);
}

Result<Artifact> Artifact::parse(std::string_view bytes,
                                 const std::string &name) {
  Reader reader(bytes, name);
  if (Result<void> result = reader.open(bytes); !result)
    return result.error();
  Result<std::string> text = reader.member(kManifestName, kMaxManifestBytes);
  if (!text)
    return text.error();
  Result<Manifest> manifest = parseManifest(*text);
  if (!manifest)
    return Error{manifest.error().kind, "cannot read '" + name + "': in " +
                                            kManifestName + ": " +
                                            manifest.error().message};

  Artifact artifact;
  artifact.manifest = std::move(*manifest);
  for (const std::string &path : namedCode(artifact.manifest)) {
    Result<std::string> code = reader.member(path, kMaxCodeBytes);
    if (!code)
      return code.error();
    // M8 made the digest a part of the path.
    if (path.substr(5, 64) != sha256Hex(*code))
      return reader.bad("the digest of '" + path +
                        "' is another: " + sha256Hex(*code));
    artifact.files.emplace(path, std::move(*code));
  }
  return artifact;
}

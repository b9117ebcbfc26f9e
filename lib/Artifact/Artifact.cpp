//===- Artifact.cpp - .convpack files in memory and on disk -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A manifest and code files in a zip archive, made and read in memory by
// libzip. A file that is read is somebody else's: its names, sizes and digests
// are checked before anything is inflated, stored or believed. This file stops
// at the archive; ManifestJson.cpp reads what is in it.
//
//===----------------------------------------------------------------------===//

#include "conv/Artifact/Artifact.h"

#include "conv/Artifact/ManifestJson.h"
#include "conv/Support/File.h"
#include "conv/Support/Sha256.h"

#include <memory>
#include <set>
#include <zip.h>

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
constexpr int64_t kMaxMembers = 65536;

struct CloseFile {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
struct FreeSource {
  void operator()(zip_source_t *source) const { zip_source_free(source); }
};
struct DiscardArchive {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};
using ZipFile = std::unique_ptr<zip_file_t, CloseFile>;
using ZipSource = std::unique_ptr<zip_source_t, FreeSource>;
using ZipArchive = std::unique_ptr<zip_t, DiscardArchive>;

/// What went wrong in libzip, in its words.
class ZipError {
public:
  ZipError() { zip_error_init(&error); }
  ZipError(const ZipError &) = delete;
  ~ZipError() { zip_error_fini(&error); }

  zip_error_t *get() { return &error; }
  std::string text() { return zip_error_strerror(&error); }

private:
  zip_error_t error;
};

Error zipWriteError(const std::string &reason) {
  return {ErrorKind::System, "cannot make the zip file: " + reason};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Adds a member whose metadata depends on nothing but its name and bytes.
/// libzip reads `bytes` when the archive is closed.
bool addMember(zip_t *archive, const std::string &name,
               const std::string &bytes) {
  ZipSource source(
      zip_source_buffer(archive, bytes.data(), bytes.size(), /*freep=*/0));
  if (!source)
    return false;
  zip_int64_t index =
      zip_file_add(archive, name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
  if (index < 0)
    return false;
  (void)source.release(); // The archive owns it now.
  // 1980-01-01 00:00, the first time a zip file can hold; -rw-r--r--.
  constexpr zip_uint16_t kDate = 1 << 5 | 1;
  constexpr zip_uint32_t kMode = zip_uint32_t(0100644) << 16;
  return zip_file_set_dostime(archive, zip_uint64_t(index), 0, kDate, 0) == 0 &&
         zip_set_file_compression(archive, zip_uint64_t(index), ZIP_CM_DEFLATE,
                                  6) == 0 &&
         zip_file_set_external_attributes(archive, zip_uint64_t(index), 0,
                                          ZIP_OPSYS_UNIX, kMode) == 0;
}

/// All bytes of a source that was written.
Result<std::string> readSource(zip_source_t *source) {
  if (zip_source_open(source) != 0)
    return zipWriteError(zip_error_strerror(zip_source_error(source)));
  std::string bytes;
  zip_stat_t status;
  bool fine = zip_source_stat(source, &status) == 0;
  if (fine) {
    bytes.resize(status.size);
    fine = zip_source_read(source, bytes.data(), bytes.size()) ==
           zip_int64_t(bytes.size());
  }
  zip_source_close(source);
  if (!fine)
    return zipWriteError("its bytes cannot be read back");
  return bytes;
}

/// The code files that the launches name, once each.
std::set<std::string> namedCode(const Manifest &manifest) {
  std::set<std::string> names;
  for (const Entry &entry : manifest.entries)
    for (const Launch &launch : entry.launches)
      names.insert(launch.code);
  return names;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

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

/// An opened zip file whose member names have been checked.
class Reader {
public:
  Reader(std::string_view bytes, std::string name)
      : bytes(bytes), name(std::move(name)) {}

  Result<void> open();

  bool has(const std::string &member) const { return members.count(member); }

  /// Inflates a member of at most `limit` bytes.
  Result<std::string> member(const std::string &member, int64_t limit);

  Error bad(const std::string &why) const {
    return {ErrorKind::BadInput, "cannot read '" + name + "': " + why};
  }

private:
  std::string_view bytes;
  std::string name;
  ZipArchive archive;
  std::set<std::string> members;
  int64_t inflated = 0;

  Result<void> checkNames();
};

Result<void> Reader::open() {
  ZipError error;
  ZipSource source(zip_source_buffer_create(bytes.data(), bytes.size(),
                                            /*freep=*/0, error.get()));
  if (source)
    archive.reset(zip_open_from_source(source.get(), ZIP_RDONLY | ZIP_CHECKCONS,
                                       error.get()));
  if (!archive && zip_error_code_zip(error.get()) == ZIP_ER_EXISTS)
    return bad("two members have the same name");
  if (!archive)
    return bad("expects a whole zip file, but got: " + error.text());
  (void)source.release(); // The archive owns it now.
  return checkNames();
}

Result<void> Reader::checkNames() {
  zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count > kMaxMembers)
    return bad("expects at most " + std::to_string(kMaxMembers) +
               " members, but got " + std::to_string(count));
  for (zip_int64_t i = 0; i < count; ++i) {
    const char *raw =
        zip_get_name(archive.get(), zip_uint64_t(i), ZIP_FL_ENC_RAW);
    std::string member = raw ? raw : "";
    if (!isSafeName(member))
      return bad("member " + std::to_string(i) +
                 " has a name that is empty, absolute, or leaves its folder");
    if (!members.insert(member).second)
      return bad("two members have the same name, '" + member + "'");
  }
  return {};
}

Result<std::string> Reader::member(const std::string &member, int64_t limit) {
  zip_int64_t index =
      zip_name_locate(archive.get(), member.c_str(), ZIP_FL_ENC_RAW);
  if (index < 0 || !has(member))
    return bad("it has no member '" + member + "'");
  zip_stat_t status;
  zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                        ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (zip_stat_index(archive.get(), zip_uint64_t(index), 0, &status) != 0 ||
      (status.valid & wanted) != wanted)
    return bad("'" + member + "' has no size");
  if (status.encryption_method != ZIP_EM_NONE ||
      (status.comp_method != ZIP_CM_STORE &&
       status.comp_method != ZIP_CM_DEFLATE))
    return bad("expects '" + member + "' to be stored or deflated");

  // Every size is checked before it is allocated.
  int64_t total = std::min(kMaxTotalBytes,
                           kRatioAllowance + kMaxRatio * int64_t(bytes.size()));
  if (status.size > zip_uint64_t(limit) ||
      inflated + int64_t(status.size) > total)
    return bad("'" + member + "' is too large to inflate: " +
               std::to_string(status.size) + " bytes");
  inflated += int64_t(status.size);

  ZipFile file(zip_fopen_index(archive.get(), zip_uint64_t(index), 0));
  if (!file)
    return bad("'" + member + "': " + zip_strerror(archive.get()));
  std::string content(status.size, '\0');
  char beyond; // Reading past the end makes libzip compare the checksum.
  if (zip_fread(file.get(), content.data(), content.size()) !=
          zip_int64_t(content.size()) ||
      zip_fread(file.get(), &beyond, 1) != 0)
    return bad("'" + member +
               "' is damaged: " + std::string(zip_file_strerror(file.get())));
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

Result<std::string> Artifact::bytes() const {
  if (Result<void> result = verifyManifest(manifest); !result)
    return result.error();
  Result<std::string> text = writeManifest(manifest);
  if (!text)
    return text.error();

  ZipError error;
  ZipSource source(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (!source)
    return zipWriteError(error.text());
  zip_source_keep(source.get()); // A second reference, to read it afterwards.
  ZipArchive archive(
      zip_open_from_source(source.get(), ZIP_TRUNCATE, error.get()));
  if (!archive) {
    zip_source_free(source.get());
    return zipWriteError(error.text());
  }
  bool added = addMember(archive.get(), kManifestName, *text);
  for (const std::string &path : namedCode(manifest)) {
    const std::string *code = this->code(path);
    if (!code)
      return Error{ErrorKind::BadInput,
                   "the manifest names '" + path + "', which was not added"};
    added = added && addMember(archive.get(), path, *code);
  }
  if (!added)
    return zipWriteError(zip_strerror(archive.get()));
  if (zip_close(archive.get()) != 0)
    return zipWriteError(zip_strerror(archive.get()));
  (void)archive.release(); // Closing has freed it.
  return readSource(source.get());
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
  if (Result<void> result = reader.open(); !result)
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

//===- Artifact.cpp - .convpack files in memory and on disk -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A manifest and code files in a zip archive, made and read in memory. A file
// that is read is untrusted: its names, sizes and digests are checked before
// anything is inflated, stored or used. This file says which members there are;
// ArchiveReader.h inflates them within limits, Zip.h handles the archive, and
// ManifestReader.cpp the manifest.
//
//===----------------------------------------------------------------------===//

#include "conv/Artifact/Artifact.h"

#include "ArchiveReader.h"
#include "Zip.h"
#include "conv/Artifact/ManifestJson.h"
#include "conv/Support/File.h"
#include "conv/Support/Memory.h"
#include "conv/Support/Sha256.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>

using namespace conv;
using namespace conv::artifact;

namespace {

constexpr char kManifestName[] = "manifest.json";

/// Nothing is written that cannot be read.
Result<void> checkLimit(const std::string &what, int64_t bytes, int64_t limit) {
  if (bytes <= limit)
    return {};
  return Error{ErrorKind::BadInput, "expects " + what + " to have at most " +
                                        std::to_string(limit) +
                                        " bytes before compression, but got " +
                                        std::to_string(bytes)};
}

/// The code files that the launches name, each once.
std::set<std::string> namedCode(const Manifest &manifest) {
  std::set<std::string> names;
  for (const Entry &entry : manifest.entries)
    for (const Launch &launch : entry.launches)
      names.insert(launch.code);
  return names;
}

/// The files of constants, each once, with the alignment that they need.
std::map<std::string, const Constant *> namedData(const Manifest &manifest) {
  std::map<std::string, const Constant *> files;
  for (const Entry &entry : manifest.entries)
    for (const Constant &constant : entry.constants) {
      const Constant *&known = files[constant.data];
      if (!known || known->tensor.alignment < constant.tensor.alignment)
        known = &constant;
    }
  return files;
}

/// Whether a constant has as many bytes as its tensor. Tensors of several
/// shapes may share equal bytes.
Result<void> checkSize(const Artifact &artifact, const Constant &constant) {
  auto got = int64_t(artifact.data(constant.data)->bytes.size());
  int64_t expected = bufferBytes(constant.tensor);
  if (got == expected)
    return {};
  return Error{ErrorKind::BadInput,
               "expects constant '" + constant.tensor.name + "' to have " +
                   std::to_string(expected) + " bytes, but got " +
                   std::to_string(got)};
}

/// A copy at a multiple of `alignment`.
Blob copyAligned(std::string_view bytes, int64_t alignment) {
  auto step = size_t(std::max(alignment, int64_t(sizeof(void *))));
  void *memory =
      std::aligned_alloc(step, (bytes.size() + step - 1) / step * step);
  if (!memory)
    throw std::bad_alloc();
  std::memcpy(memory, bytes.data(), bytes.size());
  return {std::shared_ptr<const void>(
              memory,
              [](const void *kept) { std::free(const_cast<void *>(kept)); }),
          {static_cast<const char *>(memory), bytes.size()}};
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
  for (const Constant &constant : entry.constants)
    if (const Blob *bytes = from.data(constant.data))
      constants.emplace(constant.data, *bytes);
  manifest.entries.push_back(entry);
}

std::string Artifact::addData(Blob bytes) {
  std::string path = "data/" + sha256Hex(bytes.bytes) + ".bin";
  constants.emplace(path, std::move(bytes));
  return path;
}

void Artifact::addDataOf(const Artifact &other) {
  constants.insert(other.constants.begin(), other.constants.end());
}

const Blob *Artifact::data(const std::string &path) const {
  auto file = constants.find(path);
  return file == constants.end() ? nullptr : &file->second;
}

Result<std::vector<std::string_view>> Artifact::assemble(ZipWriter &zip) const {
  if (Result<void> result = verifyManifest(manifest); !result)
    return result.error();
  Result<std::string> text = writeManifest(manifest);
  if (!text)
    return text.error();
  auto missing = [](const std::string &path) {
    return Error{ErrorKind::BadInput,
                 "the manifest names '" + path + "', which was not added"};
  };
  int64_t inflatedBytes = 0;
  auto addDeflated = [&](const std::string &path,
                         const std::string &content) -> Result<void> {
    auto bytes = int64_t(content.size());
    inflatedBytes += bytes;
    if (Result<void> fits =
            checkLimit("'" + path + "'", bytes, kMaxMemberBytes);
        !fits)
      return fits;
    return zip.add(path, content);
  };
  Result<void> added = addDeflated(kManifestName, *text);
  for (const std::string &path : namedCode(manifest)) {
    const std::string *code = this->code(path);
    if (!code)
      return missing(path);
    if (added)
      added = addDeflated(path, *code);
  }
  for (const auto &[path, constant] : namedData(manifest)) {
    const Blob *data = this->data(path);
    if (!data)
      return missing(path);
    if (added)
      added = zip.addStored(path, data->bytes);
  }
  if (!added)
    return added.error();
  Result<std::vector<std::string_view>> buffers = zip.finish();
  if (!buffers)
    return buffers.error();
  int64_t fileBytes = 0;
  for (std::string_view buffer : *buffers)
    fileBytes += int64_t(buffer.size());
  if (Result<void> fits = checkLimit("the manifest and the code", inflatedBytes,
                                     computeInflatedLimit(fileBytes));
      !fits)
    return fits.error();
  return buffers;
}

Result<std::string> Artifact::bytes() const {
  ZipWriter zip;
  Result<std::vector<std::string_view>> buffers = assemble(zip);
  if (!buffers)
    return buffers.error();
  std::string file;
  for (std::string_view buffer : *buffers)
    file += buffer;
  return file;
}

Result<void> Artifact::write(const std::string &path) const {
  ZipWriter zip;
  Result<std::vector<std::string_view>> buffers = assemble(zip);
  if (!buffers)
    return Error{buffers.error().kind,
                 "cannot write '" + path + "': " + buffers.error().message};
  return writeFile(path, *buffers);
}

Result<Artifact> Artifact::read(const std::string &path) {
  Result<Blob> file = mapFile(path, getMachineMemory(), "PK");
  if (!file)
    return file.error();
  return parse(*file, path);
}

Result<Artifact> Artifact::parse(std::string_view bytes,
                                 const std::string &name) {
  return parse(Blob{nullptr, bytes}, name);
}

/// Without an owner the bytes do not outlive the call.
Result<Artifact> Artifact::parse(const Blob &file, const std::string &name) {
  ArchiveReader reader(file.bytes, name);
  if (Result<void> result = reader.open(file.bytes); !result)
    return result.error();
  Result<std::string> text = reader.member(kManifestName, kMaxMemberBytes);
  if (!text)
    return text.error();
  Result<Manifest> manifest = parseManifest(*text);
  if (!manifest)
    return Error{manifest.error().kind, "cannot read '" + name + "': in " +
                                            kManifestName + ": " +
                                            manifest.error().message};

  Artifact artifact;
  artifact.manifest = std::move(*manifest);
  // By M8 and M16 the path contains the digest after "code/" or "data/".
  auto checkDigest = [&](const std::string &path,
                         std::string_view bytes) -> Result<void> {
    std::string digest = sha256Hex(bytes);
    if (path.substr(5, 64) == digest)
      return {};
    return reader.bad("the digest of '" + path + "' is another: " + digest);
  };
  for (const std::string &path : namedCode(artifact.manifest)) {
    Result<std::string> code = reader.member(path, kMaxMemberBytes);
    if (!code)
      return code.error();
    if (Result<void> same = checkDigest(path, *code); !same)
      return same.error();
    artifact.files.emplace(path, std::move(*code));
  }
  for (const auto &[path, constant] : namedData(artifact.manifest)) {
    Result<Blob> data = reader.data(path, file);
    if (!data)
      return data.error();
    if (Result<void> same = checkDigest(path, data->bytes); !same)
      return same.error();
    int64_t alignment = constant->tensor.alignment;
    if (!data->owner || !data->isAligned(alignment))
      data = copyAligned(data->bytes, alignment);
    artifact.constants.emplace(path, std::move(*data));
  }
  for (const Entry &entry : artifact.manifest.entries)
    for (const Constant &constant : entry.constants)
      if (Result<void> fits = checkSize(artifact, constant); !fits)
        return reader.bad(fits.error().message);
  return artifact;
}

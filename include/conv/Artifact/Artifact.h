//===- Artifact.h - .convpack files in memory and on disk -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_ARTIFACT_ARTIFACT_H
#define CONV_ARTIFACT_ARTIFACT_H

#include "conv/Artifact/Manifest.h"
#include "conv/Support/Blob.h"
#include "conv/Support/Result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace conv::artifact {

class ZipWriter;

/// A manifest and the files it names: code, and the data of constants. Files
/// with equal digests are stored once.
class Artifact {
public:
  Manifest manifest;

  /// Stores `bytes` as "code/<sha256>.<extension>" and returns that path;
  /// equal bytes give equal paths.
  std::string addCode(std::string bytes, const std::string &extension);

  /// The bytes of the stored code file at `path`, or null if there is none.
  const std::string *code(const std::string &path) const;

  /// Adds an entry of `from` with every file that the entry names.
  void addEntry(const Entry &entry, const Artifact &from);

  /// Stores the elements of a constant as "data/<sha256>.bin" and returns that
  /// path; equal bytes give equal paths. The bytes are kept, not copied.
  std::string addData(Blob bytes);

  /// Keeps the data files of `other` as well.
  void addDataOf(const Artifact &other);

  /// The bytes of a stored data file, or null if there is none at `path`. They
  /// are aligned as the constants that name the file require. The bytes of a
  /// file that was read point into the mapped file.
  const Blob *data(const std::string &path) const;

  /// The bytes of the zip file. The same artifact gives the same bytes (fixed
  /// time stamps and order). Fails for a manifest that breaks a rule or names
  /// code that is not here.
  Result<std::string> bytes() const;

  /// Writes `bytes()` to a file, which is either complete or untouched.
  Result<void> write(const std::string &path) const;

  /// Reads and checks a whole file: zip structure, path names, sizes against
  /// limits (zip bombs), manifest schema, and the digest of every code file.
  static Result<Artifact> read(const std::string &path);

  /// Reads an artifact from memory that is not kept; `name` is for messages.
  static Result<Artifact> parse(std::string_view bytes,
                                const std::string &name);

  /// Reads an artifact from memory whose owner is kept with its constants.
  static Result<Artifact> parse(const Blob &file, const std::string &name);

private:
  std::map<std::string, std::string> files;
  std::map<std::string, Blob> constants;

  /// The buffers of the zip file; `zip` owns the buffers that are made here.
  Result<std::vector<std::string_view>> assemble(ZipWriter &zip) const;
};

} // namespace conv::artifact

#endif // CONV_ARTIFACT_ARTIFACT_H

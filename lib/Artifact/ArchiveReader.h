//===- ArchiveReader.h - members of an untrusted archive --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is inflated before its name and its size have been checked.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_ARTIFACT_ARCHIVEREADER_H
#define CONV_LIB_ARTIFACT_ARCHIVEREADER_H

#include "Zip.h"
#include "conv/Artifact/Artifact.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace conv::artifact {

/// The most bytes of a member that is inflated.
inline constexpr int64_t kMaxMemberBytes = int64_t(1) << 28;

/// The bytes that all members of a file of `fileBytes` may inflate to.
int64_t computeInflatedLimit(int64_t fileBytes);

/// A zip file whose member names have been checked.
class ArchiveReader {
public:
  ArchiveReader(std::string_view bytes, std::string name)
      : name(std::move(name)),
        budget(computeInflatedLimit(int64_t(bytes.size()))) {}

  Result<void> open(std::string_view bytes);

  /// Inflates a member of at most `limit` bytes.
  Result<std::string> member(const std::string &member, int64_t limit);

  /// The bytes of a member: a view of `file` if stored, else inflated.
  Result<Blob> data(const std::string &member, const Blob &file);

  Error bad(const std::string &why) const {
    return {ErrorKind::BadInput, "cannot read '" + name + "': " + why};
  }

private:
  Result<const ZipMember *> find(const std::string &member) const;

  std::string name;
  int64_t budget; ///< Bytes that may still be inflated.
  std::optional<ZipReader> zip;
  std::unordered_map<std::string_view, const ZipMember *> members;
};

} // namespace conv::artifact

#endif // CONV_LIB_ARTIFACT_ARCHIVEREADER_H

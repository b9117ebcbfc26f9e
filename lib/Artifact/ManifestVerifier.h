//===- ManifestVerifier.h - the rules of a manifest -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules for the values of a manifest beyond their types, numbered as in
// docs/artifact.md.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_ARTIFACT_MANIFESTVERIFIER_H
#define CONV_LIB_ARTIFACT_MANIFESTVERIFIER_H

#include "conv/Artifact/Manifest.h"

#include <algorithm>

namespace conv::artifact {

/// Checks one manifest. Methods return false once `problem` is set.
class ManifestVerifier {
public:
  std::string problem;

  bool verify(const Manifest &manifest);

private:
  bool verify(const Entry &entry, const std::string &path);
  bool verifySizes(const Entry &entry, const std::string &path);
  bool verifyShapes(const Entry &entry, const std::string &path);
  bool verify(const SizeProduct &product, const Entry &entry,
              const std::string &path);
  bool verify(const Argument &argument, const std::string &path);
  bool verifyApart(const Argument &argument, const std::string &path);
  bool verify(const Constant &constant, const std::string &path);
  bool verify(const PackedArgument &packed, const Entry &entry,
              const Manifest &manifest, const std::string &path);
  bool verify(const Launch &launch, const Entry &entry,
              const std::string &path);
  bool verifyCode(const Launch &launch, const std::string &path);
  bool verifyShape(const Launch &launch, const std::string &path);
  bool verify(const Parameter &parameter, const Entry &entry,
              const std::string &path);
  bool verify(const TensorMapParameter &map, const Entry &entry,
              const std::string &path);
  bool verifyRows(const TensorMapParameter &map, const std::string &path);

  bool fail(const std::string &path, const std::string &what,
            const std::string &got) {
    problem = path + ": expects " + what + ", but got " + got;
    return false;
  }

  bool expectRange(int64_t value, int64_t low, int64_t high,
                   const std::string &path) {
    return (value >= low && value <= high) ||
           fail(path, std::to_string(low) + " to " + std::to_string(high),
                std::to_string(value));
  }

  /// M2. A text that can be printed in a message, without control characters
  /// for a terminal.
  bool expectText(const std::string &text, const std::string &path) {
    auto isControl = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    return std::none_of(text.begin(), text.end(), isControl) ||
           fail(path, "no control characters", "one");
  }

  /// M2. A name that can also be looked up as a symbol.
  bool expectName(const std::string &name, const std::string &path) {
    if (name.empty() || name.size() > 4096)
      return fail(path, "1 to 4096 characters", std::to_string(name.size()));
    return expectText(name, path);
  }

  bool expectOneOf(const std::string &value,
                   std::initializer_list<const char *> allowed,
                   const std::string &path) {
    if (!expectText(value, path))
      return false;
    std::string all;
    for (const char *candidate : allowed) {
      if (value == candidate)
        return true;
      all += (all.empty() ? "\"" : " or \"") + std::string(candidate) + "\"";
    }
    return fail(path, all, "\"" + value + "\"");
  }
};

/// The path of element `i` of a member.
inline std::string indexed(const std::string &path, const char *member,
                           size_t i) {
  return path + member + "[" + std::to_string(i) + "]";
}

/// "<folder>/<64 hex digits>.<extension>", where the digits are `digest`.
bool isDigestPath(const std::string &folder, const std::string &path,
                  const std::string &digest);

} // namespace conv::artifact

#endif // CONV_LIB_ARTIFACT_MANIFESTVERIFIER_H

//===- ManifestField.h - fields of a JSON document --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `Field` is a JSON value with the path to it; the first error found is the
// one reported.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_ARTIFACT_MANIFESTFIELD_H
#define CONV_LIB_ARTIFACT_MANIFESTFIELD_H

#include "ManifestFields.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace conv::artifact {

/// A value, the path to it, and where the first error is stored. After an error
/// every getter still returns something harmless, so that callers need not
/// check each field.
class Field {
public:
  Field(const Json &value, std::string path, std::string &problem)
      : value(value), path(std::move(path)), problem(problem) {}

  /// A required member of an object.
  Field operator[](const char *key) const {
    static const Json nothing;
    if (!value.is_object()) {
      expects("an object");
      return {nothing, path, problem};
    }
    auto member = value.find(key);
    std::string name = path.empty() ? key : path + "." + key;
    if (member != value.end())
      return {*member, name, problem};
    note(name + ": expects this field, but it is missing");
    return {nothing, name, problem};
  }

  bool has(const char *key) const {
    return value.is_object() && value.contains(key);
  }

  std::string string() const {
    return value.is_string() ? value.get<std::string>()
                             : (expects("a string"), std::string());
  }

  bool boolean() const {
    return value.is_boolean() ? value.get<bool>()
                              : (expects("true or false"), false);
  }

  double number() const {
    return value.is_number() ? value.get<double>() : (expects("a number"), 0.0);
  }

  int64_t integer() const {
    bool fits = value.is_number_integer() &&
                !(value.is_number_unsigned() &&
                  value.get<uint64_t>() > uint64_t(INT64_MAX));
    return fits ? value.get<int64_t>()
                : (expects("an integer of 64 bits"), int64_t(0));
  }

  int32_t integer32() const {
    int64_t wide = integer();
    if (wide != int32_t(wide))
      expects("an integer of 32 bits");
    return int32_t(wide);
  }

  /// `read` of every element of an array of at most `limit`.
  template <typename Read>
  auto list(int64_t limit, Read read) const
      -> std::vector<decltype(read(std::declval<Field>()))> {
    std::vector<decltype(read(std::declval<Field>()))> result;
    if (!value.is_array()) {
      expects("an array");
      return result;
    }
    if (int64_t(value.size()) > limit) {
      note(path + ": expects at most " + std::to_string(limit) +
           " elements, but got " + std::to_string(value.size()));
      return result;
    }
    for (size_t i = 0; i < value.size() && problem.empty(); ++i)
      result.push_back(
          read(Field(value[i], path + "[" + std::to_string(i) + "]", problem)));
    return result;
  }

  std::vector<int64_t> integers(int64_t limit) const {
    return list(limit, [](const Field &field) { return field.integer(); });
  }

  std::array<int64_t, 3> triple() const {
    std::vector<int64_t> sizes = integers(3);
    if (sizes.size() == 3)
      return {sizes[0], sizes[1], sizes[2]};
    expects("three integers");
    return {1, 1, 1};
  }

  bool isObject() const { return value.is_object(); }
  bool isNull() const { return value.is_null(); }

  /// The value as JSON text again.
  std::string text() const { return value.dump(); }

  /// Stores an error about this value, unless there is an earlier one.
  void expects(const std::string &what) const {
    std::string place = path.empty() ? "" : path + ": ";
    note(place + "expects " + what + ", but got " + shortText());
  }

private:
  const Json &value;
  std::string path;
  std::string &problem;

  void note(const std::string &message) const {
    if (problem.empty())
      problem = message;
  }

  std::string shortText() const {
    if (value.is_object() || value.is_array())
      return value.is_object() ? "an object" : "an array";
    // ASCII only: a file's text must not control a terminal.
    std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true);
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
  }
};

/// Parses text; sets `problem` if it is not JSON, too deep, or has an object
/// with a repeated key (readers would disagree about its meaning).
Json parseDocument(std::string_view text, std::string &problem);

} // namespace conv::artifact

#endif // CONV_LIB_ARTIFACT_MANIFESTFIELD_H

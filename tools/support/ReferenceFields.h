//===- ReferenceFields.h - values in the JSON of a reference ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each reader takes a JSON value and checks it, or throws Malformed with a
// message that names the expected value.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_REFERENCEFIELDS_H
#define CONV_TOOLS_SUPPORT_REFERENCEFIELDS_H

#include "Reference.h"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace conv::reference {

using Json = nlohmann::json;

/// Carries a message out of the nested readers; parseProgram catches it.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The most elements that a tensor has, and the largest single size.
constexpr int64_t kMaxSize = int64_t(1) << 40;

/// Throws Malformed, which refuses the artifact.
[[noreturn]] void fail(const std::string &message);

/// A required field.
const Json &field(const Json &object, const char *name);

/// An integer from `low` to `high`, inclusive.
int64_t readInteger(const Json &value, const char *what, int64_t low,
                    int64_t high);

/// A string without characters that JSON escapes, such as terminal codes.
std::string readString(const Json &value, const char *what);

/// A finite number, or the strings "inf", "-inf" and "nan".
double readNumber(const Json &value, const char *what);

/// A JSON array.
const Json &readList(const Json &value, const char *what);

/// One of the element types, by its name in MLIR.
ElementType readType(const Json &value);

/// Integers between `low` and `kMaxSize`.
std::vector<int64_t> readSizes(const Json &value, const char *what,
                               int64_t low);

/// Spatial lists have 1 to 3 entries; missing dimensions are the outer ones.
std::array<int64_t, 3> readSpatial(const Json &value, const char *what,
                                   size_t rank, int64_t low, int64_t missing);

/// The bound that results are verified against (docs/numerics.md).
artifact::ErrorBound readBound(const Json &json);

/// The index of `name`'s value among `names`, or 0 if the field is absent.
int readChoice(const Json &json, const char *name,
               std::initializer_list<const char *> names);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_REFERENCEFIELDS_H

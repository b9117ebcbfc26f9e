//===- ReferenceFields.cpp - values in the JSON of a reference --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceFields.h"

#include "conv/Artifact/ManifestJson.h"
#include "conv/Support/Npy.h"

#include <algorithm>
#include <cmath>

namespace conv::reference {

[[noreturn]] void fail(const std::string &message) { throw Malformed(message); }

const Json &field(const Json &object, const char *name) {
  if (!object.is_object() || !object.contains(name))
    fail(std::string("expects a field \"") + name + "\"");
  return object.at(name);
}

int64_t readInteger(const Json &value, const char *what, int64_t low,
                    int64_t high) {
  if (!value.is_number_integer() || value.get<int64_t>() < low ||
      value.get<int64_t>() > high)
    fail(std::string("expects ") + what + " between " + std::to_string(low) +
         " and " + std::to_string(high) + ", but got " + value.dump());
  return value.get<int64_t>();
}

std::string readString(const Json &value, const char *what) {
  if (!value.is_string() || value.dump().find('\\') != std::string::npos)
    fail(std::string("expects ") + what + " to be a plain string, but got " +
         value.dump());
  return value.get<std::string>();
}

double readNumber(const Json &value, const char *what) {
  if (value.is_number())
    return value.get<double>();
  std::string text = readString(value, what);
  if (text == "inf" || text == "-inf")
    return text == "inf" ? INFINITY : -INFINITY;
  if (text == "nan")
    return NAN;
  fail(std::string("expects ") + what + " to be a number, but got " +
       value.dump());
}

const Json &readList(const Json &value, const char *what) {
  if (!value.is_array())
    fail(std::string("expects ") + what + " to be a list, but got " +
         value.dump());
  return value;
}

ElementType readType(const Json &value) {
  std::string name = readString(value, "an element type");
  std::optional<ElementType> type = lookupElementType(name);
  if (!type)
    fail("expects an element type, but got \"" + name + "\"");
  return *type;
}

std::vector<int64_t> readSizes(const Json &value, const char *what,
                               int64_t low) {
  std::vector<int64_t> sizes;
  for (const Json &size : readList(value, what))
    sizes.push_back(readInteger(size, what, low, kMaxSize));
  return sizes;
}

std::array<int64_t, 3> readSpatial(const Json &value, const char *what,
                                   size_t rank, int64_t low, int64_t missing) {
  std::vector<int64_t> given = readSizes(value, what, low);
  if (given.size() != rank)
    fail(std::string("expects ") + what + " to have " + std::to_string(rank) +
         " entries, but got " + std::to_string(given.size()));
  std::array<int64_t, 3> all{missing, missing, missing};
  std::copy(given.begin(), given.end(), all.end() - given.size());
  return all;
}

artifact::ErrorBound readBound(const Json &json) {
  Result<artifact::ErrorBound> bound = artifact::parseErrorBound(json.dump());
  if (!bound)
    fail("error_bound." + bound.error().message);
  return *bound;
}

int readChoice(const Json &json, const char *name,
               std::initializer_list<const char *> names) {
  if (!json.is_object() || !json.contains(name))
    return 0;
  std::string value = readString(json.at(name), name);
  auto found = std::find(names.begin(), names.end(), value);
  if (found == names.end())
    fail(std::string("expects a known ") + name + ", but got \"" + value + '"');
  return int(found - names.begin());
}

} // namespace conv::reference

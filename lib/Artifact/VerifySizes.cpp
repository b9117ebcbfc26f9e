//===- VerifySizes.cpp - the rules of run-time sizes ----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// M17 and M18 of docs/artifact.md: sizes that callers choose, and the numbers
// that depend on them.
//
//===----------------------------------------------------------------------===//

#include "ManifestVerifier.h"

#include "conv/Artifact/RunTimeSizes.h"

#include <set>

using namespace conv;
using namespace conv::artifact;

/// M17. All other rules must hold for the entry with the least of its sizes:
/// that is what M17 says about numbers.
bool ManifestVerifier::verifySizes(const Entry &entry,
                                   const std::string &path) {
  std::set<std::string> names;
  std::vector<int64_t> least;
  for (size_t i = 0; i < entry.sizes.size(); ++i) {
    const RunTimeSize &size = entry.sizes[i];
    std::string place = indexed(path, ".sizes", i);
    if (!expectName(size.name, place + ".name") ||
        !expectRange(size.least, 1, kMaxGrid, place + ".least") ||
        !expectRange(size.most, size.least, kMaxGrid, place + ".most"))
      return false;
    if (!names.insert(size.name).second)
      return fail(place + ".name", "a name of its own",
                  "'" + size.name + "' again");
    least.push_back(size.least);
  }
  if (!entry.sizes.empty() && !verifyShapes(entry, path))
    return false;
  for (size_t i = 0; i < entry.launches.size(); ++i)
    for (size_t d = 0; d < 3; ++d)
      if (const auto &product = entry.launches[i].gridOfSizes[d];
          product &&
          !verify(*product, entry,
                  indexed(indexed(path, ".launches", i), ".grid", d)))
        return false;
  if (entry.workspaceOfSizes &&
      !verify(*entry.workspaceOfSizes, entry, path + ".workspace_bytes"))
    return false;
  for (size_t i = 0; i < entry.launches.size(); ++i) {
    const std::vector<Parameter> &parameters = entry.launches[i].parameters;
    for (size_t k = 0; k < parameters.size(); ++k)
      if (auto *size = std::get_if<SizeParameter>(&parameters[k]);
          size && !expectRange(
                      size->index, 0, int64_t(least.size()) - 1,
                      indexed(indexed(path, ".launches", i), ".parameters", k) +
                          ".size"))
        return false;
  }
  if (entry.sizes.empty())
    return true;
  Result<Entry> known = instantiate(entry, least);
  if (!known)
    return fail(path + ".sizes", "sizes that fit at their least",
                "'" + known.error().message + "'");
  return verify(*known, path);
}

/// M17. Shapes name only existing sizes, and each size is in a shape.
bool ManifestVerifier::verifyShapes(const Entry &entry,
                                    const std::string &path) {
  auto count = int64_t(entry.sizes.size());
  std::vector<bool> used(entry.sizes.size());
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const Argument &argument = entry.arguments[i];
    std::string place = indexed(path, ".arguments", i);
    if (argument.strides.size() != argument.shape.size())
      return fail(place + ".strides",
                  std::to_string(argument.shape.size()) + " as in shape",
                  std::to_string(argument.strides.size()));
    for (size_t d = 0; d < argument.shape.size(); ++d) {
      if (argument.shape[d] < 0 && decodeSize(argument.shape[d]) >= count)
        return fail(indexed(place, ".shape", d),
                    "a number of one of " + std::to_string(count) + " sizes",
                    "another one");
      if (argument.shape[d] < 0)
        used[size_t(decodeSize(argument.shape[d]))] = true;
      if (argument.strides[d] < 0 && argument.strides[d] != kNoGap)
        return fail(indexed(place, ".strides", d), "a number of at least 0",
                    "a negative one or none");
    }
  }
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      return fail(indexed(path, ".sizes", i), "a size in an argument's shape",
                  "one in none");
  return true;
}

/// M18.
bool ManifestVerifier::verify(const SizeProduct &product, const Entry &entry,
                              const std::string &path) {
  if (!expectRange(product.constant, 1, INT64_MAX, path + ".product[0]") ||
      !expectRange(product.per, 1, INT64_MAX, path + ".per"))
    return false;
  for (size_t i = 0; i < product.factors.size(); ++i) {
    std::string place = indexed(path, ".product", i + 1);
    if (!expectRange(product.factors[i].size, 0,
                     int64_t(entry.sizes.size()) - 1, place + ".size") ||
        !expectRange(product.factors[i].per, 1, INT64_MAX, place + ".per"))
      return false;
  }
  return true;
}

//===- ManifestVerify.cpp - the rules of a manifest -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of a manifest, its entries and their tensors. The compiler checks
// them before it writes and the runtime after it reads, so the rules cover
// every size, index and address of a launch.
//
//===----------------------------------------------------------------------===//

#include "ManifestVerifier.h"

#include "conv/Support/ElementType.h"

#include <cmath>
#include <set>

using namespace conv;
using namespace conv::artifact;

bool artifact::isDigestPath(const std::string &folder, const std::string &path,
                            const std::string &digest) {
  const std::string prefix = folder + "/" + digest + ".";
  auto isHex = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  };
  auto isExtension = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
  };
  return digest.size() == 64 &&
         std::all_of(digest.begin(), digest.end(), isHex) &&
         path.starts_with(prefix) && path.size() > prefix.size() &&
         path.size() <= prefix.size() + 16 &&
         std::all_of(path.begin() + ptrdiff_t(prefix.size()), path.end(),
                     isExtension);
}

bool ManifestVerifier::verify(const Manifest &manifest) {
  // M1.
  if (manifest.format != kFormat)
    return fail("format", std::to_string(kFormat),
                std::to_string(manifest.format));
  const Compiler &compiler = manifest.compiler;
  if (!expectText(compiler.version, "compiler.version") ||
      !expectText(compiler.llvm, "compiler.llvm") ||
      !expectText(compiler.fingerprint, "compiler.fingerprint"))
    return false;
  if (int64_t(manifest.entries.size()) > kMaxEntries)
    return fail("entries", "at most " + std::to_string(kMaxEntries),
                std::to_string(manifest.entries.size()));
  std::set<std::pair<std::string, std::string>> seen;
  for (size_t i = 0; i < manifest.entries.size(); ++i) {
    const Entry &entry = manifest.entries[i];
    std::string path = indexed("", "entries", i);
    if (!verify(entry, path))
      return false;
    // M3.
    if (!seen.emplace(entry.function, entry.target).second)
      return fail(path, "one entry for each function and target",
                  "a second for '" + entry.function + "' on " + entry.target);
    for (size_t j = 0; j < entry.packed.size(); ++j)
      if (!verify(entry.packed[j], entry, manifest,
                  indexed(path, ".packed", j)))
        return false;
  }
  return true;
}

bool ManifestVerifier::verify(const Entry &entry, const std::string &path) {
  if (int64_t(entry.sizes.size()) > kMaxSizes)
    return fail(path + ".sizes", "at most " + std::to_string(kMaxSizes),
                std::to_string(entry.sizes.size()));
  if (!expectName(entry.function, path + ".function") ||
      !expectName(entry.target, path + ".target") ||
      !expectText(entry.problem, path + ".problem") ||
      !expectText(entry.algorithm, path + ".algorithm") ||
      !expectText(entry.schedule, path + ".schedule") ||
      !expectOneOf(entry.chosenBy, {"user", "database", "heuristic"},
                   path + ".chosen_by") ||
      !expectRange(int64_t(entry.arguments.size()), 1, kMaxArguments,
                   path + ".arguments (their number)") ||
      !expectRange(int64_t(entry.launches.size()), 1, kMaxLaunches,
                   path + ".launches (their number)") ||
      // M7.
      !expectRange(entry.workspaceBytes, 0, INT64_MAX - kWorkspaceAlignment,
                   path + ".workspace_bytes"))
    return false;
  // M17 and M18; the entry with its least sizes obeys all other rules.
  bool isKnown = entry.sizes.empty();
  if (!verifySizes(entry, path) || !isKnown)
    return problem.empty();
  // M11.
  if (Result<void> result = verifyErrorBound(entry.errorBound); !result) {
    problem = path + ".error_bound." + result.error().message;
    return false;
  }
  // M13.
  if (entry.errorBound.followOperations && entry.reference.empty())
    return fail(path + ".error_bound.follow_operations",
                "a reference to follow them through", "none");
  std::set<std::string> names;
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    std::string place = indexed(path, ".arguments", i);
    if (!verify(entry.arguments[i], place))
      return false;
    if (!names.insert(entry.arguments[i].name).second)
      return fail(place + ".name", "a name of its own",
                  "'" + entry.arguments[i].name + "' again");
  }
  // M16.
  if (!expectRange(int64_t(entry.constants.size()), 0, kMaxConstants,
                   path + ".constants (their number)"))
    return false;
  for (size_t i = 0; i < entry.constants.size(); ++i) {
    std::string place = indexed(path, ".constants", i);
    if (!verify(entry.constants[i], place))
      return false;
    if (!names.insert(entry.constants[i].tensor.name).second)
      return fail(place + ".name", "a name of its own",
                  "'" + entry.constants[i].tensor.name + "' again");
  }
  for (size_t i = 0; i < entry.launches.size(); ++i)
    if (!verify(entry.launches[i], entry, indexed(path, ".launches", i)))
      return false;
  return true;
}

bool ManifestVerifier::verify(const Argument &argument,
                              const std::string &path) {
  if (!expectName(argument.name, path + ".name") ||
      !expectText(argument.role, path + ".role") ||
      !expectText(argument.dtype, path + ".dtype") ||
      !expectText(argument.layout, path + ".layout") ||
      !expectOneOf(argument.access, {"read", "write", "readwrite"},
                   path + ".access"))
    return false;
  // M4.
  if (!lookupElementType(argument.dtype))
    return fail(path + ".dtype", "an element type such as \"f16\"",
                "\"" + argument.dtype + "\"");
  // M5.
  size_t rank = argument.shape.size();
  if (!expectRange(int64_t(rank), 0, kMaxRank, path + ".shape (its rank)"))
    return false;
  if (argument.strides.size() != rank)
    return fail(path + ".strides", std::to_string(rank) + " as in shape",
                std::to_string(argument.strides.size()));
  if (!argument.layout.empty() && argument.layout.size() != rank)
    return fail(path + ".layout", std::to_string(rank) + " letters",
                "\"" + argument.layout + "\"");
  for (size_t i = 0; i < rank; ++i)
    if (!expectRange(argument.shape[i], 1, INT64_MAX,
                     indexed(path, ".shape", i)) ||
        !expectRange(argument.strides[i], 0, INT64_MAX,
                     indexed(path, ".strides", i)))
      return false;
  if (bufferBytes(argument) < 0)
    return fail(path + ".shape", "a buffer of fewer than 2^63 bytes", "more");
  if (!verifyApart(argument, path))
    return false;
  // M6.
  bool isPowerOfTwo = argument.alignment > 0 &&
                      (argument.alignment & (argument.alignment - 1)) == 0;
  if (!isPowerOfTwo || argument.alignment > kMaxAlignment)
    return fail(path + ".alignment",
                "a power of two up to " + std::to_string(kMaxAlignment),
                std::to_string(argument.alignment));
  return true;
}

/// M16.
bool ManifestVerifier::verify(const Constant &constant,
                              const std::string &path) {
  const Argument &tensor = constant.tensor;
  if (!verify(tensor, path) ||
      !expectOneOf(tensor.access, {"read"}, path + ".access") ||
      !expectName(constant.data, path + ".data"))
    return false;
  int64_t stride = 1;
  for (size_t d = tensor.shape.size(); d-- > 0; stride *= tensor.shape[d])
    if (tensor.strides[d] != stride)
      return fail(indexed(path, ".strides", d), std::to_string(stride),
                  std::to_string(tensor.strides[d]));
  return (isDigestPath("data", constant.data, constant.sha256) &&
          constant.data.ends_with(".bin")) ||
         fail(path + ".data", "\"data/<sha256>.bin\"",
              "\"" + constant.data + "\"");
}

static bool haveSameElements(const Argument &a, const Argument &b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

/// M19. The other entry need not be in the file.
bool ManifestVerifier::verify(const PackedArgument &packed, const Entry &entry,
                              const Manifest &manifest,
                              const std::string &path) {
  if (!expectRange(packed.argument, 0, int64_t(entry.arguments.size()) - 1,
                   path + ".argument") ||
      !expectName(packed.function, path + ".function") ||
      !expectRange(packed.source, 0, kMaxArguments - 1, path + ".source") ||
      !expectRange(packed.result, 0, kMaxArguments - 1, path + ".result"))
    return false;
  const Argument &argument = entry.arguments[size_t(packed.argument)];
  if (argument.access != "read")
    return fail(path + ".argument", "an argument that is read",
                "'" + argument.name + "'");
  const Entry *other = findEntry(manifest, packed.function, entry.target);
  if (!other)
    return true;
  int64_t last = int64_t(other->arguments.size()) - 1;
  if (!expectRange(packed.source, 0, last, path + ".source") ||
      !expectRange(packed.result, 0, last, path + ".result"))
    return false;
  if (!other->arguments[size_t(packed.source)].isRead())
    return fail(path + ".source", "an argument that is read",
                "'" + other->arguments[size_t(packed.source)].name + "'");
  const Argument &result = other->arguments[size_t(packed.result)];
  return (result.isWritten() && haveSameElements(result, argument)) ||
         fail(path + ".result",
              "a result of the type, shape and strides of '" + argument.name +
                  "'",
              "'" + result.name + "'");
}

const Entry *artifact::findEntry(const Manifest &manifest,
                                 const std::string &function,
                                 const std::string &target) {
  for (const Entry &entry : manifest.entries)
    if (entry.function == function && entry.target == target)
      return &entry;
  return nullptr;
}

/// M5. Elements do not overlap: sorted by stride, each dimension steps over the
/// span of all smaller ones. Kernels read and write as many elements as the
/// shape has, so a buffer with a smaller span would be too small.
bool ManifestVerifier::verifyApart(const Argument &argument,
                                   const std::string &path) {
  std::vector<std::pair<int64_t, int64_t>> steps; // Stride, size.
  for (size_t i = 0; i < argument.shape.size(); ++i)
    if (argument.shape[i] > 1)
      steps.emplace_back(argument.strides[i], argument.shape[i]);
  std::sort(steps.begin(), steps.end());
  int64_t span = 1; // No overflow: bufferBytes checked.
  for (auto [stride, size] : steps) {
    if (stride < span)
      return fail(path + ".strides", "elements that do not overlap",
                  "a stride of " + std::to_string(stride) + " over " +
                      std::to_string(span) + " elements");
    span += (size - 1) * stride;
  }
  return true;
}

int64_t artifact::bufferBytes(const Argument &argument) {
  std::optional<ElementType> type = lookupElementType(argument.dtype);
  if (!type || argument.strides.size() != argument.shape.size())
    return -1;
  int64_t elements = 1;
  for (size_t i = 0; i < argument.shape.size(); ++i) {
    int64_t size = argument.shape[i], stride = argument.strides[i], step = 0;
    if (size < 1 || stride < 0 ||
        __builtin_mul_overflow(size - 1, stride, &step) ||
        __builtin_add_overflow(elements, step, &elements))
      return -1;
  }
  int64_t bytes = 0;
  return __builtin_mul_overflow(elements, elementBytes(*type), &bytes) ? -1
                                                                       : bytes;
}

Result<void> artifact::verifyErrorBound(const ErrorBound &bound) {
  Roundings roundings = bound.roundings.value_or(Roundings());
  if (roundings.unordered < 0 || roundings.slice < 1)
    return Error{ErrorKind::BadInput,
                 "roundings: expects unordered of at least 0 and slice of at "
                 "least 1, but got " +
                     std::to_string(roundings.unordered) + " and " +
                     std::to_string(roundings.slice)};
  if (bound.roundings && bound.transforms == 0)
    return Error{ErrorKind::BadInput,
                 "roundings: expects transforms to be positive, but got 0"};
  for (auto [name, value] :
       {std::pair("accumulation", bound.accumulation),
        std::pair("output_ulp", bound.outputUlp),
        std::pair("transforms", bound.transforms),
        std::pair("operands", bound.operands),
        std::pair("constant", bound.constant),
        std::pair("roundings.factor", roundings.factor),
        std::pair("roundings.accumulation", roundings.accumulation)})
    if (!(std::isfinite(value) && value >= 0))
      return Error{ErrorKind::BadInput,
                   std::string(name) +
                       ": expects a finite number of at least 0, but got " +
                       std::to_string(value)};
  return {};
}

Result<void> artifact::verifyManifest(const Manifest &manifest) {
  ManifestVerifier verifier;
  if (verifier.verify(manifest))
    return {};
  return Error{ErrorKind::BadInput, verifier.problem};
}

//===- ManifestVerify.cpp - the rules of a manifest -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the values of a manifest must satisfy beyond their types, numbered as in
// docs/artifact.md. The compiler checks before it writes and the runtime after
// it reads, so that what is launched has no size, index or address that the
// rules do not cover.
//
//===----------------------------------------------------------------------===//

#include "conv/Artifact/Manifest.h"

#include "conv/Artifact/RunTimeSizes.h"

#include "conv/Support/ElementType.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace conv;
using namespace conv::artifact;

namespace {

/// Checks one manifest. Methods return false once `problem` is set.
class Verifier {
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
  bool verify(const Launch &launch, const Entry &entry,
              const std::string &path);
  bool verifyCode(const Launch &launch, const std::string &path);
  bool verifyShape(const Launch &launch, const std::string &path);
  bool verify(const Parameter &parameter, const Entry &entry,
              const std::string &path);
  bool verify(const TensorMapParameter &map, const Entry &entry,
              const std::string &path);

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

  /// M2. A text can be printed in a message, and a terminal obeys no part of
  /// it.
  bool expectText(const std::string &text, const std::string &path) {
    auto isControl = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    return std::none_of(text.begin(), text.end(), isControl) ||
           fail(path, "no control characters", "one");
  }

  /// M2. A name can be looked up as a symbol, too.
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

std::string indexed(const std::string &path, const char *member, size_t i) {
  return path + member + "[" + std::to_string(i) + "]";
}

/// "<folder>/<64 hex digits>.<extension>", of which the digits are `digest`.
bool isDigestPath(const std::string &folder, const std::string &path,
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

bool Verifier::verify(const Manifest &manifest) {
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
  }
  return true;
}

/// M17. What it says of numbers is that all other rules hold of the entry with
/// the least of its sizes.
bool Verifier::verifySizes(const Entry &entry, const std::string &path) {
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

/// M17. Shapes name sizes that there are, and each size is in a shape.
bool Verifier::verifyShapes(const Entry &entry, const std::string &path) {
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
bool Verifier::verify(const SizeProduct &product, const Entry &entry,
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

bool Verifier::verify(const Entry &entry, const std::string &path) {
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
  // M17 and M18; the entry with its least sizes obeys the rest.
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

bool Verifier::verify(const Argument &argument, const std::string &path) {
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
bool Verifier::verify(const Constant &constant, const std::string &path) {
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

/// M5. Elements are apart: sorted by stride, each dimension steps over all that
/// the smaller ones span. Kernels read and write as many elements as the shape
/// has, so a buffer that spans fewer would be too small for them.
bool Verifier::verifyApart(const Argument &argument, const std::string &path) {
  std::vector<std::pair<int64_t, int64_t>> steps; // Stride, size.
  for (size_t i = 0; i < argument.shape.size(); ++i)
    if (argument.shape[i] > 1)
      steps.emplace_back(argument.strides[i], argument.shape[i]);
  std::sort(steps.begin(), steps.end());
  int64_t span = 1; // No overflow: bufferBytes was asked before.
  for (auto [stride, size] : steps) {
    if (stride < span)
      return fail(path + ".strides", "elements that do not overlap",
                  "a stride of " + std::to_string(stride) + " over " +
                      std::to_string(span) + " elements");
    span += (size - 1) * stride;
  }
  return true;
}

bool Verifier::verify(const Launch &launch, const Entry &entry,
                      const std::string &path) {
  if (!verifyCode(launch, path) || !verifyShape(launch, path) ||
      !expectRange(int64_t(launch.parameters.size()), 0, kMaxParameters,
                   path + ".parameters (their number)"))
    return false;
  int64_t maps = 0;
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    maps += std::holds_alternative<TensorMapParameter>(launch.parameters[i]);
    if (!verify(launch.parameters[i], entry, indexed(path, ".parameters", i)))
      return false;
  }
  // M15.
  if (!expectRange(maps, 0, kMaxTensorMaps, path + ".parameters (tensor maps)"))
    return false;
  // M12.
  const Resources &resources = launch.resources;
  for (auto [name, value] :
       {std::pair("vgpr", resources.vgpr), std::pair("agpr", resources.agpr),
        std::pair("sgpr", resources.sgpr),
        std::pair("shared_bytes", resources.sharedBytes),
        std::pair("scratch_bytes", resources.scratchBytes),
        std::pair("spills", resources.spills)})
    if (!expectRange(value, 0, INT64_MAX, path + ".resources." + name))
      return false;
  return true;
}

/// M8.
bool Verifier::verifyCode(const Launch &launch, const std::string &path) {
  if (!expectName(launch.kernel, path + ".kernel") ||
      !expectName(launch.code, path + ".code"))
    return false;
  return isDigestPath("code", launch.code, launch.sha256) ||
         fail(path + ".code", "\"code/<sha256>.<extension>\"",
              "\"" + launch.code + "\"");
}

/// M9.
bool Verifier::verifyShape(const Launch &launch, const std::string &path) {
  int64_t blockSize = 1, clusterSize = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (!expectRange(launch.grid[i], 1, kMaxGrid, indexed(path, ".grid", i)) ||
        !expectRange(launch.block[i], 1, kMaxWorkgroupSize,
                     indexed(path, ".block", i)) ||
        !expectRange(launch.cluster[i], 1, kMaxClusterSize,
                     indexed(path, ".cluster", i)))
      return false;
    if (launch.grid[i] * launch.block[i] > int64_t(UINT32_MAX))
      return fail(indexed(path, ".grid", i), "fewer than 2^32 work-items",
                  std::to_string(launch.grid[i]) + " times " +
                      std::to_string(launch.block[i]));
    if (launch.grid[i] % launch.cluster[i] != 0)
      return fail(indexed(path, ".grid", i),
                  "a multiple of " + std::to_string(launch.cluster[i]) +
                      ", the cluster",
                  std::to_string(launch.grid[i]));
    blockSize *= launch.block[i];
    clusterSize *= launch.cluster[i];
  }
  return expectRange(blockSize, 1, kMaxWorkgroupSize,
                     path + ".block (its product)") &&
         expectRange(clusterSize, 1, kMaxClusterSize,
                     path + ".cluster (its product)") &&
         expectRange(launch.dynamicSharedBytes, 0, kMaxDynamicSharedBytes,
                     path + ".dynamic_shared_bytes");
}

/// M10.
bool Verifier::verify(const Parameter &parameter, const Entry &entry,
                      const std::string &path) {
  if (auto *argument = std::get_if<ArgumentParameter>(&parameter))
    return expectRange(argument->index, 0, int64_t(entry.arguments.size()) - 1,
                       path + ".argument");
  if (auto *constant = std::get_if<ConstantParameter>(&parameter))
    return expectRange(constant->index, 0, int64_t(entry.constants.size()) - 1,
                       path + ".constant");
  if (auto *workspace = std::get_if<WorkspaceParameter>(&parameter)) {
    if (entry.workspaceBytes == 0)
      return fail(path + ".workspace", "an entry with a workspace", "none");
    return expectRange(workspace->offset, 0, entry.workspaceBytes - 1,
                       path + ".workspace");
  }
  if (auto *map = std::get_if<TensorMapParameter>(&parameter))
    return verify(*map, entry, path + ".tensor_map");
  return true;
}

/// M15. The limits of the copy engine, and that what a map sees is in its
/// buffer.
bool Verifier::verify(const TensorMapParameter &map, const Entry &entry,
                      const std::string &path) {
  auto expectList = [&](const std::vector<int64_t> &list, size_t count,
                        int64_t low, int64_t high, const std::string &name) {
    if (!expectRange(int64_t(list.size()), int64_t(count), int64_t(count),
                     path + name + " (their number)"))
      return false;
    for (size_t i = 0; i < count; ++i)
      if (!expectRange(list[i], low, high, indexed(path, name.c_str(), i)))
        return false;
    return true;
  };
  Parameter base =
      std::visit([](auto each) { return Parameter(each); }, map.base);
  if (!verify(base, entry, path) ||
      !expectOneOf(map.dtype, {"i8", "i32", "f16", "bf16", "f32", "tf32"},
                   path + ".dtype") ||
      !expectRange(int64_t(map.sizes.size()), map.isIm2col() ? 3 : 1, 5,
                   path + ".sizes (their number)"))
    return false;
  size_t rank = map.sizes.size();
  int64_t corner = int64_t(1) << (rank <= 3 ? 15 : rank == 4 ? 7 : 4);
  size_t spatial = map.isIm2col() ? rank - 2 : 0;
  if (!expectList(map.sizes, rank, 1, int64_t(1) << 32, ".sizes") ||
      !expectList(map.strides, rank - 1, 16, (int64_t(1) << 40) - 16,
                  ".strides") ||
      !expectList(map.elementStrides, rank, 1, 8, ".element_strides") ||
      !expectList(map.box, map.isIm2col() ? 2 : rank, 1,
                  map.isIm2col() ? 1024 : 256, ".box") ||
      !expectList(map.lower, spatial, -corner, corner - 1, ".lower") ||
      !expectList(map.upper, spatial, -corner, corner - 1, ".upper"))
    return false;
  int64_t row = map.box[0] * map.elementBytes();
  if (map.swizzle != 16 && map.swizzle != 32 && map.swizzle != 64 &&
      map.swizzle != 128)
    return fail(path + ".swizzle", "16, 32, 64 or 128",
                std::to_string(map.swizzle));
  if (row % 16 != 0 || (map.swizzle > 16 && row > map.swizzle))
    return fail(path + ".box[0]", "a multiple of 16 bytes up to the swizzle",
                std::to_string(row));
  int64_t last = map.sizes[0] * map.elementBytes();
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (map.strides[i] % 16 != 0)
      return fail(indexed(path, ".strides", i), "a multiple of 16",
                  std::to_string(map.strides[i]));
    int64_t step = 0;
    if (__builtin_mul_overflow(map.sizes[i + 1] - 1, map.strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return fail(indexed(path, ".strides", i), "fewer than 2^63 bytes",
                  "more");
  }
  int64_t bytes;
  if (auto *argument = std::get_if<ArgumentParameter>(&map.base))
    bytes = bufferBytes(entry.arguments[size_t(argument->index)]);
  else if (auto *constant = std::get_if<ConstantParameter>(&map.base))
    bytes = bufferBytes(entry.constants[size_t(constant->index)].tensor);
  else
    bytes =
        entry.workspaceBytes - std::get<WorkspaceParameter>(map.base).offset;
  return last <= bytes ||
         fail(path + ".sizes",
              "at most the buffer's " + std::to_string(bytes) + " bytes",
              std::to_string(last));
}

} // namespace

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
  for (auto [name, value] : {std::pair("accumulation", bound.accumulation),
                             std::pair("output_ulp", bound.outputUlp),
                             std::pair("operands", bound.operands),
                             std::pair("constant", bound.constant)})
    if (!(std::isfinite(value) && value >= 0))
      return Error{ErrorKind::BadInput,
                   std::string(name) +
                       ": expects a finite number of at least 0, but got " +
                       std::to_string(value)};
  return {};
}

Result<void> artifact::verifyManifest(const Manifest &manifest) {
  Verifier verifier;
  if (verifier.verify(manifest))
    return {};
  return Error{ErrorKind::BadInput, verifier.problem};
}

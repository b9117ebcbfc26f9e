//===- VerifyLaunch.cpp - the rules of launches ---------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// M8 to M10, M12 and M15 of docs/artifact.md: code, shape, parameters and
// resources of a launch.
//
//===----------------------------------------------------------------------===//

#include "ManifestVerifier.h"

using namespace conv;
using namespace conv::artifact;

bool ManifestVerifier::verify(const Launch &launch, const Entry &entry,
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
bool ManifestVerifier::verifyCode(const Launch &launch,
                                  const std::string &path) {
  if (!expectName(launch.kernel, path + ".kernel") ||
      !expectName(launch.code, path + ".code"))
    return false;
  return isDigestPath("code", launch.code, launch.sha256) ||
         fail(path + ".code", "\"code/<sha256>.<extension>\"",
              "\"" + launch.code + "\"");
}

/// M9.
bool ManifestVerifier::verifyShape(const Launch &launch,
                                   const std::string &path) {
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
bool ManifestVerifier::verify(const Parameter &parameter, const Entry &entry,
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

/// M15. A row of a box fits the swizzle.
bool ManifestVerifier::verifyRows(const TensorMapParameter &map,
                                  const std::string &path) {
  int64_t row = map.box[0] * map.elementBytes();
  if (map.swizzle != 16 && map.swizzle != 32 && map.swizzle != 64 &&
      map.swizzle != 128)
    return fail(path + ".swizzle", "16, 32, 64 or 128",
                std::to_string(map.swizzle));
  if (row % 16 != 0 || (map.swizzle > 16 && row > map.swizzle))
    return fail(path + ".box[0]", "a multiple of 16 bytes up to the swizzle",
                std::to_string(row));
  return true;
}

/// M15. The limits of the copy engine, and that what a map sees is in its
/// buffer.
bool ManifestVerifier::verify(const TensorMapParameter &map, const Entry &entry,
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
  if (!verifyRows(map, path))
    return false;
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

//===- ManifestWriter.cpp - the manifest to JSON text ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestFields.h"

#include "conv/Artifact/ManifestJson.h"

#include "conv/Support/Sha256.h"

using namespace conv;
using namespace conv::artifact;

/// JSON text from outside, or a discarded value.
static Json parseEmbedded(const std::string &text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

static Json toJson(const Launch &launch);
static Json toJson(const Entry &entry);

static Json toJson(const RunTimeSize &size) {
  return {{"name", size.name}, {"least", size.least}, {"most", size.most}};
}

static Json toJson(const SizeProduct &product) {
  Json factors = Json::array({product.constant});
  for (auto [size, per] : product.factors) {
    Json factor = {{kSize, size}};
    if (per != 1)
      factor["per"] = per;
    factors.push_back(std::move(factor));
  }
  Json object = {{"product", std::move(factors)}};
  if (product.per != 1)
    object["per"] = product.per;
  return object;
}

static Json shapeToJson(const std::vector<int64_t> &shape) {
  Json array = Json::array();
  for (int64_t element : shape)
    array.push_back(element < 0 ? Json{{kSize, decodeSize(element)}}
                                : Json(element));
  return array;
}

static Json stridesToJson(const std::vector<int64_t> &strides) {
  Json array = Json::array();
  for (int64_t stride : strides)
    array.push_back(stride == kNoGap ? Json() : Json(stride));
  return array;
}

static Json toJson(const Argument &argument) {
  return {{"name", argument.name},
          {"role", argument.role},
          {"access", argument.access},
          {"dtype", argument.dtype},
          {"layout", argument.layout},
          {"shape", shapeToJson(argument.shape)},
          {"strides", stridesToJson(argument.strides)},
          {"alignment", argument.alignment}};
}

static Json toJson(const Constant &constant) {
  Json object = toJson(constant.tensor);
  object["data"] = constant.data;
  object["sha256"] = constant.sha256;
  return object;
}

static Json toJson(const PackedArgument &packed) {
  return {{"argument", packed.argument},
          {"function", packed.function},
          {"source", packed.source},
          {"result", packed.result}};
}

static Json toJson(const TensorMapParameter &map) {
  Json object;
  if (auto *argument = std::get_if<ArgumentParameter>(&map.base))
    object["argument"] = argument->index;
  else if (auto *constant = std::get_if<ConstantParameter>(&map.base))
    object["constant"] = constant->index;
  else
    object["workspace"] = std::get<WorkspaceParameter>(map.base).offset;
  object["dtype"] = map.dtype;
  object["sizes"] = map.sizes;
  object["strides"] = map.strides;
  object["box"] = map.box;
  object["element_strides"] = map.elementStrides;
  if (map.isIm2col()) {
    object["lower"] = map.lower;
    object["upper"] = map.upper;
  }
  object["swizzle"] = map.swizzle;
  return object;
}

static Json toJson(const Parameter &parameter) {
  if (auto *argument = std::get_if<ArgumentParameter>(&parameter))
    return {{"argument", argument->index}};
  if (auto *constant = std::get_if<ConstantParameter>(&parameter))
    return {{"constant", constant->index}};
  if (auto *workspace = std::get_if<WorkspaceParameter>(&parameter))
    return {{"workspace", workspace->offset}};
  if (auto *i32 = std::get_if<I32Parameter>(&parameter))
    return {{"i32", i32->value}};
  if (auto *size = std::get_if<SizeParameter>(&parameter))
    return {{kSize, size->index}};
  Json object;
  object["tensor_map"] = toJson(std::get<TensorMapParameter>(parameter));
  return object;
}

static Json toJson(const Resources &resources) {
  return {{"vgpr", resources.vgpr},
          {"agpr", resources.agpr},
          {"sgpr", resources.sgpr},
          {"shared_bytes", resources.sharedBytes},
          {"scratch_bytes", resources.scratchBytes},
          {"spills", resources.spills}};
}

template <typename T> static Json toJsonArray(const std::vector<T> &values) {
  Json array = Json::array();
  for (const T &value : values)
    array.push_back(toJson(value));
  return array;
}

static Json gridToJson(const Launch &launch) {
  Json array = Json::array();
  for (size_t i = 0; i < 3; ++i)
    array.push_back(launch.gridOfSizes[i] ? toJson(*launch.gridOfSizes[i])
                                          : Json(launch.grid[i]));
  return array;
}

static Json toJson(const Launch &launch) {
  Json object = {{"code", launch.code},
                 {"sha256", launch.sha256},
                 {"kernel", launch.kernel},
                 {"grid", gridToJson(launch)},
                 {"block", launch.block},
                 {"cluster", launch.cluster},
                 {"dynamic_shared_bytes", launch.dynamicSharedBytes}};
  if (launch.startsEarly)
    object["starts_early"] = true;
  object["parameters"] = toJsonArray(launch.parameters);
  object["resources"] = toJson(launch.resources);
  return object;
}

static Json toJson(const ErrorBound &bound) {
  Json object = {{"accumulation", bound.accumulation},
                 {"output_ulp", bound.outputUlp}};
  if (bound.transforms != 0)
    object["transforms"] = bound.transforms;
  if (bound.operands != 0)
    object["operands"] = bound.operands;
  if (bound.constant != 0)
    object["constant"] = bound.constant;
  if (bound.followOperations)
    object["follow_operations"] = true;
  if (bound.roundings)
    object["roundings"] = {{"factor", bound.roundings->factor},
                           {"accumulation", bound.roundings->accumulation},
                           {"unordered", bound.roundings->unordered},
                           {"slice", bound.roundings->slice}};
  return object;
}

static Json workspaceToJson(const Entry &entry) {
  return entry.workspaceOfSizes ? toJson(*entry.workspaceOfSizes)
                                : Json(entry.workspaceBytes);
}

std::string artifact::digestContract(const Entry &entry) {
  Json contract;
  if (!entry.sizes.empty())
    contract["sizes"] = toJsonArray(entry.sizes);
  contract["arguments"] = toJsonArray(entry.arguments);
  if (!entry.constants.empty())
    contract["constants"] = toJsonArray(entry.constants);
  contract["workspace_bytes"] = workspaceToJson(entry);
  contract["launches"] = toJsonArray(entry.launches);
  return sha256Hex(contract.dump(-1, ' ', /*ensure_ascii=*/false,
                                 Json::error_handler_t::replace));
}

static Json toJson(const Entry &entry) {
  Json object = {{"function", entry.function}, {"target", entry.target},
                 {"problem", entry.problem},   {"algorithm", entry.algorithm},
                 {"schedule", entry.schedule}, {"chosen_by", entry.chosenBy}};
  if (!entry.sizes.empty())
    object["sizes"] = toJsonArray(entry.sizes);
  object["arguments"] = toJsonArray(entry.arguments);
  if (!entry.constants.empty())
    object["constants"] = toJsonArray(entry.constants);
  object["workspace_bytes"] = workspaceToJson(entry);
  object["deterministic"] = entry.deterministic;
  object["error_bound"] = toJson(entry.errorBound);
  object["launches"] = toJsonArray(entry.launches);
  object["contract"] = digestContract(entry);
  if (!entry.reference.empty())
    object["reference"] = parseEmbedded(entry.reference);
  if (!entry.packed.empty())
    object["packed"] = toJsonArray(entry.packed);
  return object;
}

/// Whether the texts that are embedded in `entry` are JSON.
static Result<void> verifyEmbedded(const Entry &entry) {
  if (!entry.reference.empty() && parseEmbedded(entry.reference).is_discarded())
    return Error{ErrorKind::BadInput, "expects the reference of '" +
                                          entry.function + "' to be JSON"};
  return {};
}

Result<std::string> artifact::writeManifest(const Manifest &manifest) {
  for (const Entry &entry : manifest.entries)
    if (Result<void> result = verifyEmbedded(entry); !result)
      return result.error();
  Json root = {{"format", manifest.format},
               {"compiler",
                {{"version", manifest.compiler.version},
                 {"llvm", manifest.compiler.llvm},
                 {"fingerprint", manifest.compiler.fingerprint}}},
               {"entries", toJsonArray(manifest.entries)}};
  // Bytes that are not UTF-8 become the replacement character instead of an
  // exception.
  return root.dump(1, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}

static void replaceSizes(Json &value, std::span<const int64_t> sizes) {
  if (value.is_object() && value.size() == 1 && value.contains(kSize) &&
      value[kSize].is_number_unsigned() &&
      value[kSize].get<uint64_t>() < sizes.size()) {
    value = sizes[value[kSize].get<size_t>()];
    return;
  }
  if (value.is_structured())
    for (Json &inner : value)
      replaceSizes(inner, sizes);
}

std::string artifact::replaceSizes(const std::string &text,
                                   std::span<const int64_t> sizes) {
  Json value = parseEmbedded(text);
  if (text.empty() || value.is_discarded())
    return text;
  ::replaceSizes(value, sizes);
  return value.dump();
}

std::string artifact::writeErrorBound(const ErrorBound &bound) {
  return toJson(bound).dump();
}

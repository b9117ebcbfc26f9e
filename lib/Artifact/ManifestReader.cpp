//===- ManifestReader.cpp - JSON text to a manifest -----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading checks types and required fields; ManifestVerify.cpp checks the
// values.
//
//===----------------------------------------------------------------------===//

#include "ManifestField.h"

#include "conv/Artifact/ManifestJson.h"

#include <algorithm>
#include <utility>

using namespace conv;
using namespace conv::artifact;

namespace {

RunTimeSize readSize(const Field &field) {
  return {field["name"].string(), field["least"].integer(),
          field["most"].integer()};
}

SizeProduct readProduct(const Field &field) {
  SizeProduct product;
  bool isFirst = true;
  field["product"].list(kMaxFactors + 1, [&](const Field &factor) {
    if (std::exchange(isFirst, false))
      product.constant = factor.integer();
    else
      product.factors.push_back(
          {factor[kSize].integer(),
           factor.has("per") ? factor["per"].integer() : 1});
    return 0;
  });
  if (field.has("per"))
    product.per = field["per"].integer();
  return product;
}

std::vector<int64_t> readShape(const Field &field) {
  return field.list(kMaxRank, [](const Field &element) {
    if (!element.isObject())
      return element.integer();
    int64_t number = element[kSize].integer();
    if (number < 0)
      element.expects("the number of a run-time size");
    return encodeSize(std::max<int64_t>(number, 0));
  });
}

std::vector<int64_t> readStrides(const Field &field) {
  return field.list(kMaxRank, [](const Field &element) {
    return element.isNull() ? kNoGap : element.integer();
  });
}

/// Three numbers, of which each may be a product of run-time sizes.
void readGrid(const Field &field, Launch &launch) {
  size_t i = 0;
  field.list(3, [&](const Field &element) {
    if (element.isObject())
      launch.gridOfSizes[i] = readProduct(element);
    else
      launch.grid[i] = element.integer();
    return ++i;
  });
  if (i != 3)
    field.expects("three integers");
}

Argument readArgument(const Field &field) {
  Argument argument;
  argument.name = field["name"].string();
  argument.role = field["role"].string();
  argument.access = field["access"].string();
  argument.dtype = field["dtype"].string();
  argument.layout = field["layout"].string();
  argument.shape = readShape(field["shape"]);
  argument.strides = readStrides(field["strides"]);
  argument.alignment = field["alignment"].integer();
  return argument;
}

Constant readConstant(const Field &field) {
  return {readArgument(field), field["data"].string(),
          field["sha256"].string()};
}

PackedArgument readPacked(const Field &field) {
  return {field["argument"].integer(), field["function"].string(),
          field["source"].integer(), field["result"].integer()};
}

TensorMapParameter readTensorMap(const Field &field) {
  TensorMapParameter map;
  if (field.has("workspace"))
    map.base = WorkspaceParameter{field["workspace"].integer()};
  else if (field.has("constant"))
    map.base = ConstantParameter{field["constant"].integer()};
  else
    map.base = ArgumentParameter{field["argument"].integer()};
  map.dtype = field["dtype"].string();
  map.sizes = field["sizes"].integers(kMaxRank);
  map.strides = field["strides"].integers(kMaxRank);
  map.box = field["box"].integers(kMaxRank);
  map.elementStrides = field["element_strides"].integers(kMaxRank);
  if (field.has("lower")) {
    map.lower = field["lower"].integers(kMaxRank);
    map.upper = field["upper"].integers(kMaxRank);
  }
  map.swizzle = field["swizzle"].integer();
  return map;
}

Parameter readParameter(const Field &field) {
  if (field.has("argument"))
    return ArgumentParameter{field["argument"].integer()};
  if (field.has("constant"))
    return ConstantParameter{field["constant"].integer()};
  if (field.has("workspace"))
    return WorkspaceParameter{field["workspace"].integer()};
  if (field.has("i32"))
    return I32Parameter{field["i32"].integer32()};
  if (field.has(kSize))
    return SizeParameter{field[kSize].integer()};
  if (field.has("tensor_map"))
    return readTensorMap(field["tensor_map"]);
  field.expects(
      "one of argument, constant, workspace, i32, size and tensor_map");
  return I32Parameter{0};
}

Resources readResources(const Field &field) {
  Resources resources;
  resources.vgpr = field["vgpr"].integer();
  resources.agpr = field["agpr"].integer();
  resources.sgpr = field["sgpr"].integer();
  resources.sharedBytes = field["shared_bytes"].integer();
  resources.scratchBytes = field["scratch_bytes"].integer();
  resources.spills = field["spills"].integer();
  return resources;
}

Launch readLaunch(const Field &field) {
  Launch launch;
  launch.code = field["code"].string();
  launch.sha256 = field["sha256"].string();
  launch.kernel = field["kernel"].string();
  readGrid(field["grid"], launch);
  launch.block = field["block"].triple();
  launch.cluster = field["cluster"].triple();
  launch.dynamicSharedBytes = field["dynamic_shared_bytes"].integer();
  if (field.has("starts_early"))
    launch.startsEarly = field["starts_early"].boolean();
  launch.parameters = field["parameters"].list(kMaxParameters, readParameter);
  launch.resources = readResources(field["resources"]);
  return launch;
}

ErrorBound readErrorBound(const Field &field) {
  ErrorBound bound;
  bound.accumulation = field["accumulation"].number();
  bound.outputUlp = field["output_ulp"].number();
  if (field.has("transforms"))
    bound.transforms = field["transforms"].number();
  if (field.has("operands"))
    bound.operands = field["operands"].number();
  if (field.has("constant"))
    bound.constant = field["constant"].number();
  if (field.has("follow_operations"))
    bound.followOperations = field["follow_operations"].boolean();
  if (field.has("roundings")) {
    Field roundings = field["roundings"];
    bound.roundings = {
        roundings["factor"].number(), roundings["accumulation"].number(),
        roundings["unordered"].integer(), roundings["slice"].integer()};
  }
  return bound;
}

Entry readEntry(const Field &field) {
  Entry entry;
  entry.function = field["function"].string();
  entry.target = field["target"].string();
  entry.problem = field["problem"].string();
  entry.algorithm = field["algorithm"].string();
  entry.schedule = field["schedule"].string();
  entry.chosenBy = field["chosen_by"].string();
  if (field.has("sizes"))
    entry.sizes = field["sizes"].list(kMaxSizes, readSize);
  entry.arguments = field["arguments"].list(kMaxArguments, readArgument);
  if (field.has("constants"))
    entry.constants = field["constants"].list(kMaxConstants, readConstant);
  if (Field bytes = field["workspace_bytes"]; bytes.isObject())
    entry.workspaceOfSizes = readProduct(bytes);
  else
    entry.workspaceBytes = bytes.integer();
  entry.deterministic = field["deterministic"].boolean();
  entry.errorBound = readErrorBound(field["error_bound"]);
  entry.launches = field["launches"].list(kMaxLaunches, readLaunch);
  if (field.has("reference"))
    entry.reference = field["reference"].text();
  if (field.has("packed"))
    entry.packed = field["packed"].list(kMaxArguments, readPacked);
  return entry;
}

/// Checks rule M14: `contracts` are the digests in the text, one per entry.
Result<void> verifyContracts(const Manifest &manifest,
                             const std::vector<std::string> &contracts) {
  for (size_t i = 0; i < contracts.size(); ++i)
    if (contracts[i] != digestContract(manifest.entries[i]))
      return Error{ErrorKind::BadInput,
                   "entries[" + std::to_string(i) +
                       "].contract: expects the digest of arguments, "
                       "constants, workspace_bytes and launches, but got that "
                       "of others"};
  return {};
}

} // namespace

Result<Manifest> artifact::parseManifest(std::string_view text) {
  std::string problem;
  Json document = parseDocument(text, problem);
  Field root(document, "", problem);
  Manifest manifest;
  std::vector<std::string> contracts;
  if (problem.empty()) {
    // The format comes first: other formats may have any other fields.
    int64_t format = root["format"].integer();
    if (problem.empty() && format != kFormat)
      return Error{ErrorKind::Unsupported,
                   "format: expects " + std::to_string(kFormat) + ", but got " +
                       std::to_string(format)};
  }
  if (problem.empty()) {
    Field compiler = root["compiler"];
    manifest.compiler = {compiler["version"].string(),
                         compiler["llvm"].string(),
                         compiler["fingerprint"].string()};
    manifest.entries = root["entries"].list(kMaxEntries, readEntry);
    contracts = root["entries"].list(kMaxEntries, [](const Field &entry) {
      return entry["contract"].string();
    });
  }
  if (!problem.empty())
    return Error{ErrorKind::BadInput, problem};
  if (Result<void> result = verifyManifest(manifest); !result)
    return result.error();
  if (Result<void> result = verifyContracts(manifest, contracts); !result)
    return result.error();
  return manifest;
}

Result<ErrorBound> artifact::parseErrorBound(std::string_view text) {
  std::string problem;
  Json document = parseDocument(text, problem);
  ErrorBound bound;
  if (problem.empty())
    bound = readErrorBound(Field(document, "", problem));
  if (!problem.empty())
    return Error{ErrorKind::BadInput, problem};
  if (Result<void> result = verifyErrorBound(bound); !result)
    return result.error();
  return bound;
}

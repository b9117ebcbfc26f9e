//===- ManifestReader.cpp - JSON text to a manifest -----------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading knows types and required fields; what the values must satisfy is in
// ManifestVerify.cpp. A `Field` is a JSON value with the path to it; the first
// mistake found is the one reported.
//
//===----------------------------------------------------------------------===//

#include "ManifestFields.h"

#include "conv/Artifact/ManifestJson.h"

#include <algorithm>
#include <set>
#include <utility>

using namespace conv;
using namespace conv::artifact;

namespace {

/// Deeper documents are refused: writing a value back recurses.
constexpr int kMaxDepth = 64;

/// A value, the path to it, and where the first mistake is noted. After a
/// mistake every getter still returns something harmless, so that callers need
/// not ask after each field.
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

  /// Notes a mistake about this value, unless there was one before.
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
    // ASCII only: what a file says must not steer a terminal.
    std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true);
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
  }
};

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
  if (field.has("operands"))
    bound.operands = field["operands"].number();
  if (field.has("constant"))
    bound.constant = field["constant"].number();
  if (field.has("follow_operations"))
    bound.followOperations = field["follow_operations"].boolean();
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
  return entry;
}

/// Checks the rule M14: `contracts` are what the text says for each entry.
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

/// Parses text; `problem` is set if it is not JSON, too deep, or has an object
/// with the same key twice (readers would disagree about its meaning).
Json parseDocument(std::string_view text, std::string &problem) {
  std::vector<std::set<std::string>> keys;
  auto watch = [&](int depth, Json::parse_event_t event, Json &value) {
    if (event == Json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == Json::parse_event_t::key && problem.empty() &&
             !keys.back().insert(value.get<std::string>()).second)
      problem = "expects every key once, but got " + value.dump() + " twice";
    if (depth > kMaxDepth && problem.empty())
      problem =
          "expects at most " + std::to_string(kMaxDepth) + " levels of nesting";
    return true;
  };
  Json root = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (root.is_discarded())
    problem = "expects a JSON document, but got something else";
  return root;
}

} // namespace

Result<Manifest> artifact::parseManifest(std::string_view text) {
  std::string problem;
  Json document = parseDocument(text, problem);
  Field root(document, "", problem);
  Manifest manifest;
  std::vector<std::string> contracts;
  if (problem.empty()) {
    // The format comes first: nothing else is known of another one.
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

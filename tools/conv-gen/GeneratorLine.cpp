//===- GeneratorLine.cpp - lines of rocMLIR's generator ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rocmlir-gen takes LLVM's options: one dash or two, values after a blank or
// `=`. Its tensors always have groups as a dimension; it has no default sizes,
// except that -p sets all of them.
//
//===----------------------------------------------------------------------===//

#include "GeneratorLine.h"

#include "conv/Support/DriverGrammar.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace conv;
using namespace conv::tools;

static Error badLine(const std::string &message) {
  return badInput("rocmlir-gen: " + message);
}

/// Options that MIOpenDriver has under another name, with that name.
static const std::map<std::string, std::string> kRenamed = {
    {"batchsize", "--batchsize"},
    {"in_channels", "--in_channels"},
    {"out_channels", "--out_channels"},
    {"in_d", "--in_d"},
    {"in_h", "--in_h"},
    {"in_w", "--in_w"},
    {"fil_d", "--fil_d"},
    {"fil_h", "--fil_h"},
    {"fil_w", "--fil_w"},
    {"dilation_d", "--dilation_d"},
    {"dilation_h", "--dilation_h"},
    {"dilation_w", "--dilation_w"},
    {"conv_stride_d", "--conv_stride_d"},
    {"conv_stride_h", "--conv_stride_h"},
    {"conv_stride_w", "--conv_stride_w"},
    {"padding_d", "--pad_d"},
    {"padding_h", "--pad_h"},
    {"padding_w", "--pad_w"},
    {"padding_d_l", "--pad_d"},
    {"padding_h_l", "--pad_h"},
    {"padding_w_l", "--pad_w"},
    {"padding_d_r", "--pad_d_high"},
    {"padding_h_r", "--pad_h_high"},
    {"padding_w_r", "--pad_w_high"},
    {"g", "--group_count"},
    {"groupsize", "--group_count"},
};

/// Switches, and options with a value, that do not affect the problem.
static const char *const kSwitches[] = {"apply-bufferization-pipeline",
                                        "cpu-kernels",
                                        "host",
                                        "host-harness",
                                        "ph",
                                        "pi",
                                        "pr",
                                        "prc",
                                        "print-inputs",
                                        "print-results",
                                        "print-validation-results",
                                        "pv",
                                        "pv_with_cpp",
                                        "pv_with_gpu",
                                        "pv_with_mlir",
                                        "pvr",
                                        "verifier-keep-perf-config"};
static const char *const kValues[] = {"RMS_threshold",
                                      "absDiff_threshold",
                                      "arch",
                                      "atomic_add",
                                      "atomic_fmax_f32",
                                      "dev",
                                      "device",
                                      "dot",
                                      "func-under-test",
                                      "fut",
                                      "kernel-repeats",
                                      "mfma",
                                      "num_cu",
                                      "o",
                                      "out_d",
                                      "out_h",
                                      "out_w",
                                      "p_verify",
                                      "perf_config",
                                      "print-verify-results",
                                      "rand",
                                      "rand_max",
                                      "rand_min",
                                      "rand_side",
                                      "rand_type",
                                      "relDiff_threshold",
                                      "store-method",
                                      "verifier",
                                      "wmma"};

template <typename Names>
static bool contains(const Names &names, const std::string &name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

namespace {
/// The contents of a line under MIOpenDriver's names.
struct Line {
  std::string type = "f32", direction = "1";
  std::map<std::string, std::string> layouts = {{"--fil_layout", "gkcyx"},
                                                {"--in_layout", "ngchw"},
                                                {"--out_layout", "ngkhw"}};
  std::map<std::string, std::string> values;
  std::string resultType;
};
} // namespace

/// The command for operands of a type: i8 gives i32, 8-bit floats give f32.
static std::optional<std::string> getCommand(const std::string &type,
                                             std::string &resultType) {
  using enum ElementType;
  const std::map<std::string, ElementType> types = {
      {"f32", F32}, {"f16", F16},      {"bf16", BF16},
      {"i8", I8},   {"fp8", F8E4M3FN}, {"bf8", F8E5M2}};
  const char *const pairs[] = {"fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8"};
  auto found = types.find(type);
  bool hasPair = contains(pairs, type);
  if (found == types.end() && !hasPair)
    return std::nullopt;
  bool isFloat8 =
      hasPair || found->second == F8E4M3FN || found->second == F8E5M2;
  if (resultType.empty() && isFloat8)
    resultType = "f32";
  return hasPair ? "conv" + type : std::string(getDriverCommand(found->second));
}

static Result<std::string> getDirection(const std::string &operation) {
  const std::map<std::string, std::string> directions = {
      {"conv", "1"},
      {"conv2d", "1"},
      {"conv3d", "1"},
      {"conv_bwd_data", "2"},
      {"conv2d_bwd_data", "2"},
      {"conv_bwd_weight", "4"},
      {"conv2d_bwd_weight", "4"}};
  auto found = directions.find(operation);
  if (found == directions.end())
    return Error{ErrorKind::Unsupported,
                 "rocmlir-gen: --operation expects a convolution, but got " +
                     operation};
  return found->second;
}

/// Adds groups to a layout: where that changes nothing in memory for usual
/// orders, and in front for other orders.
static std::string addGroups(const std::string &layout) {
  if (layout.find_first_of("gG") != std::string::npos)
    return layout;
  const std::map<std::string, std::string> usual = {
      {"nchw", "ngchw"},   {"nhwc", "nhwgc"},   {"nkhw", "ngkhw"},
      {"nhwk", "nhwgk"},   {"nc01", "ngc01"},   {"n01c", "n01gc"},
      {"nk01", "ngk01"},   {"n01k", "n01gk"},   {"nc012", "ngc012"},
      {"n012c", "n012gc"}, {"nk012", "ngk012"}, {"n012k", "n012gk"}};
  auto found = usual.find(layout);
  return found == usual.end() ? "g" + layout : found->second;
}

/// Sets the sizes of -p, which override given sizes.
static void setDefaults(Line &line) {
  line.values = {{"--group_count", "1"}, {"--batchsize", "128"},
                 {"--in_channels", "8"}, {"--out_channels", "128"},
                 {"--in_h", "32"},       {"--in_w", "32"},
                 {"--fil_h", "3"},       {"--fil_w", "3"}};
}

/// Takes an option with its value; false if no option has that name.
static Result<bool> setValue(const std::string &name, const std::string &value,
                             Line &line) {
  if (name == "operation") {
    Result<std::string> direction = getDirection(value);
    if (!direction)
      return direction.error();
    line.direction = *direction;
  } else if (name == "t" || name == "dtype") {
    line.type = value;
  } else if (name == "out_dtype" || name == "out_datatype" || name == "to" ||
             name == "c_dtype" || name == "tc") {
    line.resultType = value;
  } else if (line.layouts.count("--" + name)) {
    line.layouts["--" + name] = addGroups(value);
  } else if (auto found = kRenamed.find(name); found != kRenamed.end()) {
    line.values[found->second] = value;
  } else {
    return false;
  }
  return true;
}

static Result<Words> write(Line &line) {
  std::optional<std::string> command = getCommand(line.type, line.resultType);
  if (!command)
    return Error{ErrorKind::Unsupported,
                 "rocmlir-gen: -t expects f32, f16, bf16, i8, fp8 or bf8, but "
                 "got " +
                     line.type};
  for (const char *flag : {"--batchsize", "--in_channels", "--in_h", "--in_w",
                           "--out_channels", "--fil_h", "--fil_w"})
    if (!line.values.count(flag))
      return badLine(std::string("expects ") + flag + " or -p");
  Words words = {*command, "--forw", line.direction};
  auto add = [&](const std::string &flag, const std::string &value) {
    words.insert(words.end(), {flag, value});
  };
  if (line.values.count("--in_d"))
    add("--spatial_dim", "3");
  for (const auto &[flag, value] : line.layouts)
    add(flag, value);
  for (const auto &[flag, value] : line.values)
    add(flag, value);
  bool isUsual = line.resultType.empty() || line.resultType == line.type;
  if (!isUsual)
    add("--out_dtype", line.resultType);
  return words;
}

Result<Words> tools::translateGeneratorLine(const Words &arguments,
                                            Notes &notes) {
  Line line;
  bool hasDefaults = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    size_t start = word.find_first_not_of('-');
    if (word[0] != '-' || start == std::string::npos)
      return badLine("expects an option, but got '" + word + "'");
    size_t equals = word.find('=');
    bool hasValue = equals != std::string::npos;
    std::string name = word.substr(start, equals - start);
    std::string value = hasValue ? word.substr(equals + 1) : "";
    if (name == "p" || contains(kSwitches, name)) {
      bool isSet = value != "false" && value != "0";
      hasDefaults |= name == "p" && isSet;
      if (name != "p")
        notes.addWithoutEffect("--" + name);
      continue;
    }
    if (!hasValue && ++i == arguments.size())
      return badLine("expects a value of " + word);
    if (!hasValue)
      value = arguments[i];
    if (contains(kValues, name)) {
      notes.addWithoutEffect("--" + name);
      continue;
    }
    Result<bool> known = setValue(name, value, line);
    if (!known)
      return known.error();
    if (!*known)
      return badLine("does not know " + word);
  }
  if (hasDefaults)
    setDefaults(line);
  return write(line);
}

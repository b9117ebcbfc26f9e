//===- Options.cpp - flags of conv-gen -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flags and letters are those of MIOpenDriver, so that its lines can be pasted.
// Those about running and timing are accepted and do nothing here.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "CommandLine.h"
#include "ErrorLine.h"

#include <charconv>
#include <cmath>
#include <vector>

using namespace conv;
using namespace conv::tools;

static const char *const kDescription =
    "Writes the MLIR of one convolution, described in the grammar of "
    "MIOpenDriver.";

static const char *const kFooter = R"(Examples:
  conv-gen convfp16 -n 1 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -o conv.mlir
  conv-gen convbfp16 -n 64 -c 3 -H 224 -W 224 -k 64 -y 7 -x 7 -p 3 -q 3 -u 2 -v 2
           --bias --activation relu --out_dtype f32

  conv-gen convfp16 -F 2 -n 8 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -u 2 -v 2
  conv-gen conv -m trans -n 1 -c 32 -H 8 -W 8 -k 16 -u 2 -v 2 -p 1 -q 1 -Y 1 -X 1

The function has the arguments input and filter, with -F 2 grad_output and
filter, with -F 4 input and grad_output, and with their flags bias (one element
per channel of the result; f32 for 8-bit types) and residual (like the result). It returns output,
grad_input or grad_filter:
  activation(scale * conv(...) + bias + residual)
computed in f32 and rounded once.

Exit codes: 0 fine, 2 bad input or usage, 4 system error.)";

/// Parses a whole decimal number; CLI11 would take octal and saturate.
static int64_t parseInteger(const std::string &flag, const std::string &text,
                            int64_t minimum) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range)
    throw CLI::ValidationError(flag,
                               "expects a number below 2^63, but got " + text);
  if (error != std::errc() || rest != end)
    throw CLI::ValidationError(flag,
                               "expects a number, but got '" + text + "'");
  if (value < minimum)
    throw CLI::ValidationError(flag, "expects at least " +
                                         std::to_string(minimum) +
                                         ", but got " + text);
  return value;
}

static double parseReal(const std::string &flag, const std::string &text) {
  double value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value) ||
      std::abs(value) > 3e38)
    throw CLI::ValidationError(flag, "expects a finite f32 number, but got '" +
                                         text + "'");
  return value;
}

namespace {
/// Adds flags to one group of the help text.
class FlagGroup {
public:
  FlagGroup(CLI::App &app, std::string group)
      : app(app), group(std::move(group)) {}

  void addInteger(const std::string &names, int64_t &value, int64_t minimum,
                  const std::string &help) {
    std::string flag = names.substr(names.find("--"));
    auto assign = [flag, minimum, &value](const std::string &text) {
      value = parseInteger(flag, text, minimum);
    };
    CLI::Option *option =
        app.add_option_function<std::string>(names, assign, help);
    option->group(group)->type_name("INT");
    if (value >= minimum)
      option->default_str(std::to_string(value));
  }

  CLI::Option *addText(const std::string &names, std::string &value,
                       const std::string &help) {
    return app.add_option(names, value, help)->group(group);
  }

  CLI::Option *addReal(const std::string &flag,
                       std::function<void(double)> assign,
                       const std::string &help) {
    auto parse = [flag, assign](const std::string &text) {
      assign(parseReal(flag, text));
    };
    return app.add_option_function<std::string>(flag, parse, help)
        ->group(group)
        ->type_name("NUMBER");
  }

  void addFlag(const std::string &flag, bool &value, const std::string &help) {
    app.add_flag(flag, value, help)->group(group);
  }

private:
  CLI::App &app;
  std::string group;
};
} // namespace

/// The flags that exist once per spatial dimension.
static void addSpatial(FlagGroup &flags, GenOptions &options) {
  struct Dimension {
    std::string letter, name, input, filter, stride, low, dilation,
        outputPadding;
  };
  const Dimension dimensions[] = {
      {"d", "depth", "--in_d", "--fil_d", "--conv_stride_d", "--pad_d",
       "--dilation_d", "--trans_output_pad_d"},
      {"h", "height", "-H,--in_h", "-y,--fil_h", "-u,--conv_stride_h",
       "-p,--pad_h", "-l,--dilation_h", "-Y,--trans_output_pad_h"},
      {"w", "width", "-W,--in_w", "-x,--fil_w", "-v,--conv_stride_w",
       "-q,--pad_w", "-j,--dilation_w", "-X,--trans_output_pad_w"}};
  for (size_t d = 0; d < 3; ++d) {
    const Dimension &names = dimensions[d];
    flags.addInteger(names.input, options.input[d], 1, "Input " + names.name);
    flags.addInteger(names.filter, options.filter[d], 1,
                     "Filter " + names.name);
    flags.addInteger(names.stride, options.stride[d], 1,
                     "Stride along " + names.name);
    flags.addInteger(names.low, options.low[d], 0,
                     "Padding before and after the " + names.name);
    flags.addInteger("--pad_" + names.letter + "_high", options.high[d], 0,
                     "Padding after it, where they differ (not in "
                     "MIOpenDriver)");
    flags.addInteger(names.dilation, options.dilation[d], 1,
                     "Dilation along " + names.name);
    flags.addInteger(names.outputPadding, options.outputPadding[d], 0,
                     "Added to the output's " + names.name +
                         " with --mode trans");
  }
}

static void addProblem(CLI::App &app, GenOptions &options) {
  app.add_option("COMMAND", options.command,
                 "conv (f32), convfp16, convbfp16, convint8, convfp8 (E4M3) or "
                 "convbfp8 (E5M2)")
      ->required()
      ->check(CLI::IsMember({"conv", "convfp16", "convbfp16", "convint8",
                             "convfp8", "convbfp8"}));
  FlagGroup flags(app, "Problem (as in MIOpenDriver)");
  flags.addFlag("--tf32", options.tf32,
                "Round the operands of conv to tf32, on chips that multiply it "
                "faster (not in MIOpenDriver)");
  flags.addFlag("--fnuz", options.fnuz,
                "convfp8 and convbfp8 without infinities and negative zero, as "
                "gfx942 has them (not in MIOpenDriver)");
  flags.addInteger("-n,--batchsize", options.n, 1, "Images");
  flags.addInteger("-c,--in_channels", options.c, 1, "Input channels");
  flags.addInteger("-k,--out_channels", options.k, 1, "Output channels");
  flags.addInteger("-g,--group_count", options.groups, 1, "Groups");
  flags.addInteger("-F,--forw", options.direction, 0,
                   "Direction: 1 forward, 2 data gradient, 4 weight gradient");
  flags.addInteger("-_,--spatial_dim", options.spatialRank, 1,
                   "Spatial dimensions: 1, 2 or 3; depth is used with 3 only");
  addSpatial(flags, options);
  flags.addText("-I,--in_layout", options.inputLayout,
                "Order of the input, like NCHW (default: channels last); "
                "with G where groups are a dimension of their own");
  flags.addText("-f,--fil_layout", options.filterLayout,
                "Order of the filter, in the same letters (N is K)");
  flags.addText("-O,--out_layout", options.outputLayout,
                "Order of the output, in the same letters (C is K)");
  flags
      .addText("-m,--mode", options.mode,
               "conv, or trans for a transposed convolution")
      ->check(CLI::IsMember({"conv", "trans"}));
  flags
      .addText("-z,--pad_mode", options.paddingSizes,
               "Sizes of the padding: default (as given), same or valid")
      ->check(CLI::IsMember({"default", "same", "valid"}));
  flags
      .addText("--padding_mode", options.padding,
               "What the padding holds: zeros, reflect, replicate or circular "
               "(not in MIOpenDriver)")
      ->check(CLI::IsMember({"zeros", "reflect", "replicate", "circular"}));
}

static void addTail(CLI::App &app, GenOptions &options) {
  FlagGroup flags(app, "What follows the convolution");
  flags.addReal(
      "--scale", [&](double value) { options.scale = value; },
      "Multiply by a constant");
  flags.addFlag("-b,--bias", options.bias, "Add one value per channel");
  flags.addFlag("--residual", options.residual,
                "Add a tensor of the result's shape and type");
  flags
      .addText("--activation", options.activation,
               "relu, relu6, leaky_relu, silu, sigmoid, gelu or gelu_tanh")
      ->check(CLI::IsMember({"relu", "relu6", "leaky_relu", "silu", "sigmoid",
                             "gelu", "gelu_tanh"}));
  flags
      .addReal(
          "--activation_alpha",
          [&](double value) { options.activationAlpha = value; },
          "Slope of leaky_relu for negative values")
      ->default_str("0.01");
  flags
      .addText(
          "--out_dtype", options.outputType,
          "Element type of the output: f32, f16, bf16, i32, i8 or an 8-bit "
          "float (default: that of the operands; i32 for i8 with nothing "
          "behind it). Results saturate in 8 bits")
      ->check(CLI::IsMember({"f32", "f16", "bf16", "i32", "i8", "f8E4M3FN",
                             "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"}));
}

static void addOutput(CLI::App &app, GenOptions &options,
                      std::string &ignored) {
  app.add_option("--name", options.name,
                 "Name of the function (default: made from the problem)");
  app.add_option("-o,--output", options.output,
                 "Where to write; - is standard output")
      ->capture_default_str();
  for (const char *names : {"-V,--verify", "-t,--time", "-i,--iter",
                            "-s,--search", "-w,--wall", "-S,--solution"})
    app.add_option(names, ignored, "About running; does nothing here")
        ->group("Accepted from MIOpenDriver");
}

/// MIOpenDriver's short names for depth, which CLI11 does not allow as such.
static std::vector<std::string> replaceDepthFlags(int argc, char **argv) {
  const std::pair<const char *, const char *> flags[] = {
      {"-!", "--in_d"},  {"-@", "--fil_d"},      {"-#", "--conv_stride_d"},
      {"-$", "--pad_d"}, {"-^", "--dilation_d"}, {"-%", "--trans_output_pad_d"},
  };
  std::vector<std::string> arguments(argv, argv + argc);
  for (std::string &argument : arguments)
    for (auto [shortName, longName] : flags)
      if (argument == shortName)
        argument = longName;
  return arguments;
}

static bool isIdentifier(const std::string &name) {
  return !name.empty() && name.size() <= 200 && !std::isdigit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return std::isalnum(letter) || letter == '_';
         });
}

std::optional<int> tools::parseGenOptions(int argc, char **argv,
                                          GenOptions &options) {
  CLI::App app(kDescription, "conv-gen");
  setUp(app, "conv " CONV_VERSION);
  app.footer(kFooter);
  std::string ignored;
  addProblem(app, options);
  addTail(app, options);
  addOutput(app, options, ignored);

  std::vector<std::string> arguments = replaceDepthFlags(argc, argv);
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  if (std::optional<int> code =
          parse(app, int(pointers.size()), pointers.data()))
    return code;
  if (!options.name.empty() && !isIdentifier(options.name))
    return printError("conv-gen",
                      {ErrorKind::BadInput,
                       "--name expects letters, digits and _, but got '" +
                           options.name + "'"});
  return std::nullopt;
}

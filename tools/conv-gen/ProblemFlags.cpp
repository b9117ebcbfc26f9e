//===- ProblemFlags.cpp - a problem in MIOpenDriver's grammar ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the flags. A size is checked only if the problem has its dimension,
// as in MIOpenDriver: lists of two-dimensional layers say --conv_stride_d 0.
//
//===----------------------------------------------------------------------===//

#include "ProblemFlags.h"

#include "CommandLine.h"
#include "FlagGroup.h"
#include "SpatialFlags.h"

#include <algorithm>

using namespace conv;
using namespace conv::tools;

/// Options of MIOpenDriver, and of rocMLIR's lists, that affect how a problem
/// is run. All other options change the problem.
static const char *const kWithoutEffect[] = {
    "-V,--verify",    "-t,--time",      "-i,--iter",
    "-s,--search",    "-w,--wall",      "-S,--solution",
    "-P,--printconv", "-G,--gpualloc",  "-C,--verification_cache",
    "-d,--in_data",   "-e,--weights",   "-a,--in_bias",
    "-D,--dout_data", "-r,--pad_val",   "--dump_output",
    "--perf_config",  "--perf_priority"};

static void addSizes(FlagGroup &flags, GenOptions &options) {
  flags.addInteger("-n,--batchsize", options.n, 1, "Images");
  flags.addInteger("-c,--in_channels", options.c, 1, "Input channels");
  flags.addInteger("-k,--out_channels", options.k, 1, "Output channels");
  flags.addInteger("-g,--group_count", options.groups, 0, "Groups");
  flags.addInteger("-_,--spatial_dim", options.spatialRank, 1,
                   "Spatial dimensions: 1 (only here), 2 or 3; sizes of others "
                   "are without effect");
  for (const SpatialFlag &flag : listSpatialFlags())
    flags.addInteger(flag.names, (options.*flag.value)[flag.dimension],
                     std::nullopt, flag.help);
  flags.addChoice("-m,--mode", options.mode, {"conv", "trans"},
                  "conv, or trans for a transposed convolution");
  flags.addChoice(
      "-z,--pad_mode", options.paddingSizes, {"default", "same", "valid"},
      "Sizes of the padding: default (as given), same or valid; the "
      "last two count only without dilation and transposition");
  flags.addChoice("--padding_mode", options.padding,
                  {"zeros", "reflect", "replicate", "circular"},
                  "What the padding holds: zeros, reflect, replicate or "
                  "circular (only here)");
}

static void addLayouts(FlagGroup &flags, std::string &layout,
                       GenOptions &options) {
  flags
      .addText(
          "--layout", layout,
          "Order of all three operands: nchw, the default as in "
          "MIOpenDriver, or nhwc, for any number of dimensions (only here)")
      ->check(isOneOf({"nchw", "nhwc"}, /*ignoresCase=*/true));
  flags.addText("-I,--in_layout", options.inputLayout,
                "Order of the input, like NCHW, NHWC or CHWN; as in rocMLIR, "
                "with G where groups are a dimension of their own, and digits "
                "for the spatial dimensions (NGC01)");
  flags.addText("-f,--fil_layout", options.filterLayout,
                "Order of the filter, like NCHW, KCYX or KCRS (N is K)");
  flags.addText("-O,--out_layout", options.outputLayout,
                "Order of the output, like NCHW, NKHW or NKPQ (C is K)");
}

static void addEpilogue(FlagGroup &flags, GenOptions &options,
                        std::string &bias) {
  flags.addReal(
      "--scale", [&](double value) { options.scale = value; },
      "Multiply by a constant");
  flags.addFlag("-b,--bias", bias,
                "Add one value per channel; with a value, 0 or 1, as in "
                "MIOpenDriver: to what the forward convolution gives");
  flags.addFlag("--residual", options.residual,
                "Add a tensor of the result's shape and type");
  flags.addChoice("--activation", options.activation,
                  {kActivations.begin(), kActivations.end()},
                  CLI::detail::join(kActivations, ", "));
  flags
      .addReal(
          "--activation_alpha",
          [&](double value) { options.activationAlpha = value; },
          "Factor of leaky_relu and elu for negative values")
      ->default_str("0.01");
}

static void addTypes(FlagGroup &flags, GenOptions &options,
                     std::string &outputType, bool &fnuz) {
  flags.addChoice(
      "--out_dtype", outputType,
      {"f32", "f16", "bf16", "i32", "i8", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ",
       "f8E5M2FNUZ"},
      "Element type of the output: f32, f16, bf16, i32, i8 or an 8-bit "
      "float (default: that of the operands; i32 for i8 with nothing "
      "after it). Results saturate in 8 bits");
  flags.addFlag("--tf32", options.tf32,
                "Round the operands of conv to tf32, on chips that multiply it "
                "faster");
  flags.addFlag("--exact", options.exact,
                "Multiply f32 operands of conv exactly, and not as parts by "
                "tensor cores, whose sums are as accurate");
  flags.addFlag("--promoted", options.promoted,
                "Let matrix units give sums of up to 128 products of convfp8 "
                "and convbfp8 fewer bits than f32, to which they are promoted");
  flags.addFlag("--fnuz", fnuz,
                "convfp8 and convbfp8 without infinities and negative zero, as "
                "gfx942 has them");
}

void ProblemFlags::addTo(CLI::App &app) {
  app.add_option("COMMAND", typeCommand,
                 "conv (f32), convfp16, convbfp16, convint8, convfp8 (E4M3) or "
                 "convbfp8 (E5M2); rocMLIR's convfp8_fp8, convfp8_bf8, "
                 "convbf8_fp8 and convbf8_bf8 name the types of both operands, "
                 "and give f32")
      ->check(isOneOf({"conv", "convfp16", "convbfp16", "convint8", "convfp8",
                       "convbfp8", "convfp8_fp8", "convfp8_bf8", "convbf8_fp8",
                       "convbf8_bf8"}));
  FlagGroup problem(app, "Problem (as in MIOpenDriver)");
  problem.addInteger("-F,--forw", directions, 0,
                     "Directions, one function for each: the sum of 1 forward, "
                     "2 data gradient, 4 weight gradient; 0 is all");
  addSizes(problem, options);
  addLayouts(problem, layout, options);
  FlagGroup epilogue(app,
                     "What follows the convolution (with several directions: "
                     "the forward one)");
  addEpilogue(epilogue, options, bias);
  FlagGroup types(app, "Types");
  addTypes(types, options, outputType, fnuz);
  FlagGroup refused(app, "Read, but only where they change nothing");
  refused.addText("-Z,--tensor_vect", tensorVector, "Vectorised channels: 0");
  refused.addText("-L,--vector_length", vectorLength, "Length of vectors: 1");
  refused.addText("-U,--in_cast_type", casts[0], "Cast of the input: -1");
  refused.addText("-R,--wei_cast_type", casts[1], "Cast of the filter: -1");
  refused.addText("-T,--out_cast_type", casts[2], "Cast of the output: -1");
  FlagGroup others(app, "Without effect on the problem");
  static std::string unused;
  for (const char *names : kWithoutEffect)
    others.addText(names, unused, "");
}

std::optional<Error> ProblemFlags::checkSpatial() const {
  if (directions > 7)
    return Error{ErrorKind::BadInput, "--forw expects 0 to 7, but got " +
                                          std::to_string(directions)};
  for (const SpatialFlag &flag : listSpatialFlags())
    if (int64_t value = (options.*flag.value)[flag.dimension];
        flag.isUsed(options) && value < flag.minimum)
      return Error{
          ErrorKind::BadInput,
          flag.longName() + ": " +
              describeTooSmall(std::max<int64_t>(flag.minimum, 0), value)};
  return std::nullopt;
}

/// The command of one operand's type in a command of rocMLIR: "fp8" of
/// "convfp8_bf8".
static std::string getCommandOf(const std::string &name) {
  return name == "bf8" ? "convbfp8" : "convfp8";
}

/// The other kind of an 8-bit float.
static ElementType toFnuz(ElementType type) {
  return type == ElementType::F8E4M3FN ? ElementType::F8E4M3FNUZ
                                       : ElementType::F8E5M2FNUZ;
}

std::optional<Error> ProblemFlags::setTypes() {
  std::string rhsCommand;
  if (size_t separator = typeCommand.find('_');
      separator != std::string::npos) {
    size_t start = std::string("conv").size();
    rhsCommand = getCommandOf(typeCommand.substr(separator + 1));
    typeCommand = getCommandOf(typeCommand.substr(start, separator - start));
    if (outputType.empty())
      outputType = elementTypeName(ElementType::F32);
  }
  options.type = *lookupDriverCommand(typeCommand);
  options.outputType = lookupElementType(outputType);
  if (!rhsCommand.empty() && rhsCommand != typeCommand)
    options.rhsType = lookupDriverCommand(rhsCommand);
  if (!fnuz)
    return std::nullopt;
  if (options.type != ElementType::F8E4M3FN &&
      options.type != ElementType::F8E5M2)
    return Error{ErrorKind::BadInput,
                 "--fnuz expects convfp8 or convbfp8, but got " + typeCommand};
  options.type = toFnuz(options.type);
  if (options.rhsType)
    options.rhsType = toFnuz(*options.rhsType);
  return std::nullopt;
}

/// The name of a type of operands in a cast flag.
static std::string nameInCast(ElementType type) {
  bool isE5M2 = type == ElementType::F8E5M2 || type == ElementType::F8E5M2FNUZ;
  std::string command(getDriverCommand(type));
  return type == ElementType::F32    ? "fp32"
         : type == ElementType::BF16 ? "bf16"
         : isE5M2                    ? "bf8"
                                     : command.substr(4);
}

std::optional<Error> ProblemFlags::checkRefused() const {
  auto refuse = [](const std::string &what, const std::string &value) {
    return Error{ErrorKind::Unsupported, what + ", but got " + value};
  };
  if (tensorVector != "0")
    return refuse("--tensor_vect expects 0 (no vectorised layouts)",
                  tensorVector);
  if (vectorLength != "1")
    return refuse("--vector_length expects 1 (no vectorised layouts)",
                  vectorLength);
  const char *const flags[] = {"--in_cast_type", "--wei_cast_type",
                               "--out_cast_type"};
  std::string own = nameInCast(options.type);
  for (size_t i = 0; i < casts.size(); ++i)
    if (casts[i] != "-1" && casts[i] != own)
      return refuse(std::string(flags[i]) + " expects -1 or " + own +
                        " (operands are multiplied in their own type)",
                    casts[i]);
  return std::nullopt;
}

void ProblemFlags::noteUnused(const CLI::App &app, Notes &notes) const {
  auto isGiven = [&](const std::string &flag) { return app.count(flag) > 0; };
  auto note = [&](const std::string &flag) {
    if (isGiven(flag))
      notes.addWithoutEffect(flag);
  };
  for (const char *names : kWithoutEffect)
    note(getLongName(names));
  for (const char *flag : {"--tensor_vect", "--vector_length", "--in_cast_type",
                           "--wei_cast_type", "--out_cast_type"})
    note(flag);
  for (const SpatialFlag &flag : listSpatialFlags())
    if (!flag.isUsed(options))
      note(flag.longName());
  if (options.paddingSizes != "default" && !usesPaddingSizes(options))
    note("--pad_mode");
  for (const CLI::Option *option : app.get_options())
    if (option->count() > 1)
      notes.add(option->get_name() +
                " is given more than once, the last counts");
}

/// Expands `layout` of all operands, nchw or nhwc, to a number of dimensions.
static std::string expandLayout(const std::string &layout, int64_t rank) {
  std::string spatial = std::string("DHW").substr(3 - rank);
  bool isLast =
      !layout.empty() && (layout.back() == 'c' || layout.back() == 'C');
  return isLast ? "N" + spatial + "C" : "NC" + spatial;
}

std::vector<GenOptions> ProblemFlags::expandDirections(Notes &notes) const {
  int64_t all = directions == 0 ? 7 : directions;
  bool isSeveral = all != 1 && all != 2 && all != 4;
  const std::pair<int64_t, const char *> suffixes[] = {
      {1, ""}, {2, "_data"}, {4, "_weight"}};
  bool hasEpilogue = options.residual || options.scale ||
                     !options.activation.empty() || bias == "true";
  if (isSeveral && hasEpilogue)
    notes.add("what follows the convolution is of the forward one alone");
  std::vector<GenOptions> problems;
  for (auto [direction, suffix] : suffixes) {
    if (!(all & direction))
      continue;
    GenOptions problem = options;
    problem.direction = ConvolutionDirection(direction);
    bool isDrivers = !bias.empty() && bias != "true";
    problem.bias = isDrivers ? bias != "0" && direction == 1 : !bias.empty();
    if (isDrivers && bias != "0" && direction != 1)
      notes.add("--bias: gradients of a bias are not written");
    if (isSeveral && direction != 1) {
      problem.bias = problem.residual = false;
      problem.scale.reset();
      problem.activation.clear();
    }
    if (isSeveral && !problem.name.empty())
      problem.name += suffix;
    problems.push_back(problem);
  }
  return problems;
}

Result<std::vector<GenOptions>> ProblemFlags::finish(const CLI::App &app,
                                                     Notes &notes) const {
  ProblemFlags line = *this;
  if (auto error = line.setTypes())
    return *error;
  if (line.options.spatialRank > 3)
    return Error{ErrorKind::BadInput,
                 "--spatial_dim expects 1, 2 or 3, but got " +
                     std::to_string(line.options.spatialRank)};
  if (auto error = line.checkSpatial())
    return *error;
  if (auto error = line.checkRefused())
    return *error;
  line.options.groups = std::max<int64_t>(line.options.groups, 1);
  std::string usual = expandLayout(line.layout, line.options.spatialRank);
  for (std::string *order :
       {&line.options.inputLayout, &line.options.filterLayout,
        &line.options.outputLayout})
    if (order->empty())
      *order = usual;
  line.noteUnused(app, notes);
  return line.expandDirections(notes);
}

/// Replaces MIOpenDriver's short names for depth, which CLI11 does not allow.
static std::string replaceDepthFlag(const std::string &word) {
  const std::pair<const char *, const char *> flags[] = {
      {"-!", "--in_d"},  {"-@", "--fil_d"},      {"-#", "--conv_stride_d"},
      {"-$", "--pad_d"}, {"-^", "--dilation_d"}, {"-%", "--trans_output_pad_d"},
      {"-?", "--help"},
  };
  for (auto [shortName, longName] : flags)
    if (word == shortName)
      return longName;
  return word;
}

Words tools::normalise(const CLI::App &app, Words words) {
  addDashes(app, words);
  auto isFlagValue = [](const std::string &word) {
    return word == "0" || word == "1";
  };
  Words normal;
  for (const std::string &word : words) {
    bool ofBias = !normal.empty() && normal.back() == "--bias";
    if (ofBias && isFlagValue(word))
      normal.back() += "=" + word;
    else
      normal.push_back(word == "-b" ? "--bias" : replaceDepthFlag(word));
  }
  return normal;
}

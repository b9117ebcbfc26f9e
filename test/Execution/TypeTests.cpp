//===- TypeTests.cpp - 8-bit types and their epilogues ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32, f16 and bf16 are in every other file. Integers are compared bitwise on
// all data, requantised ones too.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace conv;
using namespace conv::test;

static const std::vector<std::string> kWithF8 = {"host", "sim:gfx950",
                                                 "sim:gfx1201"};
static const std::vector<std::string> kWithF8Fnuz = {"host", "sim:gfx942"};

/// An i32 bias, a scale per channel and an i8 residual.
static const char *const kRequantise = R"mlir(
func.func @requantise(%x: tensor<1x6x7x16xi8>, %w: tensor<40x3x3x16xi8>,
                      %bias: tensor<40xi32>, %scale: tensor<40xf32>,
                      %residual: tensor<1x6x7x40xi8>) -> tensor<1x6x7x40xi8> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      epilogue(%bias : tensor<40xi32>, %scale : tensor<40xf32>,
           %residual : tensor<1x6x7x40xi8>) {
      ^bb0(%acc: i32, %b: i32, %s: f32, %r: i8):
        %unit = arith.constant 0.001 : f32
        %low = arith.constant -128.0 : f32
        %high = arith.constant 127.0 : f32
        %sum = arith.addi %acc, %b : i32
        %wide = arith.sitofp %sum : i32 to f32
        %relative = arith.mulf %wide, %s : f32
        %scaled = arith.mulf %relative, %unit : f32
        %skip = arith.sitofp %r : i8 to f32
        %total = arith.addf %scaled, %skip : f32
        %rounded = math.roundeven %total : f32
        %above = arith.maximumf %rounded, %low : f32
        %inside = arith.minimumf %above, %high : f32
        %out = arith.fptosi %inside : f32 to i8
        conv.yield %out : i8
      } : tensor<1x6x7x16xi8>, tensor<40x3x3x16xi8> -> tensor<1x6x7x40xi8>
  return %y : tensor<1x6x7x40xi8>
}
)mlir";

/// Integer arithmetic alone: relu, a shift by one bit's worth, wrap-around.
static const char *const kIntegerEpilogue = R"mlir(
func.func @integers(%x: tensor<1x5x5x8xi8>, %w: tensor<24x3x3x8xi8>,
                    %bias: tensor<24xi32>) -> tensor<1x3x3x24xi8> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      epilogue(%bias : tensor<24xi32>) {
      ^bb0(%acc: i32, %b: i32):
        %zero = arith.constant 0 : i32
        %factor = arith.constant 1000003 : i32
        %limit = arith.constant 100 : i32
        %difference = arith.subi %acc, %b : i32
        %large = arith.muli %difference, %factor : i32
        %is_above = arith.cmpi sgt, %difference, %limit : i32
        %chosen = arith.select %is_above, %large, %difference : i32
        %relu = arith.maxsi %chosen, %zero : i32
        %out = arith.trunci %relu : i32 to i8
        conv.yield %out : i8
      } : tensor<1x5x5x8xi8>, tensor<24x3x3x8xi8> -> tensor<1x3x3x24xi8>
  return %y : tensor<1x3x3x24xi8>
}
)mlir";

/// The result of the first convolution, rounded to i8, is read by the second.
static const char *const kIntegerChain = R"mlir(
func.func @chain(%x: tensor<1x6x6x16xi8>, %w1: tensor<16x1x1x16xi8>,
                 %w2: tensor<8x3x3x16xi8>) -> tensor<1x4x4x8xi32> {
  %h = conv.forward %x, %w1
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      epilogue() {
      ^bb0(%acc: i32):
        %scale = arith.constant 0.0123 : f32
        %low = arith.constant -128.0 : f32
        %high = arith.constant 127.0 : f32
        %wide = arith.sitofp %acc : i32 to f32
        %scaled = arith.mulf %wide, %scale : f32
        %rounded = math.roundeven %scaled : f32
        %above = arith.maximumf %rounded, %low : f32
        %inside = arith.minimumf %above, %high : f32
        %out = arith.fptosi %inside : f32 to i8
        conv.yield %out : i8
      } : tensor<1x6x6x16xi8>, tensor<16x1x1x16xi8> -> tensor<1x6x6x16xi8>
  %y = conv.forward %h, %w2
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x6x6x16xi8>, tensor<8x3x3x16xi8> -> tensor<1x4x4x8xi32>
  return %y : tensor<1x4x4x8xi32>
}
)mlir";

/// A shape that no tile divides.
static GenOptions makeBase(ElementType type) {
  GenOptions options;
  options.type = type;
  options.n = 1;
  options.c = 19;
  options.k = 20;
  options.input = {1, 7, 5};
  options.filter = {1, 3, 3};
  options.low = options.high = {0, 1, 1};
  return options;
}

static void add(const std::string &name, const GenOptions &options,
                const std::vector<std::string> &targets) {
  addTest("Type", name, [options, targets] {
    checkEverywhere(generateText(options), targets);
  });
}

static void addIntegerTests() {
  for (const std::string list : {"forward_edge", "traps"}) {
    int64_t index = 0;
    for (GenOptions shape : readShapes(kTestShapes, list)) {
      shape.type = ElementType::I8;
      add("i8_" + list + "_" + std::to_string(index++), shape,
          takeTurn(kChipsOfType));
    }
  }
  for (const std::string type : {"f32", "f16", "bf16", "i8"}) {
    GenOptions options = makeBase(ElementType::I8);
    options.outputType = lookupElementType(type);
    options.bias = options.residual = true;
    options.scale = 0.003;
    options.activation = type == "f32" ? "silu" : "relu";
    add("i8_to_" + type, options, allTargets());
  }
  for (int64_t direction : {1, 2, 4}) {
    GenOptions options = makeBase(ElementType::I8);
    options.direction = ConvolutionDirection(direction);
    options.c = options.k = 24;
    options.groups = 3;
    options.inputLayout = options.filterLayout = options.outputLayout = "NCHW";
    add("i8_groups_NCHW_F" + std::to_string(direction), options, allTargets());
  }
  for (auto [name, text] : {std::pair("i8_requantise", kRequantise),
                            {"i8_integer_epilogue", kIntegerEpilogue},
                            {"i8_chain", kIntegerChain}})
    addTest("Type", name, [text = text] { checkEverywhere(text); });
}

/// The format of a command, or the same one of gfx942.
static ElementType getFloat8(const std::string &command, bool fnuz) {
  using enum ElementType;
  if (command == "convfp8")
    return fnuz ? F8E4M3FNUZ : F8E4M3FN;
  return fnuz ? F8E5M2FNUZ : F8E5M2;
}

/// One format, with a result of the same format that overflows without
/// saturation, and with wider results.
static void addFloat8Tests(const std::string &command, bool fnuz) {
  std::vector<std::string> targets = fnuz ? kWithF8Fnuz : kWithF8;
  std::string name = command + (fnuz ? "_fnuz" : "");
  for (const std::string type : {"", "f32", "bf16"}) {
    GenOptions options = makeBase(getFloat8(command, fnuz));
    options.outputType = lookupElementType(type);
    add(name + "_to_" + (type.empty() ? "itself" : type), options, targets);
    options.bias = options.residual = true;
    options.scale = 300;
    add(name + "_epilogue_to_" + (type.empty() ? "itself" : type), options,
        targets);
  }
  for (int64_t direction : {2, 4}) {
    GenOptions options = makeBase(getFloat8(command, fnuz));
    options.direction = ConvolutionDirection(direction);
    options.stride = {1, 2, 2};
    options.outputType = ElementType::F32;
    add(name + "_F" + std::to_string(direction), options, targets);
  }
}

/// Both formats of a family, in loops that read a step ahead on MFMA chips.
static void addMixedFloat8Tests(bool fnuz) {
  for (auto [lhs, rhs] :
       {std::pair("convfp8", "convbfp8"), {"convbfp8", "convfp8"}})
    for (int64_t direction : {1, 2, 4}) {
      GenOptions options = makeBase(getFloat8(lhs, fnuz));
      options.rhsType = getFloat8(rhs, fnuz);
      options.direction = ConvolutionDirection(direction);
      options.n = 2;
      options.input = {1, 20, 20};
      options.outputType = ElementType::F32;
      add(std::string(lhs) + "_" + rhs + (fnuz ? "_fnuz_F" : "_F") +
              std::to_string(direction),
          options, fnuz ? kWithF8Fnuz : kWithF8);
    }
}

/// With all shapes of f32, because an atom's steps of k differ.
static void addTF32Tests() {
  int64_t index = 0;
  for (GenOptions shape : readShapes(kTestShapes, "forward_edge")) {
    shape.type = ElementType::F32;
    shape.tf32 = true;
    add("tf32_" + std::to_string(index++), shape, {"sim:gfx942"});
  }
  GenOptions epilogue = makeBase(ElementType::F32);
  epilogue.tf32 = epilogue.bias = epilogue.residual = true;
  epilogue.activation = "silu";
  add("tf32_epilogue", epilogue, {"sim:gfx942"});
  // The error of the rounded operands is followed through an epilogue without
  // a bound.
  epilogue.activation = "elu";
  add("tf32_followed", epilogue, {"sim:gfx942"});
}

/// Whether the operands' formats differ is up to the matrix instruction.
static std::string makeFormats(const std::string &input,
                               const std::string &filter,
                               const std::string &output) {
  std::string x = "tensor<1x5x6x24x" + input + ">";
  std::string w = "tensor<20x3x3x24x" + filter + ">";
  std::string y = "tensor<1x5x6x20x" + output + ">";
  std::string narrow =
      output == "f32" ? ""
                      : "epilogue() {\n^bb0(%acc: f32):\n"
                        "%scale = arith.constant 200.0 : f32\n"
                        "%scaled = arith.mulf %acc, %scale : f32\n"
                        "%out = arith.truncf %scaled : f32 to " +
                            output + "\nconv.yield %out : " + output + "\n}";
  return "func.func @formats(%x: " + x + ", %w: " + w + ") -> " + y +
         " {\n%y = conv.forward %x, %w window = <strides = [1, 1], dilations = "
         "[1, 1], low = [1, 1], high = [1, 1]> layouts = <\"NHWC\", \"KRSC\", "
         "\"NPQK\"> " +
         narrow + " : " + x + ", " + w + " -> " + y + "\nreturn %y : " + y +
         "\n}\n";
}

void test::addTypeTests() {
  addIntegerTests();
  addTF32Tests();
  for (const char *command : {"convfp8", "convbfp8"})
    for (bool fnuz : {false, true})
      addFloat8Tests(command, fnuz);
  for (bool fnuz : {false, true})
    addMixedFloat8Tests(fnuz);
  // What is beyond the largest value becomes infinity, or NaN.
  for (const std::string type :
       {"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"})
    addTest("Type", "f16_to_" + type,
            [type] { checkEverywhere(makeFormats("f16", "f16", type)); });
  for (auto [input, filter] : {std::pair("f8E4M3FN", "f8E5M2"),
                               {"f8E5M2", "f8E4M3FN"},
                               {"f8E4M3FNUZ", "f8E5M2FNUZ"},
                               {"f8E5M2FNUZ", "f8E4M3FNUZ"}})
    addTest("Type", std::string(input) + "_" + filter,
            [input = std::string(input), filter = std::string(filter)] {
              bool fnuz = input.ends_with("FNUZ");
              checkEverywhere(makeFormats(input, filter, "f32"),
                              fnuz ? kWithF8Fnuz : kWithF8);
            });
}

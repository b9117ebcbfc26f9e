//===- ConvShapeTest.cpp - sizes by letter ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <limits>

using namespace mlir;
using namespace mlir::conv;

namespace {
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(OutputSize, FollowsTheFormula) {
  EXPECT_EQ(computeOutputSize({56, 3, 1, 1, 1, 1}), 56);
  EXPECT_EQ(computeOutputSize({224, 7, 2, 1, 3, 3}), 112);
  EXPECT_EQ(computeOutputSize({8, 3, 1, 3, 0, 0}), 2);
  EXPECT_EQ(computeOutputSize({5, 2, 3, 1, 0, 0}), 2);
  EXPECT_EQ(computeOutputSize({1, 3, 1, 1, 0, 2}), 1);
}

TEST(OutputSize, IsNoneWhereTheWindowDoesNotFit) {
  EXPECT_EQ(computeOutputSize({2, 3, 1, 1, 0, 0}), std::nullopt);
  EXPECT_EQ(computeOutputSize({8, 3, 1, 4, 0, 0}), std::nullopt);
}

TEST(OutputSize, IsNoneOnOverflow) {
  EXPECT_EQ(computeOutputSize({kMax, 1, 1, 1, 1, 0}), std::nullopt);
  EXPECT_EQ(computeOutputSize({kMax - 1, 1, 1, 1, 1, 1}), std::nullopt);
  EXPECT_EQ(computeOutputSize({8, kMax, 1, 2, 0, 0}), std::nullopt);
  EXPECT_EQ(computeOutputSize({kMax, 1, 1, 1, 0, 0}), kMax);
}

TEST(Sizes, AreFoundByLetter) {
  EXPECT_EQ(getSize("RSCK", {3, 5, 16, 32}, 'C'), 16);
  EXPECT_EQ(getSize("RSCK", {3, 5, 16, 32}, 'G'), 1);
  EXPECT_EQ(getSpatialSizes("NWCH", {1, 7, 3, 5}, "DHW"),
            (SmallVector<int64_t, 3>{5, 7}));
}

/// A module with one convolution, parsed from the op's text.
class ConvolutionTest : public testing::Test {
protected:
  ConvolutionOpInterface parse(const std::string &arguments,
                               const std::string &op) {
    context.loadDialect<ConvDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(
        "func.func @f(" + arguments + ") {\n" + op + "\nreturn\n}", &context);
    if (!module)
      return nullptr;
    ConvolutionOpInterface found;
    module->walk([&](ConvolutionOpInterface op) { found = op; });
    return found;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

TEST_F(ConvolutionTest, ShapeAndProblemOfTheUsualLayouts) {
  ConvolutionOpInterface op = parse(
      "%x: tensor<2x9x13x3xf16>, %w: tensor<5x3x2x3xf16>",
      "%y = conv.forward %x, %w window = <strides = [2, 1], dilations = [2, "
      "3], low = [1, 0], high = [2, 0]> layouts = <\"NHWC\", \"KRSC\", "
      "\"NPQK\"> : tensor<2x9x13x3xf16>, tensor<5x3x2x3xf16> -> "
      "tensor<2x4x10x5xf32>");
  ASSERT_TRUE(op);
  ConvolutionShape shape = ConvolutionShape::get(op);
  EXPECT_EQ(shape.n, 2);
  EXPECT_EQ(shape.c, 3);
  EXPECT_EQ(shape.k, 5);
  EXPECT_EQ(shape.output, (SmallVector<int64_t, 3>{4, 10}));
  EXPECT_EQ(shape.computePixels(), 2 * 4 * 10);
  EXPECT_EQ(computeReduction(op), 3 * 2 * 3);
  EXPECT_EQ(shape.computeFlops(), 2.0 * 80 * 5 * 18);
  EXPECT_EQ(formatProblem(op),
            "convfp16 -n 2 -c 3 -k 5 -H 9 -y 3 -p 1 --pad_h_high 2 -u 2 -l 2 "
            "-W 13 -x 2 -q 0 -v 1 -j 3 -g 1 -F 1 --in_layout NHWC "
            "--fil_layout NHWC --out_layout NHWC --out_dtype f32");
}

TEST_F(ConvolutionTest, ShapeAndProblemWithGroupsInOneDimension) {
  ConvolutionOpInterface op = parse(
      "%x: tensor<2x20x4x2xi8>, %w: tensor<4x3x3x2xi8>",
      "%y = conv.forward %x, %w window = <strides = [1], dilations = [1], low "
      "= [0], high = [0]> layouts = <\"NWGC\", \"GKSC\", \"NQGK\"> groups = 4 "
      ": tensor<2x20x4x2xi8>, tensor<4x3x3x2xi8> -> tensor<2x18x4x3xi32>");
  ASSERT_TRUE(op);
  ConvolutionShape shape = ConvolutionShape::get(op);
  EXPECT_EQ(shape.c, 8);
  EXPECT_EQ(shape.k, 12);
  EXPECT_EQ(computeReduction(op), 3 * 2);
  EXPECT_TRUE(getAccumulatorType(op).isInteger(32));
  EXPECT_EQ(formatProblem(op),
            "convint8 -n 2 -c 8 -k 12 -W 20 -x 3 -q 0 -v 1 -j 1 -g 4 -F 1 "
            "--spatial_dim 1 --in_layout NWGC --fil_layout GNWC --out_layout "
            "NWGC --out_dtype i32");
}

TEST_F(ConvolutionTest, GradientsAreSeenByRole) {
  ConvolutionOpInterface data = parse(
      "%dy: tensor<2x8x8x12xbf16>, %w: tensor<12x3x3x2xbf16>",
      "%dx = conv.backward_data %dy, %w window = <strides = [2, 2], dilations "
      "= [1, 1], low = [1, 1], high = [1, 1]> layouts = <\"NHWC\", \"KRSC\", "
      "\"NPQK\"> groups = 4 : tensor<2x8x8x12xbf16>, tensor<12x3x3x2xbf16> -> "
      "tensor<2x16x15x8xf32>");
  ASSERT_TRUE(data);
  EXPECT_EQ(data.getTensorName(TensorRole::Input), "grad_input");
  EXPECT_EQ(data.getTensorName(TensorRole::Filter), "filter");
  EXPECT_EQ(data.getTensorName(TensorRole::Output), "grad_output");
  EXPECT_EQ(data.getInputType().getDimSize(1), 16);
  EXPECT_EQ(ConvolutionShape::get(data).c, 8);
  EXPECT_EQ(computeResultChannels(data), 8);
  EXPECT_EQ(computeReduction(data), 3 * 3 * 3);
  EXPECT_EQ(formatProblem(data),
            "convbfp16 -n 2 -c 8 -k 12 -H 16 -y 3 -p 1 -u 2 -l 1 -W 15 -x 3 -q "
            "1 -v 2 -j 1 -g 4 -F 2 --in_layout NHWC --fil_layout NHWC "
            "--out_layout NHWC --out_dtype f32");
}

TEST_F(ConvolutionTest, ReductionsOfGradients) {
  auto compute = [&](const std::string &padding) {
    ConvolutionOpInterface op = parse(
        "%dy: tensor<2x10x3xf32>, %w: tensor<3x3x5xf32>",
        "%dx = conv.backward_data %dy, %w window = <strides = [1], dilations = "
        "[1], low = [2], high = [2]> layouts = <\"NWC\", \"KSC\", "
        "\"NQK\"> padding = " +
            padding +
            " : tensor<2x10x3xf32>, tensor<3x3x5xf32> -> tensor<2x8x5xf32>");
    return op ? computeReduction(op) : 0;
  };
  EXPECT_EQ(compute("zeros"), 3 * 3);
  // An element also appears as its images in the padding.
  EXPECT_EQ(compute("reflect"), 3 * 3 * 3);
  EXPECT_EQ(compute("circular"), 3 * 3 * 3);
  EXPECT_EQ(compute("replicate"), 3 * 3 * 5);

  ConvolutionOpInterface weight = parse(
      "%x: tensor<2x8x5xf32>, %dy: tensor<2x10x3xf32>",
      "%dw = conv.backward_weight %x, %dy window = <strides = [1], dilations = "
      "[1], low = [2], high = [2]> layouts = <\"NWC\", \"KSC\", \"NQK\"> : "
      "tensor<2x8x5xf32>, tensor<2x10x3xf32> -> tensor<3x3x5xf32>");
  ASSERT_TRUE(weight);
  EXPECT_EQ(computeReduction(weight), 2 * 10);
  EXPECT_EQ(computeResultChannels(weight), std::nullopt);
}
} // namespace

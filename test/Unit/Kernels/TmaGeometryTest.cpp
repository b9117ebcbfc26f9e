//===- TmaGeometryTest.cpp - products as copies of boxes see them ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Plan/ConvolutionPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A 3x3 window with dilation 2 over 2 images of 20x30 with 72 channels.
constexpr StringLiteral kDilated = R"(
  func.func @f(%x: tensor<2x20x30x72xf16>, %w: tensor<64x3x3x72xf16>) {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [2, 2], low = [2, 2], high = [2, 2]>
        layouts = <"NHWC", "KRSC", "NPQK"> epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to f16
      conv.yield %0 : f16
    } : tensor<2x20x30x72xf16>, tensor<64x3x3x72xf16> -> tensor<2x20x30x64xf16>
    return
  })";

/// A 3x3 window over 20x30 with 36 channels of f32; the result's channels may
/// be innermost in the layout of the filter.
constexpr StringLiteral kFloat32 = R"(
  func.func @f(%x: tensor<2x20x30x36xf32>, %w: tensor<64x3x3x36xf32>) {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32
        : tensor<2x20x30x36xf32>, tensor<64x3x3x36xf32> -> tensor<2x20x30x64xf32>
    return
  })";
constexpr StringLiteral kFloat32Transposed = R"(
  func.func @f(%x: tensor<2x20x30x36xf32>, %w: tensor<3x3x36x64xf32>) {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "RSCK", "NPQK"> arithmetic = tf32
        : tensor<2x20x30x36xf32>, tensor<3x3x36x64xf32> -> tensor<2x20x30x64xf32>
    return
  })";
/// The gradient of the filter of an f32 window.
constexpr StringLiteral kFloat32Gradient = R"(
  func.func @f(%x: tensor<2x20x30x36xf32>, %dy: tensor<2x20x30x64xf32>) {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32
        : tensor<2x20x30x36xf32>, tensor<2x20x30x64xf32> -> tensor<64x3x3x36xf32>
    return
  })";

/// The gradient of the filter of kDilated, for 96 channels instead of 72.
constexpr StringLiteral kDilatedGradient = R"(
  func.func @f(%x: tensor<2x20x30x96xf16>, %dy: tensor<2x20x30x64xf16>) {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [2, 2], low = [2, 2], high = [2, 2]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<2x20x30x96xf16>, tensor<2x20x30x64xf16> -> tensor<64x3x3x96xf16>
    return
  })";

/// A 3x3x3 window over 5x20x30, and the gradient of its filter.
constexpr StringLiteral kVolume = R"(
  func.func @f(%x: tensor<2x5x20x30x72xf16>, %w: tensor<64x3x3x3x72xf16>) {
    %y = conv.forward %x, %w
        window = <strides = [1, 1, 1], dilations = [2, 1, 1], low = [2, 1, 1], high = [2, 1, 1]>
        layouts = <"NDHWC", "KTRSC", "NZPQK"> epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to f16
      conv.yield %0 : f16
    } : tensor<2x5x20x30x72xf16>, tensor<64x3x3x3x72xf16> -> tensor<2x5x20x30x64xf16>
    return
  })";
constexpr StringLiteral kVolumeGradient = R"(
  func.func @f(%x: tensor<2x5x20x30x72xf16>, %dy: tensor<2x5x20x30x64xf16>) {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
        layouts = <"NDHWC", "KTRSC", "NZPQK">
        : tensor<2x5x20x30x72xf16>, tensor<2x5x20x30x64xf16> -> tensor<64x3x3x3x72xf16>
    return
  })";

/// A 3x3 window over 8 groups of 56 channels, and the gradients of its input,
/// which has 24 channels in each group, and of its filter.
constexpr StringLiteral kGroups = R"(
  func.func @f(%x: tensor<2x28x28x448xbf16>, %w: tensor<192x3x3x56xbf16>) {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x28x28x448xbf16>, tensor<192x3x3x56xbf16> -> tensor<2x28x28x192xbf16>
    return
  })";
constexpr StringLiteral kGroupsOfGradient = R"(
  func.func @f(%dy: tensor<2x28x28x448xbf16>, %w: tensor<448x3x3x24xbf16>) {
    %dx = conv.backward_data %dy, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 8
        : tensor<2x28x28x448xbf16>, tensor<448x3x3x24xbf16> -> tensor<2x28x28x192xbf16>
    return
  })";
constexpr StringLiteral kGroupsOfFilterGradient = R"(
  func.func @f(%x: tensor<2x28x28x192xbf16>, %dy: tensor<2x28x28x448xbf16>) {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 8
        : tensor<2x28x28x192xbf16>, tensor<2x28x28x448xbf16> -> tensor<448x3x3x24xbf16>
    return
  })";
/// The gradient of the filter for 8 groups of 64 channels.
constexpr StringLiteral kWholeRowsOfFilterGradient = R"(
  func.func @f(%x: tensor<2x28x28x512xbf16>, %dy: tensor<2x28x28x320xbf16>) {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x28x28x512xbf16>, tensor<2x28x28x320xbf16> -> tensor<320x3x3x64xbf16>
    return
  })";
/// Groups of 12 channels.
constexpr StringLiteral kShortGroups = R"(
  func.func @f(%x: tensor<2x28x28x48xbf16>, %w: tensor<64x3x3x12xbf16>) {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 4
        : tensor<2x28x28x48xbf16>, tensor<64x3x3x12xbf16> -> tensor<2x28x28x64xbf16>
    return
  })";
constexpr StringLiteral kGroupsOfIntegers = R"(
  func.func @f(%x: tensor<2x28x28x64xi8>, %w: tensor<64x3x3x16xi8>) {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 4
        : tensor<2x28x28x64xi8>, tensor<64x3x3x16xi8> -> tensor<2x28x28x64xi32>
    return
  })";
/// Gradients of inputs in three dimensions, of groups of 56 and of 64 channels.
constexpr StringLiteral kGroupsOfVolumes = R"(
  func.func @f(%dy: tensor<1x7x8x9x112xbf16>, %w: tensor<112x3x3x3x56xbf16>) {
    %dx = conv.backward_data %dy, %w
        window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
        layouts = <"NDHWC", "KTRSC", "NZPQK"> groups = 2
        : tensor<1x7x8x9x112xbf16>, tensor<112x3x3x3x56xbf16> -> tensor<1x7x8x9x112xbf16>
    return
  })";
constexpr StringLiteral kWholeRowsOfVolumes = R"(
  func.func @f(%dy: tensor<1x7x8x9x128xbf16>, %w: tensor<128x3x3x3x56xbf16>) {
    %dx = conv.backward_data %dy, %w
        window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
        layouts = <"NDHWC", "KTRSC", "NZPQK"> groups = 2
        : tensor<1x7x8x9x128xbf16>, tensor<128x3x3x3x56xbf16> -> tensor<1x7x8x9x112xbf16>
    return
  })";

/// The gradient of a 3x1x3 filter for 24 channels, stored channels first, with
/// strides.
constexpr StringLiteral kStridedGradientOfVolumes = R"(
  func.func @f(%x: tensor<1x7x8x9x24xbf16>, %dy: tensor<1x7x8x5x40xbf16>) {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1, 2], dilations = [1, 1, 1], low = [1, 0, 1], high = [1, 0, 1]>
        layouts = <"NDHWC", "KCTRS", "NZPQK">
        : tensor<1x7x8x9x24xbf16>, tensor<1x7x8x5x40xbf16> -> tensor<40x24x3x1x3xbf16>
    return
  })";

/// The gradient of images whose blocks of 16x16 elements of 3 channels became
/// 80 channels, and of images of 48 channels whose 7x7 blocks overlap.
constexpr StringLiteral kPatchEmbedding = R"(
  func.func @f(%dy: tensor<2x2x3x80xbf16>, %w: tensor<80x16x16x3xbf16>) {
    %dx = conv.backward_data %dy, %w
        window = <strides = [16, 16], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<2x2x3x80xbf16>, tensor<80x16x16x3xbf16> -> tensor<2x32x48x3xbf16>
    return
  })";
constexpr StringLiteral kOverlappingHaloTiles = R"(
  func.func @f(%dy: tensor<2x5x5x80xbf16>, %w: tensor<80x7x7x48xbf16>) {
    %dx = conv.backward_data %dy, %w
        window = <strides = [4, 4], dilations = [1, 1], low = [3, 3], high = [3, 3]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<2x5x5x80xbf16>, tensor<80x7x7x48xbf16> -> tensor<2x18x18x48xbf16>
    return
  })";

class TmaGeometryTest : public testing::Test {
protected:
  TmaGeometryTest() {
    context.loadDialect<ConvDialect, arith::ArithDialect, func::FuncDialect>();
  }

  /// The geometry of the only product of the op in `text`, or an obstacle.
  std::optional<TmaGeometry> compute(StringRef text,
                                     const PlanOptions &options) {
    module = parseSourceString<ModuleOp>(text, &context);
    ConvolutionOpInterface op;
    module->walk([&](ConvolutionOpInterface found) { op = found; });
    ConvolutionPlan plan = planConvolution(op, options);
    const PlanSubproblem &subproblem = plan.getLargestProduct();
    auto getViewed = [&](ViewAttr view, TensorRole role) {
      auto type = cast<RankedTensorType>(op.getTensor(role).getType());
      return ViewedTensor{view, type,
                          computeContiguousStrides(type.getShape())};
    };
    ViewedTensor target = getViewed(subproblem.target, op.getResultRole());
    result = computeTmaResult(target);
    columns = subproblem.product->rhs.getShape()[1];
    return computeTmaGeometry(
        getViewed(subproblem.product->lhs, subproblem.product->lhsRole),
        getViewed(subproblem.product->rhs, subproblem.product->rhsRole), target,
        obstacle);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::string obstacle;
  TmaResult result; ///< Of the last geometry.
  int64_t columns;  ///< Of the last product.
};

TEST_F(TmaGeometryTest, HaloTilesHaveHalos) {
  std::optional<TmaGeometry> geometry =
      compute(kDilated, {.haloTile = {8, 16}});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->window.haloTile, (SmallVector<int64_t>{8, 16}));
  EXPECT_EQ(geometry->window.getPositions(), (SmallVector<int64_t>{2, 24, 32}));
  // Two taps beyond the first one, at a distance of 2.
  EXPECT_EQ(geometry->getHaloTileExtent(0), 12);
  EXPECT_EQ(geometry->getHaloTileExtent(1), 20);
  EXPECT_EQ(geometry->getHaloTilePitch(0), 20);
  EXPECT_EQ(geometry->getHaloTileCopyBytes(), 12 * 20 * 128);
  EXPECT_EQ(geometry->getHaloTileBytes(), 30 * 1024);
  // 72 channels are two rows, each with nine taps.
  EXPECT_EQ(geometry->getOuterLoop().count(), 2);
  EXPECT_EQ(geometry->getInnerLoop().count(), 9);
}

// Halo tiles that are numbered column by column, in the order of the result,
// differ from the order of boxes.
TEST_F(TmaGeometryTest, HaloTilesAreInTheOrderOfPositions) {
  constexpr StringLiteral kColumnMajor = R"(
  func.func @f(%x: tensor<2x20x32x64xf16>, %w: tensor<64x3x3x64xf16>) {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NQPK">
        : tensor<2x20x32x64xf16>, tensor<64x3x3x64xf16> -> tensor<2x32x20x64xf16>
    return
  })";
  EXPECT_FALSE(compute(kColumnMajor, {.haloTile = {8, 16}}));
  EXPECT_EQ(obstacle, "expects halo tiles of positions, but got another view");
}

// A halo tile is one layer of a volume: each of three layers of taps sees
// another halo tile, for each of two rows of channels.
TEST_F(TmaGeometryTest, HaloTilesOfVolumesAreOfOneLayer) {
  std::optional<TmaGeometry> geometry = compute(kVolume, {.haloTile = {8, 16}});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->window.haloTile, (SmallVector<int64_t>{1, 8, 16}));
  EXPECT_EQ(geometry->window.getPositions(),
            (SmallVector<int64_t>{2, 5, 24, 32}));
  EXPECT_EQ(geometry->getHaloTileExtent(0), 1);
  EXPECT_EQ(geometry->getHaloTileExtent(1), 10);
  EXPECT_EQ(geometry->getHaloTileExtent(2), 18);
  EXPECT_EQ(geometry->getHaloTileCopyBytes(), 10 * 18 * 128);
  EXPECT_EQ(geometry->getHaloTileLineBytes(), 18 * 128);
  EXPECT_EQ(geometry->getOuterLoop().count(), 3 * 2);
  EXPECT_EQ(geometry->getInnerLoop().count(), 9);
  EXPECT_EQ(result.form, TmaResult::Form::HaloTiles);
  EXPECT_EQ(result.window.haloTile, (SmallVector<int64_t>{1, 8, 16}));
}

TEST_F(TmaGeometryTest, HaloTilesOfAReductionOverVolumes) {
  std::optional<TmaGeometry> geometry =
      compute(kVolumeGradient, {.splits = 10, .haloTile = {8, 8}});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->window.haloTile, (SmallVector<int64_t>{1, 8, 8}));
  EXPECT_EQ(geometry->getHaloTileCopyBytes(), 8 * 10 * 128);
  // Nine lines of three taps, each with two rows of 64 channels.
  EXPECT_EQ(columns, 9 * 2 * 3 * 64);
  EXPECT_EQ(geometry->sliceCounts, (SmallVector<int64_t>{2, 5, 1, 1}));
  EXPECT_EQ(geometry->slicePositions, (SmallVector<int64_t>{1, 1, 24, 32}));
  EXPECT_EQ(geometry->countSteps(), 3 * 4);
}

// Nine taps of two rows of channels: two workgroups take one row each, three
// workgroups take three taps of each row. Halo tiles leave only the rows.
TEST_F(TmaGeometryTest, WorkgroupsShareTheLoopWithShorterParts) {
  std::optional<TmaGeometry> geometry = compute(kDilated, {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->getMostWorkgroups(), 9);
  EXPECT_TRUE(geometry->sharesOuterLoop(2));
  EXPECT_FALSE(geometry->sharesOuterLoop(3));
  geometry = compute(kDilated, {.haloTile = {8, 16}});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->getMostWorkgroups(), 2);
  EXPECT_TRUE(geometry->sharesOuterLoop(2));
}

// Conditions exclude positions outside of the tensor, where nothing is stored.
TEST_F(TmaGeometryTest, ResultOfHaloTilesIsCopiedInBlocks) {
  ASSERT_TRUE(compute(kDilated, {.haloTile = {8, 16}})) << obstacle;
  EXPECT_EQ(result.form, TmaResult::Form::HaloTiles);
  EXPECT_EQ(result.window.haloTile, (SmallVector<int64_t>{8, 16}));
  EXPECT_EQ(result.window.channels, 64);
  EXPECT_EQ(result.window.dimensions[0].extent, 20);
  EXPECT_EQ(result.window.dimensions[1].extent, 30);
}

// A step is a block of 8 x 8 positions of an image; the three taps of a line
// share 8 lines of 8 elements with a halo of 4.
TEST_F(TmaGeometryTest, HaloTilesOfAReductionHaveTheHaloOfALine) {
  std::optional<TmaGeometry> geometry =
      compute(kDilatedGradient, {.haloTile = {8, 8}});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_TRUE(geometry->reducesPositions);
  EXPECT_EQ(geometry->getHaloTileExtent(0), 8);
  EXPECT_EQ(geometry->getHaloTileExtent(1), 12);
  EXPECT_EQ(geometry->getHaloTileBytes(), 12 * 1024);
  EXPECT_EQ(geometry->getHaloTileColumns(), 3 * 64);
  // 96 channels are two rows of 64, for each of three lines of three taps.
  EXPECT_EQ(columns, 3 * 2 * 3 * 64);
  EXPECT_EQ(geometry->leftShape, (SmallVector<int64_t>{2, 20, 30, 64}));
  EXPECT_EQ(geometry->slicePositions, (SmallVector<int64_t>{2, 24, 32}));
  EXPECT_EQ(geometry->countSteps(), 2 * 3 * 4);
}

// Transposed, rows are 9 taps of each row of 64 channels. A tile has a line of
// three taps, or all lines; all of them see the elements of a block and a halo
// of 4 around it.
TEST_F(TmaGeometryTest, TapsAreRowsOfATransposedReduction) {
  std::optional<TmaGeometry> geometry =
      compute(kDilatedGradient, {.haloTile = {8, 8}, .transposed = true});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_TRUE(geometry->areTapsRows);
  EXPECT_FALSE(geometry->hasRowsOfColumns());
  EXPECT_EQ(columns, 64);
  ::conv::TapRows taps = geometry->getTapRows();
  EXPECT_EQ(taps.countLines(3 * 64), 1);
  EXPECT_EQ(taps.countLines(9 * 64), 3);
  EXPECT_EQ(taps.countLines(6 * 64), 0);
  EXPECT_EQ(taps.countLines(64), 0);
  EXPECT_EQ(taps.copyBytes(3 * 64), 8 * 12 * 128);
  EXPECT_EQ(taps.copyBytes(9 * 64), 12 * 12 * 128);
  EXPECT_EQ(taps.bytes(9 * 64), 18 * 1024);
  EXPECT_EQ(geometry->leftShape, (SmallVector<int64_t>{2, 20, 30, 64}));
  EXPECT_EQ(geometry->countSteps(), 2 * 3 * 4);
}

// 2 x 3 x 4 halo tiles in six slices: each slice has one line of halo tiles of
// one image.
TEST_F(TmaGeometryTest, PartsOfHaloTilesAreBoxes) {
  std::optional<TmaGeometry> geometry =
      compute(kDilatedGradient, {.splits = 6, .haloTile = {8, 8}});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->slices, 6);
  EXPECT_EQ(geometry->sliceCounts, (SmallVector<int64_t>{2, 3, 1}));
  EXPECT_EQ(geometry->slicePositions, (SmallVector<int64_t>{1, 8, 32}));
  EXPECT_EQ(geometry->countSteps(), 4);
}

TEST_F(TmaGeometryTest, StepsOfAReductionAreOneBlock) {
  EXPECT_FALSE(compute(kDilatedGradient, {.haloTile = {16, 8}}));
  EXPECT_EQ(obstacle, "expects halo tiles of a reduction to have 8 positions a "
                      "side, but got 16");
}

TEST_F(TmaGeometryTest, ResultInOrderIsAMatrix) {
  std::optional<TmaGeometry> geometry = compute(kDilated, {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(result.form, TmaResult::Form::Matrix);
  EXPECT_EQ(geometry->getOuterLoop().count(), 2);
  EXPECT_EQ(geometry->getInnerLoop().count(), 9);
}

// Rows have the same number of bytes for every element type.
TEST_F(TmaGeometryTest, RowsOfFloat32HaveHalfAsManyElements) {
  std::optional<TmaGeometry> geometry = compute(kFloat32, {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->getRowElements(), 32);
  EXPECT_EQ(geometry->getOuterLoop().count(), 2);
  EXPECT_EQ(geometry->getInnerLoop().count(), 9);
  EXPECT_EQ(geometry->resultBytes, 4);
  EXPECT_EQ(result.form, TmaResult::Form::Matrix);

  geometry = compute(kFloat32, {.haloTile = {8, 16}});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->getOuterLoop().count(), 2);
  EXPECT_EQ(geometry->getHaloTileCopyBytes(), 10 * 18 * 128);
}

TEST_F(TmaGeometryTest, Float32IsTransposedByWarps) {
  std::optional<TmaGeometry> geometry = compute(kFloat32Transposed, {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_TRUE(geometry->isRightTransposed());
  EXPECT_FALSE(geometry->isLeftTransposed());
  EXPECT_EQ(geometry->getRowElements(), 32);
  // Rows of columns have as many elements as for 16 bits.
  EXPECT_FALSE(compute(kFloat32Gradient, {}));
  EXPECT_EQ(obstacle,
            "expects a multiple of 64 columns for each tap, but got 36");
}

// A row of the window includes 8 channels of the next group, before which the
// filter's last dimension ends; instructions read all four of its parts.
TEST_F(TmaGeometryTest, GroupsAreDigitsOfTheBatch) {
  std::optional<TmaGeometry> geometry = compute(kGroups, {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->window.groups, 8);
  EXPECT_EQ(geometry->window.channelsOfGroup(), 56);
  EXPECT_EQ(geometry->slices, 1);
  EXPECT_EQ(geometry->countSteps(), 9);
  EXPECT_EQ(geometry->getMultipliedBytes(), 128);
  ASSERT_EQ(geometry->filter.size(), 4u);
  EXPECT_EQ(geometry->filter.front().groupStep, 24);
  EXPECT_EQ(geometry->filter.back().groupStep, 0);
  EXPECT_EQ(geometry->filter.back().size, 56);
  // A box of the result stays inside its group.
  EXPECT_EQ(result.form, TmaResult::Form::Matrix);
  EXPECT_EQ(result.groups, 8);
  EXPECT_FALSE(result.hasRowsOfGroups);
  EXPECT_TRUE(result.clipsGroups());
}

// Seven of eight groups of 112 bytes start inside a cache line, and rows of all
// these continue in the next one. Clipped, rows of the last group end there.
TEST_F(TmaGeometryTest, RowsOfGroupsLieInSeveralLines) {
  std::optional<TmaGeometry> geometry = compute(kGroups, {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->getLeftLines(), 1 + 7 / 8.0);
  EXPECT_EQ(geometry->getRightLines(), 1 + 6 / 8.0);
  EXPECT_TRUE(geometry->haveGroupsSharedLines());
  geometry = compute(kGroups, {.haloTile = {16, 16}});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->getLeftLines(), 1 + 6 / 8.0);
  EXPECT_EQ(result.form, TmaResult::Form::HaloTiles);
  EXPECT_EQ(result.window.groups, 8);
}

// Channels of the reduction are rows of the filter: a group of them is a
// dimension, so that zeros follow it.
TEST_F(TmaGeometryTest, FilterEndsWithEachGroup) {
  std::optional<TmaGeometry> geometry = compute(kGroupsOfGradient, {});
  ASSERT_TRUE(geometry) << obstacle;
  ASSERT_EQ(geometry->filter.size(), 5u);
  using Coordinate = TmaGeometry::Coordinate;
  EXPECT_EQ(geometry->filter[0].index, Coordinate::Group);
  EXPECT_EQ(geometry->filter[0].size, 8);
  EXPECT_EQ(geometry->filter[1].index, Coordinate::Channel);
  EXPECT_EQ(geometry->filter[1].size, 56);
}

// A filter in three dimensions has no dimension left for groups.
TEST_F(TmaGeometryTest, GroupsOfVolumesAreWholeRows) {
  EXPECT_FALSE(compute(kGroupsOfVolumes, {}));
  EXPECT_EQ(obstacle, "expects a filter of at most 5 dimensions, but got 6");
  std::optional<TmaGeometry> geometry = compute(kWholeRowsOfVolumes, {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->filter.front().groupStep, 64);
}

TEST_F(TmaGeometryTest, GroupsOfAFilterGradientHaveRowsOfTheirOwn) {
  EXPECT_FALSE(compute(kGroupsOfFilterGradient, {}));
  EXPECT_EQ(obstacle,
            "expects a multiple of 64 columns for each tap, but got 24");
  std::optional<TmaGeometry> geometry =
      compute(kGroupsOfFilterGradient, {.splits = 6, .haloTile = {8, 8}});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->slices, 6);
  EXPECT_EQ(geometry->window.groups, 8);
  // 24 channels are a row of 64, for each of three lines of three taps.
  EXPECT_EQ(columns, 3 * 3 * 64);

  geometry = compute(kWholeRowsOfFilterGradient, {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(result.form, TmaResult::Form::Matrix);
  EXPECT_EQ(result.rows, 40);
  EXPECT_TRUE(result.hasRowsOfGroups);
}

// Without halo tiles, a tap's channels are also whole rows of 64 columns: 24
// channels are one row, 96 are two. Lanes skip the columns after them.
TEST_F(TmaGeometryTest, ChannelsOfATapAreRows) {
  std::optional<TmaGeometry> geometry =
      compute(kGroupsOfFilterGradient, {.hasChannelRows = true});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->columnsOfTap, 64);
  EXPECT_EQ(geometry->window.channelsOfGroup(), 24);
  EXPECT_EQ(columns, 9 * 64);
  EXPECT_EQ(result.form, TmaResult::Form::Lanes);

  geometry = compute(kDilatedGradient, {.splits = 2, .hasChannelRows = true});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->columnsOfTap, 128);
  EXPECT_EQ(columns, 9 * 128);
  EXPECT_EQ(geometry->slices, 2);
}

// Taps are rows also in three dimensions and with strides, for any order of the
// filter's dimensions.
TEST_F(TmaGeometryTest, ChannelsOfAStridedTapAreRows) {
  std::optional<TmaGeometry> geometry =
      compute(kStridedGradientOfVolumes, {.hasChannelRows = true});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->window.getTaps(), (SmallVector<int64_t>{3, 1, 3}));
  EXPECT_EQ(geometry->window.dimensions[2].stride, 2);
  EXPECT_EQ(geometry->columnsOfTap, 64);
  EXPECT_EQ(columns, 9 * 64);
  EXPECT_EQ(result.form, TmaResult::Form::Lanes);
}

// The filter of a patch embedding is a matrix: its columns are its elements and
// channels, which are too few to locate one element at a time.
TEST_F(TmaGeometryTest, DgradPhasesOfAPatchEmbeddingAreAMatrix) {
  std::optional<TmaGeometry> geometry = compute(kPatchEmbedding, {});
  ASSERT_TRUE(geometry) << obstacle;
  using Coordinate = TmaGeometry::Coordinate;
  ASSERT_EQ(geometry->filter.size(), 2u);
  EXPECT_EQ(geometry->filter[0].index, Coordinate::Channel);
  EXPECT_EQ(geometry->filter[1].index, Coordinate::Row);
  EXPECT_EQ(geometry->filter[1].size, 16 * 16 * 3);
  EXPECT_TRUE(geometry->phases.empty());
  EXPECT_EQ(geometry->window.getPositions(), (SmallVector<int64_t>{2, 2, 3}));
  EXPECT_EQ(geometry->countSteps(), 2);
  EXPECT_EQ(result.form, TmaResult::Form::Lanes);
}

// 7 x 7 elements are 2 x 2 for each of 4 x 4 dgrad phases, with zeros beyond.
TEST_F(TmaGeometryTest, OverlappingPhasesAreRows) {
  EXPECT_FALSE(compute(kOverlappingHaloTiles, {}));
  EXPECT_EQ(obstacle,
            "expects a multiple of 64 columns of each dgrad phase, but got 48");
  std::optional<TmaGeometry> geometry =
      compute(kOverlappingHaloTiles, {.hasChannelRows = true});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->phases, (SmallVector<int64_t>{4, 4}));
  EXPECT_EQ(geometry->columnsOfPhase, 64);
  EXPECT_EQ(columns, 16 * 64);
  EXPECT_TRUE(geometry->hasRowsOfColumns());
  EXPECT_EQ(geometry->window.getTaps(), (SmallVector<int64_t>{2, 2}));
  ASSERT_EQ(geometry->filter.size(), 4u);
  for (size_t d : {0, 1}) {
    EXPECT_EQ(geometry->filter[1 + d].step, 4);
    EXPECT_EQ(geometry->filter[1 + d].phase, d);
  }
  EXPECT_FALSE(geometry->filter[3].phase);
}

TEST_F(TmaGeometryTest, GroupsHaveWholeAccesses) {
  EXPECT_FALSE(compute(kShortGroups, {}));
  EXPECT_EQ(obstacle,
            "expects channels that are multiples of 8, but got 12 and 12");
}

TEST_F(TmaGeometryTest, IntegersHaveABytePerElement) {
  std::optional<TmaGeometry> geometry = compute(kGroupsOfIntegers, {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->elementBytes, 1);
  EXPECT_EQ(geometry->resultBytes, 4);
  EXPECT_EQ(geometry->window.groups, 4);
  // A group's 16 channels are half of what an instruction reads.
  EXPECT_EQ(geometry->getMultipliedBytes(), 32);
}

} // namespace

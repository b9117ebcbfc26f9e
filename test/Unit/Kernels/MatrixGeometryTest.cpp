//===- MatrixGeometryTest.cpp - operands of which tiles are boxes ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products whose operands lie in memory with positions or images innermost.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Plan/ConvolutionPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::conv;

namespace {

using Extent = TmaMatrix::Extent;

/// The gradient of a filter of one element, of 6 images of 200 positions.
constexpr StringLiteral kFilterGradient = R"(
  func.func @f(%x: tensor<6x40x200xbf16>, %dy: tensor<6x24x200xbf16>) {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1], dilations = [1], low = [0], high = [0]>
        layouts = <"NCW", "KSC", "NKQ">
        : tensor<6x40x200xbf16>, tensor<6x24x200xbf16> -> tensor<24x1x40xbf16>
    return
  })";
/// The gradient of a filter of one element, of one image, in tf32.
constexpr StringLiteral kFloatGradient = R"(
  func.func @f(%x: tensor<1x40x256xf32>, %dy: tensor<1x24x256xf32>) {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1], dilations = [1], low = [0], high = [0]>
        layouts = <"NCW", "KSC", "NKQ"> arithmetic = tf32
        : tensor<1x40x256xf32>, tensor<1x24x256xf32> -> tensor<24x1x40xf32>
    return
  })";
/// Images of 14 x 14 positions, whose rows do not start at multiples of 16
/// bytes.
constexpr StringLiteral kUneven = R"(
  func.func @f(%x: tensor<6x40x196xbf16>, %dy: tensor<6x24x196xbf16>) {
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1], dilations = [1], low = [0], high = [0]>
        layouts = <"NCW", "KSC", "NKQ">
        : tensor<6x40x196xbf16>, tensor<6x24x196xbf16> -> tensor<24x1x40xbf16>
    return
  })";
/// The gradient of the input, whose filter has the columns' channels innermost.
constexpr StringLiteral kInputGradient = R"(
  func.func @f(%dy: tensor<6x24x200xbf16>, %w: tensor<24x1x40xbf16>) {
    %dx = conv.backward_data %dy, %w
        window = <strides = [1], dilations = [1], low = [0], high = [0]>
        layouts = <"NCW", "KSC", "NKQ">
        : tensor<6x24x200xbf16>, tensor<24x1x40xbf16> -> tensor<6x40x200xbf16>
    return
  })";

/// Images of so many positions, which are rows of channels in NCW, too, if
/// there is one: then two of the three taps see zeros.
std::string getFewPositions(int64_t positions) {
  return llvm::formatv(R"(
  func.func @f(%x: tensor<5x64x{0}xbf16>, %w: tensor<64x3x64xbf16>) {{
    %y = conv.forward %x, %w
        window = <strides = [1], dilations = [1], low = [1], high = [1]>
        layouts = <"NCW", "KSC", "NKQ">
        : tensor<5x64x{0}xbf16>, tensor<64x3x64xbf16> -> tensor<5x64x{0}xbf16>
    return
  })",
                       positions);
}

/// The gradient of a filter in tf32, of 8 images of 14 x 12 positions, which
/// are innermost in memory.
std::string getImagesInnermost(int64_t stride) {
  return llvm::formatv(R"(
  func.func @f(%x: tensor<48x14x12x8xf32>, %dy: tensor<24x{0}x{1}x8xf32>) {{
    %dw = conv.backward_weight %x, %dy
        window = <strides = [{2}, {2}], dilations = [1, 1], low = [1, 1],
                  high = [1, 1]>
        layouts = <"CHWN", "KRSC", "KPQN"> arithmetic = tf32
        : tensor<48x14x12x8xf32>, tensor<24x{0}x{1}x8xf32>
          -> tensor<24x3x3x48xf32>
    return
  })",
                       14 / stride, 12 / stride, stride);
}

/// Such a gradient with positions innermost, and `taps` taps in each line.
std::string getPositionsInnermost(int64_t taps) {
  return llvm::formatv(R"(
  func.func @f(%x: tensor<8x48x14x12xf32>, %dy: tensor<8x24x14x12xf32>) {{
    %dw = conv.backward_weight %x, %dy
        window = <strides = [1, 1], dilations = [1, 1], low = [1, {0}],
                  high = [1, {0}]>
        layouts = <"NCHW", "KRSC", "NKPQ"> arithmetic = tf32
        : tensor<8x48x14x12xf32>, tensor<8x24x14x12xf32>
          -> tensor<24x3x{1}x48xf32>
    return
  })",
                       taps / 2, taps);
}

class MatrixGeometryTest : public testing::Test {
protected:
  MatrixGeometryTest() {
    context.loadDialect<ConvDialect, arith::ArithDialect, func::FuncDialect>();
  }

  std::optional<TmaGeometry> compute(StringRef text,
                                     const PlanOptions &options) {
    module = parseSourceString<ModuleOp>(text, &context);
    ConvolutionOpInterface op;
    module->walk([&](ConvolutionOpInterface found) { op = found; });
    ConvolutionPlan plan = planConvolution(op, options);
    auto [step, part] = plan.getProducts().front();
    auto [lhs, rhs, result] = getViewedProduct(op, plan, *step, *part);
    return computeTmaGeometry(lhs, rhs, result, obstacle);
  }

  static void expectExtents(const TmaMatrix &matrix,
                            ArrayRef<Extent> expected) {
    EXPECT_EQ(llvm::map_to_vector(matrix.dimensions,
                                  [](const auto &d) { return d.extent; }),
              llvm::to_vector(expected));
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::string obstacle;
};

TEST_F(MatrixGeometryTest, ReductionIsInnermostInBothOperands) {
  std::optional<TmaGeometry> geometry = compute(kFilterGradient, {});
  ASSERT_TRUE(geometry) << obstacle;
  ASSERT_TRUE(geometry->hasMatrices());
  for (const TmaMatrix *matrix :
       {&*geometry->leftMatrix, &*geometry->rightMatrix})
    expectExtents(*matrix, {Extent::One, Extent::Rows, Extent::Reduction});
  EXPECT_EQ(geometry->leftMatrix->dimensions[1].size, 24);
  EXPECT_EQ(geometry->rightMatrix->dimensions[1].size, 40);
  EXPECT_FALSE(geometry->isLeftTransposed());
  EXPECT_FALSE(geometry->isRightTransposed());
  EXPECT_FALSE(geometry->hasRowsOfColumns());
  // 200 positions are four rows of a tile; the last row ends with zeros.
  EXPECT_EQ(geometry->getOuterLoop().count(), 6);
  EXPECT_EQ(geometry->getInnerLoop().count(), 4);
}

// 200 positions do not divide into two slices of whole rows, so images are
// split. The last of four slices of two images is empty.
TEST_F(MatrixGeometryTest, PartsAreOfImages) {
  for (int64_t splits : {2, 4}) {
    std::optional<TmaGeometry> geometry =
        compute(kFilterGradient, {.splits = splits});
    ASSERT_TRUE(geometry) << obstacle;
    EXPECT_EQ(geometry->slices, splits);
    EXPECT_EQ(geometry->getOuterLoop().count(), splits == 2 ? 3 : 2);
    EXPECT_EQ(geometry->leftMatrix->dimensions[0].steps.front(),
              splits == 2 ? 3 : 2);
    EXPECT_EQ(geometry->leftMatrix->dimensions[2].steps.front(), 0);
  }
}

// A row of a tile has 32 elements of f32: 256 positions are four slices of two.
TEST_F(MatrixGeometryTest, PartsOfPositionsHaveWholeRows) {
  std::optional<TmaGeometry> geometry = compute(kFloatGradient, {.splits = 4});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->elementBytes, 4);
  EXPECT_EQ(geometry->getInnerLoop().count(), 2);
  expectExtents(*geometry->leftMatrix, {Extent::Rows, Extent::Reduction});
  EXPECT_EQ(geometry->leftMatrix->dimensions[1].steps.front(), 64);
  EXPECT_FALSE(compute(kFloatGradient, {.splits = 16}));
}

TEST_F(MatrixGeometryTest, RowsStartAtWholeAccesses) {
  EXPECT_FALSE(compute(kUneven, {}));
  EXPECT_EQ(obstacle, "expects a dense left operand with its channels "
                      "innermost, but got another view");
}

// All images share the filter.
TEST_F(MatrixGeometryTest, RowsAreInnermostInBothOperands) {
  std::optional<TmaGeometry> geometry =
      compute(kInputGradient, {.transposed = true});
  ASSERT_TRUE(geometry) << obstacle;
  expectExtents(*geometry->leftMatrix, {Extent::Reduction, Extent::Rows});
  expectExtents(*geometry->rightMatrix,
                {Extent::One, Extent::Reduction, Extent::Rows});
  EXPECT_TRUE(geometry->isLeftTransposed());
  EXPECT_TRUE(geometry->isRightTransposed());
  EXPECT_EQ(geometry->window.groups, 6);
  EXPECT_FALSE(geometry->window.hasGroups());
  EXPECT_EQ(geometry->countSteps(), 1);
}

// With one position, only the tap in the middle is multiplied.
TEST_F(MatrixGeometryTest, OneTapLeavesMatrices) {
  std::optional<TmaGeometry> geometry = compute(getFewPositions(1), {});
  ASSERT_TRUE(geometry) << obstacle;
  EXPECT_EQ(geometry->countSteps(), 1);
}

// With two, no dimension has rows or the reduction innermost.
TEST_F(MatrixGeometryTest, TapsDoNotLeaveMatrices) {
  EXPECT_FALSE(compute(getFewPositions(2), {}));
  EXPECT_EQ(obstacle, "expects images outermost and channels innermost, but "
                      "got another layout");
}

// A tap moves boxes of 12 x 8 neighbours by 8 elements, and a line by one.
TEST_F(MatrixGeometryTest, TapsMoveLinesOfImages) {
  std::optional<TmaGeometry> geometry = compute(getImagesInnermost(1), {});
  ASSERT_TRUE(geometry && geometry->hasMatrices()) << obstacle;
  const TmaMatrix &right = *geometry->rightMatrix;
  expectExtents(right, {Extent::Rows, Extent::One, Extent::Reduction});
  EXPECT_EQ(right.rows, (SmallVector<int64_t>{3, 3, 48}));
  // Digits are r, s, c, p, and the position with its image.
  EXPECT_EQ(right.dimensions[1].steps, (SmallVector<int64_t>{1, 0, 0, 1, 0}));
  EXPECT_EQ(right.dimensions[1].start, -1);
  EXPECT_EQ(right.dimensions[2].steps, (SmallVector<int64_t>{0, 8, 0, 0, 1}));
  EXPECT_EQ(right.dimensions[2].start, -8);
  EXPECT_EQ(right.dimensions[2].size, 96);
  EXPECT_EQ(geometry->getOuterLoop().count(), 14);
  EXPECT_EQ(geometry->getInnerLoop().count(), 3);
  // Each copy has rows of one tap.
  EXPECT_EQ(right.countBoxRows(96), 48);
  EXPECT_EQ(right.countBoxRows(160), 16);
}

// A window with a stride skips positions, so that neighbours are images only.
TEST_F(MatrixGeometryTest, StridesKeepPositionsApart) {
  std::optional<TmaGeometry> geometry = compute(getImagesInnermost(2), {});
  ASSERT_TRUE(geometry && geometry->hasMatrices()) << obstacle;
  const TmaMatrix &right = *geometry->rightMatrix;
  expectExtents(right,
                {Extent::Rows, Extent::One, Extent::One, Extent::Reduction});
  EXPECT_EQ(right.dimensions[2].steps,
            (SmallVector<int64_t>{0, 1, 0, 0, 2, 0}));
  EXPECT_EQ(geometry->segmentDigits, (SmallVector<int64_t>{7, 6}));
  EXPECT_EQ(geometry->getInnerLoop().count(), 1);
}

// Slices are parts of lines, which read the same lines of the image.
TEST_F(MatrixGeometryTest, SlicesOfImagesAreOfLines) {
  std::optional<TmaGeometry> geometry =
      compute(getImagesInnermost(1), {.splits = 3});
  ASSERT_TRUE(geometry && geometry->hasMatrices()) << obstacle;
  EXPECT_EQ(geometry->rightMatrix->dimensions[2].steps.front(), 32);
  EXPECT_EQ(geometry->getOuterLoop().count(), 14);
  EXPECT_EQ(geometry->getInnerLoop().count(), 1);
}

// Four slices of lines of 24 elements would not have whole rows, so they are of
// four lines each, the last one of two: the left operand has zeros after these,
// whatever lines of the input a tap finds there.
TEST_F(MatrixGeometryTest, LastSliceOfLinesIsShorter) {
  std::optional<TmaGeometry> geometry =
      compute(getImagesInnermost(1), {.splits = 4});
  ASSERT_TRUE(geometry && geometry->hasMatrices()) << obstacle;
  EXPECT_EQ(geometry->leftMatrix->dimensions[1].steps.front(), 4);
  EXPECT_EQ(geometry->rightMatrix->dimensions[1].steps.front(), 4);
  EXPECT_EQ(geometry->getOuterLoop().count(), 4);
}

// Swizzled boxes start at multiples of 16 bytes: taps of a line may not move
// them by one element. Lines may, and follow each other in one dimension.
TEST_F(MatrixGeometryTest, BoxesStartAtWholeAccesses) {
  EXPECT_FALSE(compute(getPositionsInnermost(3), {}));
  std::optional<TmaGeometry> geometry = compute(getPositionsInnermost(1), {});
  ASSERT_TRUE(geometry && geometry->hasMatrices()) << obstacle;
  const TmaMatrix &right = *geometry->rightMatrix;
  expectExtents(right, {Extent::One, Extent::Rows, Extent::Reduction});
  EXPECT_EQ(right.dimensions[2].steps, (SmallVector<int64_t>{12, 0, 0, 1}));
  EXPECT_EQ(right.dimensions[2].start, -12);
  EXPECT_EQ(geometry->getInnerLoop().count(), 6); // 168 positions.
}

} // namespace

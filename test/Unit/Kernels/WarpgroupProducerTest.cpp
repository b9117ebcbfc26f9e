//===- WarpgroupProducerTest.cpp - what brings the tiles of subproblems ---===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Kernels/WarpgroupGemm/WarpgroupProducer.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Plan/ConvolutionPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A gradient with four dgrad phases: of 2x2, 2x1, 1x2 and 1x1 taps. Taps are
/// neighbours in the filter, but elements of the phase of one tap are only
/// neighbours across its rows.
constexpr StringLiteral kChannelsFirst = R"(
  func.func @f(%dy: tensor<2x48x14x14xf16>, %w: tensor<48x40x3x3xf16>) {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NCHW", "KCRS", "NKPQ">
        : tensor<2x48x14x14xf16>, tensor<48x40x3x3xf16> -> tensor<2x40x28x28xf16>
    return
  })";

/// Likewise, with channels last: 4 bytes are adjacent.
constexpr StringLiteral kChannelsLast = R"(
  func.func @f(%dy: tensor<2x14x14x18xf16>, %w: tensor<18x3x3x40xf16>) {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<2x14x14x18xf16>, tensor<18x3x3x40xf16> -> tensor<2x28x28x40xf16>
    return
  })";

class WarpgroupProducerTest : public testing::Test {
protected:
  WarpgroupProducerTest() {
    context.loadDialect<ConvDialect, func::FuncDialect>();
  }

  /// The products of the op in `text`.
  SmallVector<ViewedProduct> getProducts(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ConvolutionOpInterface op;
    module->walk([&](ConvolutionOpInterface found) { op = found; });
    auto getViewed = [&](ViewAttr view, TensorRole role) {
      auto type = cast<RankedTensorType>(op.getTensor(role).getType());
      return ViewedTensor{view, type,
                          computeContiguousStrides(type.getShape())};
    };
    SmallVector<ViewedProduct> products;
    ConvolutionPlan plan = planConvolution(op, PlanOptions());
    for (const PlanSubproblem &subproblem : plan.steps.front().subproblems)
      products.push_back(
          {getViewed(subproblem.product->lhs, subproblem.product->lhsRole),
           getViewed(subproblem.product->rhs, subproblem.product->rhsRole),
           getViewed(subproblem.target, op.getResultRole())});
    return products;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::string obstacle;
};

/// A tile of one consumer that lanes load.
::conv::WarpgroupTile getTile(int64_t rows, int64_t columns) {
  return {.rows = rows,
          .columns = columns,
          .consumers = 1,
          .producer = ::conv::Producer::Registers};
}

// Neighbouring lanes load rows of the filter for one dgrad phase, and vectors
// of rows for the others. What holds for all is what takes more registers.
TEST_F(WarpgroupProducerTest, LanesOfSubproblemsAreRowsOrVectors) {
  SmallVector<ViewedProduct> products = getProducts(kChannelsFirst);
  ASSERT_EQ(products.size(), 4u);
  SmallVector<::conv::LoadedOperands> each;
  for (const ViewedProduct &product : products)
    each.push_back(*findLoaded(product, obstacle));
  auto haveRows = [](const ::conv::LoadedOperands &one) {
    return one.right.areLanesRows;
  };
  EXPECT_TRUE(llvm::any_of(each, haveRows));
  EXPECT_FALSE(llvm::all_of(each, haveRows));

  ::conv::LoadedOperands all = *findLoaded(products, obstacle);
  EXPECT_FALSE(all.right.areLanesRows);
  EXPECT_TRUE(all.left.areLanesRows);
  for (const ::conv::LoadedOperands &own : each) {
    EXPECT_LE(all.right.loadBytes, own.right.loadBytes);
    EXPECT_GE(all.right.countPositions(64), own.right.countPositions(64));
    EXPECT_GE(all.right.registers, own.right.registers);
    EXPECT_GE(all.left.registers, own.left.registers);
    // A tile that has registers for all has them for each.
    for (int64_t columns : {8, 64, 128, 256})
      EXPECT_LE(all.fits(getTile(64, columns)), own.fits(getTile(64, columns)));
  }
  // Asynchronous copies take 4 adjacent bytes, which no phase has.
  EXPECT_FALSE(findGather(products));
}

// The copies of phases with a padding need registers for coordinates, those of
// the phase without do not: the kernel has as many as any needs.
TEST_F(WarpgroupProducerTest, SubproblemsHaveRegistersForTheWorstPositions) {
  SmallVector<ViewedProduct> products = getProducts(kChannelsLast);
  ASSERT_EQ(products.size(), 4u);
  SmallVector<int64_t> registers;
  for (const ViewedProduct &product : products)
    registers.push_back(findGather(product)->left.registers);
  auto [least, most] = std::minmax_element(registers.begin(), registers.end());
  EXPECT_LT(*least, *most);
  std::optional<::conv::Gather> all = findGather(products);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->left.registers, *most);
  EXPECT_EQ(all->left.copyBytes, 4);
}

// One subproblem that asynchronous copies cannot bring excludes them for all,
// and lanes that load bring both kinds.
TEST_F(WarpgroupProducerTest, AllSubproblemsHaveOneProducer) {
  SmallVector<ViewedProduct> products = getProducts(kChannelsLast);
  llvm::append_range(products, getProducts(kChannelsFirst));
  EXPECT_FALSE(findGather(products));
  EXPECT_TRUE(findLoaded(products, obstacle));
}

} // namespace

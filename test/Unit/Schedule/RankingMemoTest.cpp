//===- RankingMemoTest.cpp - rankings that are asked for again --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/RankingMemo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"

#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A gradient in a context of its own: of a dense layer, whose schedules are
/// candidates, or of a depthwise one, whose best ones are listed.
struct Gradient {
  explicit Gradient(int64_t groups) {
    context.loadDialect<ConvDialect, func::FuncDialect>();
    std::string source = llvm::formatv(
        R"(module attributes {{conv.target = #conv.target<"gfx942">} {{
          func.func @f(%x: tensor<2x14x14x32xf16>, %y: tensor<2x7x7x32xf16>)
              -> tensor<32x3x3x{0}xf16> {{
            %z = conv.backward_weight %x, %y window = <strides = [2, 2],
                dilations = [1, 1], low = [1, 1], high = [1, 1]>
                layouts = <"NHWC", "KRSC", "NPQK"> groups = {1}
                : tensor<2x14x14x32xf16>, tensor<2x7x7x32xf16>
                  -> tensor<32x3x3x{0}xf16>
            return %z : tensor<32x3x3x{0}xf16>
          }
        })",
        32 / groups, groups);
    module = parseSourceString<ModuleOp>(source, &context);
    module->walk([&](ConvolutionOpInterface each) { op = each; });
  }

  const ::conv::ChipInfo &getChip() { return TargetAttr::lookup(op).getInfo(); }
  /// The schedules of a ranking as text.
  std::vector<std::string> print(ArrayRef<RankedSchedule> ranked) {
    std::vector<std::string> texts;
    for (const RankedSchedule &one : ranked)
      texts.push_back(debugString(one.get(&context, getChip())));
    return texts;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ConvolutionOpInterface op;
};

TEST(RankingMemo, RecallsInAnotherContext) {
  for (int64_t groups : {1, 32}) {
    RankingMemo memo;
    std::vector<std::string> all;
    {
      Gradient first(groups);
      EXPECT_TRUE(memo.recall(0, first.op, {}).empty());
      std::vector<RankedSchedule> ranked =
          rankSchedules(first.op, first.getChip());
      memo.remember(0, first.op, {}, ranked);
      all = first.print(ranked);
    }
    Gradient second(groups);
    std::vector<RankedSchedule> recalled = memo.recall(0, second.op, {});
    std::vector<std::string> texts = second.print(recalled);
    // Fewer schedules are kept as text.
    EXPECT_GE(texts.size(), groups == 1 ? all.size() : size_t(16));
    ASSERT_LE(texts.size(), all.size());
    all.resize(texts.size());
    EXPECT_EQ(texts, all);
    EXPECT_EQ(recalled.front().cost.seconds,
              rankSchedules(second.op, second.getChip()).front().cost.seconds);
  }
}

TEST(RankingMemo, RecallsNothingElse) {
  RankingMemo memo;
  Gradient dense(1), depthwise(32);
  memo.remember(0, dense.op, {}, rankSchedules(dense.op, dense.getChip()));
  EXPECT_FALSE(memo.recall(0, dense.op, {}).empty());
  EXPECT_TRUE(memo.recall(1, dense.op, {}).empty());
  EXPECT_TRUE(memo.recall(0, dense.op, Algorithm::ImplicitGemm).empty());
  EXPECT_TRUE(memo.recall(0, depthwise.op, {}).empty());
}

} // namespace

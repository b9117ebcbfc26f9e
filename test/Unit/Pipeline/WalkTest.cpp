//===- WalkTest.cpp - modules on their way down -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each stage starts here from a module that the stages before it might have
// left if they had a defect.
//
//===----------------------------------------------------------------------===//

#include "Walk.h"
#include "ExplainSource.h"
#include "IsolatedModule.h"

#include "conv/Schedule/RankingMemo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

enum class Defect { None, SameNames };

/// A module whose functions no pass has anything to do with.
IsolatedModule createModule(Defect defect) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @layer() { func.return }", &context);
  if (defect == Defect::SameNames)
    module->push_back((*module->getOps<func::FuncOp>().begin()).clone());
  return IsolatedModule::create(*module, "test");
}

/// The error of one stage, which starts with the module; empty if none.
std::string runStage(Stage stage, Defect defect) {
  Walk walk(createModule(defect), Stage(int(stage) - 1));
  if (!walk.isParsed())
    return "not parsed";
  walk.setTarget(*parseTarget("gfx942"));
  return succeeded(walk.runTo(stage, CompileOptions()))
             ? ""
             : walk.getError().message;
}

class LaterStages : public testing::TestWithParam<Stage> {};

// Passes of these stages are not verified one by one.
TEST_P(LaterStages, AreVerifiedWhereTheyEnd) {
  EXPECT_EQ(runStage(GetParam(), Defect::None), "");
  std::string error = runStage(GetParam(), Defect::SameNames);
  // The gpu stage gives modules of kernels the names of functions, too.
  EXPECT_NE(error.find("redefinition of symbol named 'layer"),
            std::string::npos)
      << error;
}

INSTANTIATE_TEST_SUITE_P(Walk, LaterStages,
                         testing::Values(Stage::Linalg, Stage::Tiled,
                                         Stage::Gpu, Stage::Llvm,
                                         Stage::Binary));

/// Whether the llvm and binary stages for a target load AMD's instructions. A
/// module at the gpu stage needs none of them.
bool loadsInstructionsOfAmd(const char *target) {
  Walk walk(createModule(Defect::None), Stage::Gpu);
  walk.setTarget(*parseTarget(target));
  EXPECT_TRUE(succeeded(walk.runTo(Stage::Binary, CompileOptions())));
  return walk.getModule().getContext()->getLoadedDialect<ROCDL::ROCDLDialect>();
}

// Loading a dialect takes about half a millisecond.
TEST(Walk, LoadsTheDialectsOfOneBackEnd) {
  EXPECT_TRUE(loadsInstructionsOfAmd("gfx942"));
  EXPECT_FALSE(loadsInstructionsOfAmd("sm_90a"));
  EXPECT_FALSE(loadsInstructionsOfAmd("host"));
}

/// How the kernels of a module at the conv stage overlap.
std::string explainModule(Defect defect, ExplanationForm form) {
  Walk walk(createModule(defect), Stage::Conv);
  CompileOptions options;
  options.explain = form;
  Target target = *parseTarget("sm_90a");
  walk.setTarget(target);
  return explainTiled(walk, "layer", target, options);
}

// What was explained of the schedules before is wanted all the more.
TEST(Walk, ExplainsWhyAFunctionIsNotTiled) {
  EXPECT_EQ(explainModule(Defect::None, ExplanationForm::Text),
            "launches of @layer for sm_90a\n\n");
  std::string text = explainModule(Defect::SameNames, ExplanationForm::Text);
  EXPECT_TRUE(StringRef(text).starts_with(
      "launches of @layer for sm_90a\nerror       "))
      << text;
  EXPECT_NE(text.find("redefinition of symbol named 'layer'"),
            std::string::npos);
  EXPECT_NE(text.find("(a defect of the compiler"), std::string::npos);
  std::string json = explainModule(Defect::SameNames, ExplanationForm::Json);
  EXPECT_TRUE(StringRef(json).starts_with("{\"error\":\"")) << json;
  EXPECT_TRUE(StringRef(json).ends_with(
      "\"function\":\"layer\",\"target\":\"sm_90a\"}\n"))
      << json;
}

/// A function of one convolution.
std::string createLayer(const std::string &name) {
  return "func.func @" + name + R"((%x: tensor<1x4x4x8xf16>,
      %w: tensor<8x1x1x8xf16>) -> tensor<1x4x4x8xf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1],
        low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<1x4x4x8xf16>, tensor<8x1x1x8xf16> -> tensor<1x4x4x8xf16>
    return %y : tensor<1x4x4x8xf16>
  }
)";
}

SplitSource split(const std::string &text) {
  auto result = splitSource({"test", text}, CompileOptions());
  EXPECT_TRUE(bool(result));
  return result ? std::move(*result) : SplitSource();
}

// Another walk would load all dialects again.
TEST(Walk, GoesOnIfThereIsOneFunction) {
  EXPECT_FALSE(split(createLayer("a") + createLayer("b")).raised);
  SplitSource one = split(createLayer("a"));
  ASSERT_TRUE(one.raised);
  Walk *raised = one.raised.get();
  RankingMemo memo;
  auto lower = [&](std::shared_ptr<Walk> walk) {
    auto lowered =
        lowerPair(one.functions.front(), *parseTarget("gfx942"),
                  CompileOptions(), Exclusion(), memo, std::move(walk));
    EXPECT_TRUE(bool(lowered));
    return lowered ? lowered->walk : nullptr;
  };
  std::shared_ptr<Walk> first = lower(std::move(one.raised));
  EXPECT_EQ(first.get(), raised);
  // The next try starts from the function again.
  std::shared_ptr<Walk> second = lower(nullptr);
  EXPECT_TRUE(second && second != first);
}

} // namespace

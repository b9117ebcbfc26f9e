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
#include "IsolatedModule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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

} // namespace

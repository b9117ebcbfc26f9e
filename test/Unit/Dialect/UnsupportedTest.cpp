//===- UnsupportedTest.cpp - reason codes in diagnostics --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::conv;

namespace {
constexpr Reason kReasons[] = {
    Reason::PaddingMode, Reason::DynamicShape,      Reason::Layout,
    Reason::ElementType, Reason::EpilogueOperation, Reason::NotFusable,
    Reason::Signature,   Reason::Constant,          Reason::ProblemSize,
    Reason::Schedule,    Reason::Prepack,           Reason::NotRunnable};

TEST(Unsupported, ReasonsSurviveTheDiagnostic) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  for (Reason reason : kReasons) {
    std::string text;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      text = diagnostic.str();
      return success();
    });
    emitUnsupported(UnknownLoc::get(&context), reason) << "expects 1: got 2";
    EXPECT_EQ(parseReasonName(text), getReasonName(reason));
    EXPECT_EQ(text,
              ("unsupported (" + getReasonName(reason) + "): expects 1: got 2")
                  .str());
  }
}

TEST(Unsupported, OtherTextHasNoReason) {
  EXPECT_EQ(parseReasonName(""), "");
  EXPECT_EQ(parseReasonName("expects a tensor"), "");
  EXPECT_EQ(parseReasonName("unsupported (no end"), "");
}
} // namespace

//===- RequestTest.cpp - what C callers ask the compiler for --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request.h"

#include <gtest/gtest.h>

using namespace conv;
using compiler::Request;
using mlir::conv::ExplanationForm;

// An explanation ranks all plans again: a fifth of the time of a compilation
// for gfx950, for a text that nobody would read.
TEST(Request, OnlyExplanationsExplain) {
  for (int explainsAsText : {0, 1}) {
    conv_compile_options options = {};
    options.struct_size = sizeof(options);
    options.targets = "gfx942";
    options.explains_as_text = explainsAsText;
    Result<Request> request = Request::read("", 0, &options);
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->options.explain, ExplanationForm::None);
    EXPECT_EQ(request->explanation,
              explainsAsText ? ExplanationForm::Text : ExplanationForm::Json);
  }
}

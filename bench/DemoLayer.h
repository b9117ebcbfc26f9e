//===- DemoLayer.h - the layer that benchmarks measure ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles examples/resnet50_conv3x3.mlir, the layer of tools/demo.sh.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BENCH_DEMOLAYER_H
#define CONV_BENCH_DEMOLAYER_H

#include "conv/Pipeline/Compile.h"
#include "conv/Support/File.h"

namespace conv::bench {

/// Multiplications and additions of the convolution, without its epilogue.
inline constexpr double kDemoFlops = 2.0 * 56 * 56 * 64 * (3 * 3 * 64);

/// Compiles the layer for one target, in the calling thread.
inline Result<artifact::Artifact>
compileDemo(const std::string &target,
            mlir::conv::CompileReport *report = nullptr) {
  Result<std::string> text = readFile(CONV_BENCH_LAYER, 1 << 20);
  if (!text)
    return text.error();
  mlir::conv::CompileOptions options;
  options.targets = {target};
  return mlir::conv::compile({CONV_BENCH_LAYER, *text}, options, report);
}

} // namespace conv::bench

#endif // CONV_BENCH_DEMOLAYER_H

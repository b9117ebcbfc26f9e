//===- GemmFamily.cpp - tiles staged in shared memory ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "StagedBody.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class GemmFamily final : public KernelFamily {
public:
  bool has(MainLoop mainLoop) const override {
    return mainLoop == MainLoop::RegisterStaged ||
           mainLoop == MainLoop::AsyncStaged;
  }

  LogicalResult buildBody(Kernel &kernel,
                          gpu::GPUFuncOp function) const override {
    return createStagedBody(kernel, function);
  }
};
} // namespace

const KernelFamily &mlir::conv::getGemmFamily() {
  static const GemmFamily family;
  return family;
}

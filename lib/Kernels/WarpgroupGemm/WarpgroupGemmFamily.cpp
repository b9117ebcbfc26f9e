//===- WarpgroupGemmFamily.cpp - tiles that a copy engine brings ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Parts/Warpgroup/Warpgroups.h"
#include "TmaKernel.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class WarpgroupGemmFamily final : public KernelFamily {
public:
  bool has(MainLoop mainLoop) const override {
    return mainLoop == MainLoop::Tma;
  }

  FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                     ArrayRef<KernelPart> parts,
                                     const ::conv::ChipInfo &chip,
                                     StringRef name) const override {
    return buildTmaKernel(builder, parts, chip, name);
  }

  void completeCombine(const TiledConvolution &form,
                       const ::conv::ChipInfo &chip,
                       gpu::GPUFuncOp combine) const override {
    joinStream(form, chip, combine);
  }
};
} // namespace

const KernelFamily &mlir::conv::getWarpgroupGemmFamily() {
  static const WarpgroupGemmFamily family;
  return family;
}

//===- WeightStationaryFamily.cpp - filters that stay in shared memory ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Parts/Warpgroup/Warpgroups.h"
#include "WeightStationaryKernel.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class WeightStationaryFamily final : public KernelFamily {
public:
  bool has(MainLoop mainLoop) const override {
    return mainLoop == MainLoop::WeightStationary;
  }

  FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                     ArrayRef<KernelPart> parts,
                                     const ::conv::ChipInfo &chip,
                                     StringRef name) const override {
    return buildWeightStationaryKernel(builder, parts, chip, name);
  }

  void completeCombine(const TiledConvolution &form,
                       const ::conv::ChipInfo &chip,
                       gpu::GPUFuncOp combine) const override {
    joinStream(form, chip, combine);
  }
};
} // namespace

const KernelFamily &mlir::conv::getWeightStationaryFamily() {
  static const WeightStationaryFamily family;
  return family;
}

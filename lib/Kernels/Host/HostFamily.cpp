//===- HostFamily.cpp - tiles in the cache of a thread --------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Models.h"
#include "HostBody.h"
#include "conv/Kernels/CandidateSchedule.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class HostFamily final : public KernelFamily {
public:
  bool has(KernelAttrInterface kernel) const override {
    return isa<HostGemmAttr>(kernel);
  }
  std::vector<StringRef> getLoopNames() const override {
    return {HostGemmAttr::getMnemonic()};
  }

  const ::conv::KernelModel *getModel() const override {
    return &::conv::getHostModel();
  }

  KernelAttrInterface getKernel(MLIRContext *context,
                                const ::conv::Candidate &candidate,
                                ArrayRef<int64_t>) const override {
    return HostGemmAttr::get(context, candidate.workgroup, candidate.subgroup,
                             candidate.gemmK, candidate.stages,
                             getAtom(context, *candidate.atom),
                             getRaster(candidate));
  }

  std::string explainAbsence(StringRef loopName, ConvolutionOpInterface op,
                             const ::conv::ChipInfo &chip) const override {
    return chip.backend == ::conv::Backend::Host ? "no tile fits the chip"
                                                 : "the chip is a GPU";
  }

  LogicalResult buildBody(Kernel &kernel,
                          gpu::GPUFuncOp function) const override {
    return createHostCacheBody(kernel, function);
  }
};
} // namespace

const KernelFamily &mlir::conv::getHostFamily() {
  static const HostFamily family;
  return family;
}

//===- LineBufferFamily.cpp - lines of images in shared memory ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Models.h"
#include "../Parts/Warpgroup/WarpgroupFamily.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/LineBuffer/LineFacts.h"
#include "conv/Kernels/LineBuffer/LineGeometry.h"

#include "LineKernel.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class LineBufferFamily final : public BufferFamily<LineGeometry> {
public:
  bool has(KernelAttrInterface kernel) const override {
    return isa<LineBufferAttr>(kernel);
  }
  std::vector<StringRef> getLoopNames() const override {
    return {LineBufferAttr::getMnemonic()};
  }

  const ::conv::KernelModel *getModel() const override {
    return &::conv::getLineBufferModel();
  }

  KernelAttrInterface getKernel(MLIRContext *context,
                                const ::conv::Candidate &candidate,
                                ArrayRef<int64_t>) const override {
    return LineBufferAttr::get(context, candidate.workgroup, candidate.subgroup,
                               candidate.gemmK, candidate.stages,
                               getAtom(context, *candidate.atom),
                               getRaster(candidate));
  }

private:
  std::optional<LineGeometry>
  computeGeometry(const ViewedProduct &product,
                  std::string &obstacle) const override {
    return computeLineGeometry(product.lhs, product.rhs, product.result,
                               obstacle);
  }

  bool isOwnForm(const PlanOptions &options,
                 const ::conv::Problem &problem) const override {
    return !options.joinsPhases && !problem.hasHaloTiles &&
           !problem.hasChannelRows;
  }

  void addFacts(const LineGeometry &geometry,
                ::conv::Problem &problem) const override {
    ::conv::LineFacts &facts =
        problem.facts.set(::conv::LineFacts{geometry.window});
    facts.areStoredByLanes = geometry.result.form == TmaResult::Form::Lanes;
    if (!geometry.product.reducesPositions)
      return;
    facts.segmentPositions = geometry.product.segmentPositions;
    facts.segments = geometry.product.segments;
  }

  std::string checkMemory(const LineGeometry &geometry, ScheduleAttr schedule,
                          const ::conv::ChipInfo &chip) const override {
    return checkLines(geometry, schedule, chip);
  }

  BuiltKernel buildSubproblem(const PtxBuilder &ptx,
                              const KernelSubproblem &subproblem,
                              const LineGeometry &geometry,
                              const ::conv::ChipInfo &chip,
                              StringRef name) const override {
    return buildLineKernel(ptx, subproblem, geometry, chip, name);
  }
};
} // namespace

const KernelFamily &mlir::conv::getLineBufferFamily() {
  static const LineBufferFamily family;
  return family;
}

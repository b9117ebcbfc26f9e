//===- LineBufferFamily.cpp - lines of images in shared memory ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Parts/Warpgroup/BufferKernel.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/LineBuffer/LineFacts.h"
#include "conv/Kernels/LineBuffer/LineGeometry.h"

#include "../Parts/Warpgroup/Warpgroups.h"
#include "LineKernel.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class LineBufferFamily final : public KernelFamily {
public:
  bool has(MainLoop mainLoop) const override {
    return mainLoop == MainLoop::LineBuffer;
  }

  KernelAttrInterface getKernel(MLIRContext *context,
                                const ::conv::Candidate &candidate,
                                ArrayRef<int64_t>) const override {
    return LineBufferAttr::get(context, candidate.workgroup, candidate.subgroup,
                               candidate.gemmK, candidate.stages,
                               getAtom(context, *candidate.atom),
                               getRaster(candidate));
  }

  std::string explainAbsence(MainLoop mainLoop, ConvolutionOpInterface op,
                             const ::conv::ChipInfo &chip) const override {
    return explainWarpgroupAbsence(
        op, chip, PlanOptions(),
        [](const ViewedProduct &product, std::string &obstacle) {
          const auto &[lhs, rhs, result] = product;
          computeLineGeometry(lhs, rhs, result, obstacle);
        });
  }

  void describe(const PlannedConvolution &planned,
                ::conv::Problem &problem) const override {
    if (planned.options.joinsPhases || problem.hasHaloTiles ||
        problem.hasChannelRows)
      return;
    std::optional<ViewedProduct> product =
        getOnlyProduct(planned.op, planned.plan);
    if (!product)
      return;
    std::string obstacle;
    auto geometry = computeLineGeometry(product->lhs, product->rhs,
                                        product->result, obstacle);
    if (!geometry)
      return;
    ::conv::LineFacts &facts =
        problem.facts.set(::conv::LineFacts{geometry->window});
    if (!geometry->product.reducesPositions)
      return;
    facts.segmentPositions = geometry->product.segmentPositions;
    facts.segments = geometry->product.segments;
  }

  std::string findObstacle(ConvolutionOpInterface op, ScheduleAttr schedule,
                           const ::conv::ChipInfo &chip) const override {
    return findProductObstacle(
        op, schedule, [&](const ViewedProduct &product, std::string &obstacle) {
          const auto &[lhs, rhs, result] = product;
          if (auto geometry = computeLineGeometry(lhs, rhs, result, obstacle))
            obstacle = checkLines(*geometry, schedule, chip);
        });
  }

  FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                     ArrayRef<KernelPart> parts,
                                     const ::conv::ChipInfo &chip,
                                     StringRef name) const override {
    return buildLineKernel(builder, parts, chip, name);
  }

  void completeCombine(const TiledConvolution &form,
                       const ::conv::ChipInfo &chip,
                       gpu::GPUFuncOp combine) const override {
    joinStream(form, chip, combine);
  }
};
} // namespace

const KernelFamily &mlir::conv::getLineBufferFamily() {
  static const LineBufferFamily family;
  return family;
}

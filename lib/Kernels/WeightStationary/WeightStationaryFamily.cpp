//===- WeightStationaryFamily.cpp - filters that stay in shared memory ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Parts/Warpgroup/BufferKernel.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/WeightStationary/WeightStationaryFacts.h"
#include "conv/Kernels/WeightStationary/WeightStationaryGeometry.h"

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

  KernelAttrInterface getKernel(MLIRContext *context,
                                const ::conv::Candidate &candidate,
                                ArrayRef<int64_t> haloTile) const override {
    return WeightStationaryAttr::get(
        context, candidate.workgroup, candidate.subgroup, candidate.gemmK,
        candidate.stages, getAtom(context, *candidate.atom),
        getRaster(candidate), haloTile);
  }

  std::string explainAbsence(MainLoop mainLoop, ConvolutionOpInterface op,
                             const ::conv::ChipInfo &chip) const override {
    return explainWarpgroupAbsence(
        op, chip,
        {.haloTile = {PlanOptions::kBlockSize, PlanOptions::kBlockSize},
         .joinsPhases = true},
        [](const ViewedProduct &product, std::string &obstacle) {
          const auto &[lhs, rhs, result] = product;
          computeWeightStationaryGeometry(lhs, rhs, result, obstacle);
        });
  }

  void describe(const PlannedConvolution &planned,
                ::conv::Problem &problem) const override {
    if (!planned.options.joinsPhases)
      return;
    std::optional<ViewedProduct> product =
        getOnlyProduct(planned.op, planned.plan);
    if (!product)
      return;
    std::string obstacle;
    auto geometry = computeWeightStationaryGeometry(product->lhs, product->rhs,
                                                    product->result, obstacle);
    if (!geometry)
      return;
    const TmaGeometry &tiles = geometry->product;
    problem.facts.set(::conv::WeightStationaryFacts{
        .channels = tiles.window.channels,
        .haloTileBytes = tiles.getHaloTileBytes(),
        .haloTileRows = tiles.getHaloTilePositions(),
        .taps = tiles.window.countTaps()});
  }

  std::string findObstacle(ConvolutionOpInterface op, ScheduleAttr schedule,
                           const ::conv::ChipInfo &chip) const override {
    return findProductObstacle(
        op, schedule, [&](const ViewedProduct &product, std::string &obstacle) {
          const auto &[lhs, rhs, result] = product;
          if (auto geometry =
                  computeWeightStationaryGeometry(lhs, rhs, result, obstacle))
            obstacle = checkHaloTiles(*geometry, schedule, chip);
        });
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

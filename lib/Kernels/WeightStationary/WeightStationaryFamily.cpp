//===- WeightStationaryFamily.cpp - filters that stay in shared memory ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Models.h"
#include "../Parts/Warpgroup/WarpgroupFamily.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/WeightStationary/WeightStationaryFacts.h"
#include "conv/Kernels/WeightStationary/WeightStationaryGeometry.h"

#include "WeightStationaryKernel.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
class WeightStationaryFamily final
    : public BufferFamily<WeightStationaryGeometry> {
public:
  bool has(KernelAttrInterface kernel) const override {
    return isa<WeightStationaryAttr>(kernel);
  }
  std::vector<StringRef> getLoopNames() const override {
    return {WeightStationaryAttr::getMnemonic()};
  }

  const ::conv::KernelModel *getModel() const override {
    return &::conv::getWeightStationaryModel();
  }

  KernelAttrInterface getKernel(MLIRContext *context,
                                const ::conv::Candidate &candidate,
                                ArrayRef<int64_t> haloTile) const override {
    return WeightStationaryAttr::get(
        context, candidate.workgroup, candidate.subgroup, candidate.gemmK,
        candidate.stages, getAtom(context, *candidate.atom),
        getRaster(candidate), haloTile);
  }

private:
  std::optional<WeightStationaryGeometry>
  computeGeometry(const ViewedProduct &product,
                  std::string &obstacle) const override {
    return computeWeightStationaryGeometry(product.lhs, product.rhs,
                                           product.result, obstacle);
  }

  PlanOptions getForm() const override {
    return {.haloTile = {PlanOptions::kBlockSize, PlanOptions::kBlockSize},
            .joinsPhases = true};
  }

  bool isOwnForm(const PlanOptions &options,
                 const ::conv::Problem &problem) const override {
    return options.joinsPhases;
  }

  void addFacts(const WeightStationaryGeometry &geometry,
                ::conv::Problem &problem) const override {
    const TmaGeometry &tiles = geometry.product;
    problem.facts.set(::conv::WeightStationaryFacts{
        .channels = tiles.window.channels,
        .haloTileBytes = tiles.getHaloTileBytes(),
        .haloTileRows = tiles.getHaloTilePositions(),
        .taps = tiles.window.countTaps()});
  }

  std::string checkMemory(const WeightStationaryGeometry &geometry,
                          ScheduleAttr schedule,
                          const ::conv::ChipInfo &chip) const override {
    return checkHaloTiles(geometry, schedule, chip);
  }

  BuiltKernel buildSubproblem(const PtxBuilder &ptx,
                              const KernelSubproblem &subproblem,
                              const WeightStationaryGeometry &geometry,
                              const ::conv::ChipInfo &chip,
                              StringRef name) const override {
    return buildWeightStationaryKernel(ptx, subproblem, geometry, chip, name);
  }
};
} // namespace

const KernelFamily &mlir::conv::getWeightStationaryFamily() {
  static const WeightStationaryFamily family;
  return family;
}

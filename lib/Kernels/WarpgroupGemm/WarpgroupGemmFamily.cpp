//===- WarpgroupGemmFamily.cpp - tiles that a copy engine brings ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Families.h"
#include "../Models.h"
#include "../Parts/Warpgroup/WarpgroupFamily.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/ViewLookup.h"
#include "conv/Kernels/CandidateSchedule.h"
#include "conv/Kernels/DescribeProblem.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Kernels/Parts/Warpgroup/WarpgroupFacts.h"
#include "conv/Numerics/ErrorBound.h"
#include "conv/Plan/OperandForm.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

#include "../Parts/Warpgroup/KeptOperand.h"
#include "WarpgroupKernel.h"
#include "WarpgroupProducer.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether the boxes of a copied result are also boxes of an operand of the
/// epilogue.
static bool hasEpilogueBoxes(ConvolutionOpInterface op,
                             const ViewedTensor &result) {
  return computeTmaResult(result).form != TmaResult::Form::Lanes &&
         llvm::any_of(op.getEpilogueOperands(), [&](Value operand) {
           auto type = cast<RankedTensorType>(operand.getType());
           return hasBoxesOf({result.view, type, getStrides(operand)}, result);
         });
}

/// Whether lanes store neighbouring columns of a row.
static bool storesPairs(const ViewedTensor &result) {
  return computeTmaResult(result).form == TmaResult::Form::Lanes &&
         getDistance(result, result.view.getColumnRoles().back()) == 1;
}

/// Whether a kernel has one product and nothing else.
static bool isAlone(const ConvolutionPlan &plan) {
  auto products = plan.getProducts();
  return products.size() == 1 &&
         products.front().first->subproblems.size() == 1;
}

/// Facts about copies of boxes for all products, with or without halo tiles;
/// none if copies cannot move them.
static std::optional<::conv::WarpgroupFacts>
computeWarpgroupFacts(ConvolutionOpInterface op, const ConvolutionPlan &plan,
                      bool hasHaloTiles) {
  ::conv::WarpgroupFacts facts;
  facts.isFilterGradient = op.getDirection() == Direction::BackwardWeight;
  int64_t largest = 0, total = 0;
  int64_t sharers = std::numeric_limits<int64_t>::max();
  bool hasBoxes = true;
  for (auto [step, subproblem] : plan.getProducts()) {
    std::string obstacle;
    auto [lhs, rhs, result] = getViewedProduct(op, plan, *step, *subproblem);
    std::optional<TmaGeometry> geometry =
        computeTmaGeometry(lhs, rhs, result, obstacle);
    if (!geometry || geometry->hasHaloTiles() != hasHaloTiles)
      return std::nullopt;
    largest = std::max(largest, geometry->countSteps());
    total += geometry->countSteps();
    sharers = std::min(sharers, geometry->getMostWorkgroups());
    facts.isLeftTransposed |= geometry->isLeftTransposed();
    facts.isRightTransposed |= geometry->isRightTransposed();
    facts.reducesPositions |= geometry->reducesPositions;
    facts.hasRowsOfColumns |= geometry->hasRowsOfColumns();
    facts.leftLines = geometry->getLeftLines();
    facts.rightLines = geometry->getRightLines();
    facts.hasGroups |= geometry->window.hasGroups();
    facts.hasMatrices |= geometry->hasMatrices();
    if (geometry->hasMatrices() && geometry->rightMatrix->hasTaps())
      facts.columnsOfTap = geometry->rightMatrix->rows.back();
    facts.atomsPerRow =
        geometry->getMultipliedBytes() / ::conv::WarpgroupTile::kAtomBytes;
    facts.hasVolumes |=
        geometry->window.rank() > 2 && !geometry->hasHaloTiles();
    hasBoxes &= hasEpilogueBoxes(op, result);
    facts.hasStoredPairs |= storesPairs(result);
    if (isAlone(plan))
      facts.reuse = computeTmaReuse(lhs, rhs, *geometry);
    facts.hasStrides |=
        llvm::any_of(geometry->window.dimensions,
                     [](const auto &each) { return each.stride > 1; });
    if (!hasHaloTiles)
      continue;
    facts.haloTile.emplace().bytes = geometry->getHaloTileBytes();
    if (geometry->areTapsRows) {
      facts.haloTile->tapRows = geometry->getTapRows();
    } else if (geometry->reducesPositions) {
      facts.haloTile->columns = geometry->getHaloTileColumns();
    } else {
      facts.haloTile->rows = geometry->getHaloTilePositions();
      facts.haloTile->taps = geometry->window.countTapsOfHaloTile();
    }
  }
  facts.steps = largest;
  facts.totalSteps = total;
  facts.sharers = sharers;
  facts.hasEpilogueBoxes = hasBoxes;
  return facts;
}

static SmallVector<ViewedProduct>
getViewedProducts(ConvolutionOpInterface op, const ConvolutionPlan &plan) {
  SmallVector<ViewedProduct> products;
  for (auto [step, subproblem] : plan.getProducts())
    products.push_back(getViewedProduct(op, plan, *step, *subproblem));
  return products;
}

/// Adds the steps of products of matrices, and how results are stored.
static void
addSteps(ArrayRef<ViewedProduct> products,
         function_ref<TmaGeometry(const ViewedProduct &)> getGeometry,
         ::conv::WarpgroupFacts &facts) {
  facts.hasMatrices = true;
  facts.sharers = std::numeric_limits<int64_t>::max();
  for (const ViewedProduct &product : products) {
    TmaGeometry geometry = getGeometry(product);
    facts.steps = std::max(facts.steps, geometry.countSteps());
    facts.totalSteps += geometry.countSteps();
    facts.sharers = std::min(facts.sharers, geometry.getMostWorkgroups());
    facts.hasStoredPairs |= storesPairs(product.result);
  }
}

/// The facts of a kernel whose operands lanes copy; none if they cannot.
static std::optional<::conv::GatherFacts>
computeGatherFacts(ConvolutionOpInterface op, const ConvolutionPlan &plan) {
  SmallVector<ViewedProduct> products = getViewedProducts(op, plan);
  std::optional<::conv::Gather> gather = findGather(products);
  if (!gather)
    return std::nullopt;
  ::conv::GatherFacts facts;
  facts.gather = *gather;
  facts.hasWholeBoxes = haveWholeBoxes(products);
  facts.hasGroups = op.getGroups() > 1;
  facts.isFilterGradient = op.getDirection() == Direction::BackwardWeight;
  facts.isLeftTransposed = gather->left.isTransposed;
  facts.isRightTransposed = gather->right.isTransposed;
  addSteps(
      products,
      [&](const ViewedProduct &product) {
        return getGatheredGeometry(product, *gather);
      },
      facts);
  return facts;
}

/// The facts of a kernel whose operands lanes load; none if they cannot.
static std::optional<::conv::LoadFacts>
computeLoadFacts(const PlannedConvolution &planned) {
  auto [op, plan, options] = planned;
  SmallVector<ViewedProduct> products = getViewedProducts(op, plan);
  std::string obstacle;
  auto loaded = findLoaded(products, obstacle);
  if (!loaded || products.empty())
    return std::nullopt;
  ::conv::LoadFacts facts;
  facts.loaded = *loaded;
  facts.hasMergedGroups = options.mergedGroups > 1;
  facts.hasGroups = op.getGroups() > 1;
  facts.isFilterGradient = op.getDirection() == Direction::BackwardWeight;
  addSteps(products, getLoadedGeometry, facts);
  return facts;
}

/// Whether instructions truncate their sums, which therefore need promotion to
/// f32.
static bool hasFloat8(ConvolutionOpInterface op) {
  return getOperandNumericType(op) == ::conv::NumericType::F8;
}

/// Why the accumulators of the instructions are too narrow for the convolution;
/// empty if they are not.
static std::string findNarrowSums(ConvolutionOpInterface op) {
  if (!hasFloat8(op) || op.getArithmetic() == Arithmetic::Promoted)
    return "";
  return llvm::formatv("expects promoted arithmetic, since wgmma gives sums of "
                       "8-bit floats 14 bits, but got {0}",
                       stringifyArithmetic(op.getArithmetic()));
}

/// Checks S22 at the convolution.
static std::string findPromotionObstacle(ConvolutionOpInterface op,
                                         ScheduleAttr schedule) {
  if ((schedule.getPromotion() != 0) != hasFloat8(op))
    return llvm::formatv("expects promotion for 8-bit floats and for no other "
                         "operands, but got {0} for {1}",
                         schedule.getPromotion(), getOperandElementType(op));
  return findNarrowSums(op);
}

/// Checks S24 at the products.
static std::string findGatherObstacle(ArrayRef<ViewedProduct> products,
                                      const ::conv::WarpgroupTile &tile) {
  std::optional<::conv::Gather> gather = findGather(products);
  if (!gather)
    return "expects 16-bit operands with 4 adjacent bytes and at least 8 "
           "columns for the producer cp_async, but got others";
  if (gather->fits(tile))
    return "";
  return llvm::formatv("expects a tile whose positions fit {0} registers of "
                       "lanes for the producer cp_async, but got {1} x {2}",
                       tile.positionRegisters(), tile.rows, tile.columns);
}

/// Checks S27 at the products.
static std::string findLoadObstacle(ArrayRef<ViewedProduct> products,
                                    const ::conv::WarpgroupTile &tile) {
  std::string obstacle;
  auto loaded = findLoaded(products, obstacle);
  if (!loaded)
    return obstacle;
  if (loaded->fits(tile))
    return "";
  return llvm::formatv("expects a tile whose positions fit {0} registers of "
                       "lanes for the producer registers, but got {1} x {2}",
                       std::max<int64_t>(loaded->positionRegisters(tile), 0),
                       tile.rows, tile.columns);
}

/// Checks S24 or S27 at the products.
static std::string findProducerObstacle(ArrayRef<ViewedProduct> products,
                                        const ::conv::WarpgroupTile &tile) {
  switch (tile.producer) {
  case ::conv::Producer::CopyEngine:
    return "";
  case ::conv::Producer::AsyncCopies:
    return findGatherObstacle(products, tile);
  case ::conv::Producer::Registers:
    return findLoadObstacle(products, tile);
  }
  return "";
}

/// Why the family cannot compute a product; empty if it can.
static std::string findTmaObstacle(const ViewedProduct &product,
                                   ScheduleAttr schedule,
                                   const ::conv::ChipInfo &chip, bool isAlone) {
  const auto &[lhs, rhs, result] = product;
  std::string obstacle;
  std::optional<TmaGeometry> geometry =
      computeProductGeometry(product, schedule.getProducer(), obstacle);
  if (geometry)
    obstacle = checkWarpgroupTile(*geometry, schedule);
  if (!obstacle.empty())
    return obstacle;
  ::conv::WarpgroupTile tile = getWarpgroupTile(schedule, *geometry);
  if (isAlone && !tile.isGathered() &&
      ::conv::KeptTile(tile, computeTmaReuse(lhs, rhs, *geometry),
                       chip.computeUnits, chip.sharedMemoryBytes)
          .keeps())
    return "";
  return checkTmaMemory(tile, chip);
}

/// The facts of a producer together with what holds for each.
template <typename Facts>
static Facts complete(ConvolutionOpInterface op, const PlanOptions &options,
                      const ::conv::Problem &problem, Facts facts) {
  facts.allows3xTF32 =
      op.getArithmetic() == Arithmetic::F32 &&
      ::conv::is3xTF32WithinBound(computeReductionWithoutZeros(op), facts.steps,
                                  problem.splits);
  if (options.transposed)
    facts.sharers = 1; // S20.
  if (hasFloat8(op) && findNarrowSums(op).empty())
    facts.promotion = ::conv::WarpgroupTile::kMaxPromotion;
  return facts;
}

namespace {
class WarpgroupGemmFamily final : public WarpgroupFamily<TmaGeometry> {
public:
  bool has(KernelAttrInterface kernel) const override {
    return isa<WarpgroupGemmAttr>(kernel);
  }
  std::vector<StringRef> getLoopNames() const override {
    return {WarpgroupGemmAttr::getMnemonic()};
  }

  const ::conv::KernelModel *getModel() const override {
    return &::conv::getWarpgroupGemmModel();
  }

  KernelAttrInterface getKernel(MLIRContext *context,
                                const ::conv::Candidate &candidate,
                                ArrayRef<int64_t> haloTile) const override {
    return WarpgroupGemmAttr::get(
        context, candidate.workgroup, candidate.subgroup, candidate.gemmK,
        candidate.stages, getAtom(context, *candidate.atom),
        getRaster(candidate), haloTile, candidate.cluster, candidate.promotion,
        candidate.producer);
  }

  void describe(const PlannedConvolution &planned,
                ::conv::Problem &problem) const override {
    auto [op, plan, options] = planned;
    // Schedules have a plan with channel rows where these make a difference.
    if (options.joinsPhases ||
        problem.hasChannelRows != dependsOnChannelRows(op, options))
      return;
    std::optional<::conv::WarpgroupFacts> facts =
        computeWarpgroupFacts(op, plan, problem.hasHaloTiles);
    if (facts)
      problem.facts.set(complete(op, options, problem, *facts));
    if (problem.hasHaloTiles)
      return;
    if (auto gathered = computeGatherFacts(op, plan))
      problem.facts.set(complete(op, options, problem, *gathered));
    if (auto loaded = computeLoadFacts(planned))
      problem.facts.set(complete(op, options, problem, *loaded));
  }

  std::string findObstacle(ConvolutionOpInterface op, ScheduleAttr schedule,
                           const ::conv::ChipInfo &chip) const override {
    PlanOptions options = getPlanOptions(schedule);
    if (schedule.getAtom().getKind() == AtomKind::WGMMA3xTF32 &&
        !getWarpgroupFacts(computeProblem(op, options),
                           getWarpgroupTile(schedule))
             .allows3xTF32)
      return llvm::formatv(
          "expects f32 arithmetic and a reduction long enough for the bound of "
          "an f32 sum for {0}, but got {1} and {2}",
          Attribute(schedule.getAtom()),
          stringifyArithmetic(op.getArithmetic()),
          computeReductionWithoutZeros(op));
    if (std::string obstacle = findPromotionObstacle(op, schedule);
        !obstacle.empty())
      return obstacle;
    ConvolutionPlan plan = planConvolution(op, options);
    SmallVector<ViewedProduct> products = getViewedProducts(op, plan);
    if (std::string obstacle =
            findProducerObstacle(products, getWarpgroupTile(schedule));
        !obstacle.empty())
      return obstacle;
    for (const ViewedProduct &product : products) {
      std::string obstacle =
          findTmaObstacle(product, schedule, chip, isAlone(plan));
      if (!obstacle.empty())
        return obstacle;
    }
    return "";
  }

  FailureOr<NextKernel>
  selectNext(ArrayRef<TiledConvolution> forms,
             const ::conv::ChipInfo &chip) const override {
    return selectNextOfTma(forms, chip);
  }

  FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                     ArrayRef<KernelSubproblem> subproblems,
                                     const ::conv::ChipInfo &chip,
                                     StringRef name) const override {
    return buildWarpgroupGemm(builder, subproblems, chip, name);
  }

private:
  std::string explainNarrowSums(ConvolutionOpInterface op) const override {
    return findNarrowSums(op);
  }

  std::optional<TmaGeometry>
  computeGeometry(const ViewedProduct &product,
                  std::string &obstacle) const override {
    // The registers of lanes take every view.
    return computeProductGeometry(product, ::conv::Producer::Registers,
                                  obstacle);
  }
};
} // namespace

const KernelFamily &mlir::conv::getWarpgroupGemmFamily() {
  static const WarpgroupGemmFamily family;
  return family;
}

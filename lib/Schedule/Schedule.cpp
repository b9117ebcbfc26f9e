//===- Schedule.cpp - between ops and candidates ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only translates: convolutions to problems, candidates to attributes and back.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Schedule.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Kernels/LineBuffer/LineGeometry.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Kernels/WeightStationary/WeightStationaryGeometry.h"
#include "conv/Plan/ConvolutionPlan.h"

#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::conv;

static int64_t getBytes(RankedTensorType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Bytes that a product reads of a tensor: less than all if its windows are
/// further apart than they reach.
static double getSeenBytes(ViewAttr view, RankedTensorType type) {
  double seen = double(getBytes(type)) / double(type.getNumElements());
  for (int64_t size : view.getShape())
    seen *= double(size);
  return std::min(seen, double(getBytes(type)));
}

/// Elements of the view that follow each other in memory, along one of its
/// indices, and are inside of the tensor or outside together: those that the
/// innermost coordinates count with one digit each.
static ::conv::Run computeRun(ViewAttr view, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes = view.getDigitSizes();
  SmallVector<ViewAttr::Coordinate> coordinates = view.getCoordinates();
  size_t firstColumn = view.getBatch().size() + view.getRows().size();
  ::conv::Run run;
  for (size_t d = shape.size(); d-- > 0;) {
    const ViewAttr::Coordinate &coordinate = coordinates[d];
    int64_t own = 1, granule = coordinate.constant;
    bool isColumn = run.isAlongReduction;
    for (auto [i, digit, coefficient] :
         llvm::enumerate(sizes, coordinate.coefficients)) {
      if (digit > 1 && coefficient == 1 && own == 1) {
        own = digit;
        isColumn = i >= firstColumn;
      } else if (digit > 1) {
        granule = std::gcd(granule, coefficient);
      }
    }
    if (run.elements == 1)
      run.isAlongReduction = isColumn;
    else if (run.isAlongReduction != isColumn)
      break;
    // What is around this dimension starts at multiples of its size.
    run.elements *= std::gcd(std::gcd(own, granule), shape[d]);
    if (own != shape[d] || granule != 0)
      break;
  }
  return run;
}

/// From an element of a row to that of the next one in memory, if lanes store
/// elements one by one; else 0.
static int64_t computeRowDistance(const ViewedTensor &result) {
  size_t batch = result.view.getBatch().size();
  size_t rows = result.view.getRows().size();
  int64_t row = 0, column = 0;
  for (auto [coordinate, stride] :
       llvm::zip(result.view.getCoordinates(), result.strides)) {
    row += coordinate.coefficients[batch + rows - 1] * stride;
    column += coordinate.coefficients.back() * stride;
  }
  return column == 1 ? 0 : row;
}

/// The same of all products.
static int64_t computeRowDistance(ConvolutionOpInterface op,
                                  const ConvolutionPlan &plan) {
  int64_t largest = 0;
  for (auto [step, part] : plan.getProducts())
    largest = std::max(
        largest,
        computeRowDistance(getViewedProduct(op, plan, *step, *part).result));
  return largest;
}

/// Whether the boxes of a copied result are those of an operand of the
/// epilogue.
static bool hasEpilogueBoxes(ConvolutionOpInterface op,
                             const ViewedTensor &result) {
  return computeTmaResult(result).form != TmaResult::Form::Lanes &&
         llvm::any_of(op.getEpilogueOperands(), [&](Value operand) {
           auto type = cast<RankedTensorType>(operand.getType());
           return hasBoxesOf({result.view, type, getStrides(operand)}, result);
         });
}

/// Fills in what the `tma` main loop makes of all products, or nothing.
static void computeTmaSteps(ConvolutionOpInterface op,
                            const ConvolutionPlan &plan,
                            ::conv::Problem &problem) {
  int64_t largest = 0, total = 0;
  int64_t sharers = std::numeric_limits<int64_t>::max();
  bool hasBoxes = true;
  for (auto [step, part] : plan.getProducts()) {
    std::string obstacle;
    auto [lhs, rhs, result] = getViewedProduct(op, plan, *step, *part);
    std::optional<TmaGeometry> geometry =
        computeTmaGeometry(lhs, rhs, result, obstacle);
    if (!geometry || geometry->hasHaloTiles() != problem.haloTile.has_value())
      return;
    largest = std::max(largest, geometry->countSteps());
    total += geometry->countSteps();
    sharers = std::min(sharers, geometry->getMostWorkgroups());
    problem.isTmaLhsTransposed |= geometry->isLeftTransposed();
    problem.isTmaRhsTransposed |= geometry->isRightTransposed();
    problem.reducesTmaPositions |= geometry->reducesPositions;
    problem.hasTmaRowsOfColumns |= geometry->hasRowsOfColumns();
    problem.tmaLeftLines = geometry->getLeftLines();
    problem.tmaRightLines = geometry->getRightLines();
    problem.hasTmaGroups |= geometry->window.hasGroups();
    if (problem.hasTmaGroups)
      problem.tmaAtomsPerRow =
          geometry->getMultipliedBytes() / ::conv::TmaTile::kAtomBytes;
    problem.hasTmaVolumes |=
        geometry->window.rank() > 2 && !geometry->hasHaloTiles();
    hasBoxes &= hasEpilogueBoxes(op, result);
    problem.hasTmaStrides |=
        llvm::any_of(geometry->window.dimensions,
                     [](const auto &each) { return each.stride > 1; });
    if (!problem.haloTile)
      continue;
    problem.haloTile = {.bytes = geometry->getHaloTileBytes()};
    if (geometry->reducesPositions) {
      problem.haloTile->columns = geometry->getHaloTileColumns();
    } else {
      problem.haloTile->rows = geometry->getHaloTilePositions();
      problem.haloTile->taps = geometry->window.countTapsOfHaloTile();
    }
  }
  problem.tmaSteps = largest;
  problem.tmaTotalSteps = total;
  problem.tmaSharers = sharers;
  problem.hasEpilogueBoxes = hasBoxes;
}

/// The only product of a plan, if its kernel computes nothing else.
static std::optional<ViewedProduct>
getOnlyProduct(ConvolutionOpInterface op, const ConvolutionPlan &plan) {
  auto products = plan.getProducts();
  if (products.size() != 1 || products.front().first->parts.size() != 1)
    return std::nullopt;
  auto [step, part] = products.front();
  return getViewedProduct(op, plan, *step, *part);
}

/// Fills in what the `line_buffer` main loop makes of a plan with one product,
/// if it can compute that.
static void computeLines(ConvolutionOpInterface op, const ConvolutionPlan &plan,
                         ::conv::Problem &problem) {
  std::optional<ViewedProduct> product = getOnlyProduct(op, plan);
  if (!product)
    return;
  std::string obstacle;
  auto geometry = computeLineGeometry(product->lhs, product->rhs,
                                      product->result, obstacle);
  if (!geometry)
    return;
  problem.lines = geometry->window;
  if (!geometry->product.reducesPositions)
    return;
  problem.lineSegmentPositions = geometry->product.segmentPositions;
  problem.lineSegments = geometry->product.segments;
}

/// The same for the `weight_stationary` main loop.
static void computeHaloTiles(ConvolutionOpInterface op,
                             const ConvolutionPlan &plan,
                             ::conv::Problem &problem) {
  std::optional<ViewedProduct> product = getOnlyProduct(op, plan);
  if (!product)
    return;
  std::string obstacle;
  auto geometry = computeWeightStationaryGeometry(product->lhs, product->rhs,
                                                  product->result, obstacle);
  if (!geometry)
    return;
  problem.haloTile = {.bytes = geometry->product.getHaloTileBytes(),
                      .rows = geometry->product.getHaloTilePositions(),
                      .taps = geometry->product.window.countTaps()};
  problem.bufferedChannels = geometry->product.window.channels;
}

/// Whether positions that are reduced, and are not those of the tensor, have to
/// be divided into their coordinates.
static bool takesDivisions(ConvolutionOpInterface op, TensorRole role) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  auto areOne = [](ArrayRef<int64_t> sizes) {
    return llvm::all_of(sizes, [](int64_t size) { return size == 1; });
  };
  bool areSame = shape.input == shape.output && areOne(shape.filter) &&
                 areOne(shape.strides);
  return op.getDirection() == Direction::BackwardWeight &&
         role == TensorRole::Input && !areSame &&
         !llvm::all_of(shape.output,
                       [](int64_t size) { return llvm::isPowerOf2_64(size); });
}

/// Sets what a problem has of its largest product.
static void setProduct(ConvolutionOpInterface op, const MatrixProduct &product,
                       ::conv::Problem &problem) {
  RankedTensorType lhs = op.getTensor(product.lhsRole).getType();
  RankedTensorType rhs = op.getTensor(product.rhsRole).getType();
  problem.batch = product.lhs.getShape()[0];
  problem.rows = product.lhs.getShape()[1];
  problem.columns = product.rhs.getShape()[1];
  problem.reduction = product.lhs.getShape()[2];
  problem.lhsBytes = getSeenBytes(product.lhs, lhs);
  problem.rhsBytes = getSeenBytes(product.rhs, rhs);
  problem.lhsRun = computeRun(product.lhs, lhs.getShape());
  problem.rhsRun = computeRun(product.rhs, rhs.getShape());
  problem.lhsRun.takesDivisions = takesDivisions(op, product.lhsRole);
  problem.rhsRun.takesDivisions = takesDivisions(op, product.rhsRole);
}

std::vector<::conv::ResultShape>
mlir::conv::getResultShapes(const PlanStep &step) {
  std::vector<::conv::ResultShape> shapes;
  for (const PlanPart &part : step.parts) {
    auto [batch, rows, columns] = part.target.getShape();
    shapes.push_back({batch, rows, columns});
  }
  return shapes;
}

::conv::Problem mlir::conv::computeProblem(ConvolutionOpInterface op,
                                           const PlanOptions &options) {
  ConvolutionPlan plan = planConvolution(op, options);
  const PlanPart &largest = plan.getLargestProduct();
  ::conv::Problem problem;
  if (largest.product) {
    setProduct(op, *largest.product, problem);
    problem.products = plan.getProducts().size();
  } else {
    // A gradient of windows that see only padding: zeros are written.
    problem.rows = largest.target.getShape()[1];
    problem.columns = largest.target.getShape()[2];
  }
  problem.storedRowDistance = computeRowDistance(op, plan);
  problem.splits = options.splits;
  problem.launches = plan.steps.size();
  for (const PlanStep &step : plan.steps)
    problem.launchResults.push_back(getResultShapes(step));
  problem.operand = getOperandNumericType(op);
  problem.result = *getNumericType(op.getResultType().getElementType());
  problem.resultBytes = static_cast<double>(getBytes(op.getResultType()));
  for (Value operand : op.getEpilogueOperands())
    problem.epilogueBytes += static_cast<double>(
        getBytes(cast<RankedTensorType>(operand.getType())));
  for (ArrayRef<int64_t> shape : plan.intermediates)
    problem.intermediateBytes += static_cast<double>(
        getBytes(RankedTensorType::get(shape, getAccumulatorType(op))));
  problem.usefulFlops = ConvolutionShape::get(op).computeFlops();
  if (!options.haloTile.empty())
    problem.haloTile.emplace();
  if (options.joinsPhases) {
    computeHaloTiles(op, plan, problem);
    return problem;
  }
  bool canHaveRows = canHaveChannelRows(op, options);
  problem.hasChannelRows = options.hasChannelRows && canHaveRows;
  // Where columns can have rows of channels, tiles that are copied have them.
  if (problem.hasChannelRows == canHaveRows)
    computeTmaSteps(op, plan, problem);
  problem.allows3xTF32 =
      op.getArithmetic() == Arithmetic::F32 &&
      ::conv::is3xTF32WithinBound(computeReduction(op), problem.tmaSteps,
                                  problem.splits);
  if (!problem.haloTile && !problem.hasChannelRows)
    computeLines(op, plan, problem);
  return problem;
}

AtomKind mlir::conv::getAtomKind(::conv::AtomKind kind) {
  switch (kind) {
  case ::conv::AtomKind::MFMA:
    return AtomKind::MFMA;
  case ::conv::AtomKind::WMMA:
    return AtomKind::WMMA;
  case ::conv::AtomKind::FMA:
    return AtomKind::FMA;
  case ::conv::AtomKind::MMASync:
    return AtomKind::MMASync;
  case ::conv::AtomKind::WGMMA:
    return AtomKind::WGMMA;
  case ::conv::AtomKind::WGMMA3xTF32:
    return AtomKind::WGMMA3xTF32;
  }
  llvm_unreachable("every kind of atom has an attribute");
}

static constexpr std::pair<::conv::LoopKind, MainLoop> kMainLoops[] = {
    {::conv::LoopKind::RegisterStaged, MainLoop::RegisterStaged},
    {::conv::LoopKind::AsyncStaged, MainLoop::AsyncStaged},
    {::conv::LoopKind::HostCache, MainLoop::HostCache},
    {::conv::LoopKind::Tma, MainLoop::Tma},
    {::conv::LoopKind::LineBuffer, MainLoop::LineBuffer},
    {::conv::LoopKind::WeightStationary, MainLoop::WeightStationary},
};

static MainLoop getMainLoop(::conv::LoopKind kind) {
  return llvm::find_if(kMainLoops,
                       [&](const auto &pair) { return pair.first == kind; })
      ->second;
}

static ::conv::LoopKind getLoopKind(MainLoop mainLoop) {
  return llvm::find_if(
             kMainLoops,
             [&](const auto &pair) { return pair.second == mainLoop; })
      ->first;
}

ScheduleAttr mlir::conv::getSchedule(MLIRContext *context,
                                     const ::conv::Candidate &candidate,
                                     const PlanOptions &options,
                                     const ::conv::ChipInfo &chip,
                                     ChosenBy chosenBy) {
  const ::conv::MatrixAtom &atom = *candidate.atom;
  return ScheduleAttr::get(
      context, Algorithm::ImplicitGemm, candidate.workgroup, candidate.subgroup,
      candidate.gemmK, candidate.stages,
      AtomAttr::get(context, getAtomKind(atom.kind), atom.m, atom.n, atom.k),
      getMainLoop(candidate.loop),
      candidate.columnsFastest ? Raster::Columns : Raster::Rows,
      /*outputTile=*/{}, options.haloTile, options.mergedGroups, options.splits,
      candidate.cluster, options.transposed, /*layouts=*/nullptr,
      /*channelMultiple=*/1, chosenBy);
}

::conv::Candidate mlir::conv::getCandidate(ScheduleAttr schedule,
                                           const ::conv::ChipInfo &chip,
                                           Type elementType) {
  ArrayRef<int64_t> workgroup = schedule.getWorkgroup();
  ArrayRef<int64_t> subgroup = schedule.getSubgroup();
  return {.atom = lookupAtom(chip, schedule.getAtom(), elementType),
          .workgroup = {workgroup[0], workgroup[1]},
          .subgroup = {subgroup[0], subgroup[1]},
          .gemmK = schedule.getGemmK(),
          .stages = schedule.getStages(),
          .columnsFastest = schedule.getRaster() == Raster::Columns,
          .cluster = schedule.getCluster(),
          .loop = getLoopKind(schedule.getMainLoop())};
}

//===- Schedule.cpp - between ops and candidates -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only translates, and checks what a main loop needs of a schedule beyond what
// the attribute and the chip say: whole 16-byte fragments and rows that can be
// swizzled.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Schedule.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/ConvolutionPlan.h"
#include "conv/Dialect/Conv/IR/LineGeometry.h"
#include "conv/Dialect/Conv/IR/TmaGeometry.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Schedule/DirectModel.h"
#include "conv/Support/IntegerMath.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

static int64_t getBytes(RankedTensorType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
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

/// Fills in what the `tma` main loop makes of all products, or nothing.
static void computeTmaSteps(ConvolutionOpInterface op,
                            const ConvolutionPlan &plan,
                            ::conv::Problem &problem) {
  int64_t largest = 0, total = 0;
  for (auto [step, part] : plan.getProducts()) {
    std::string obstacle;
    auto [lhs, rhs, result] = getViewedProduct(op, plan, *step, *part);
    std::optional<TmaGeometry> geometry =
        computeTmaGeometry(lhs, rhs, result, obstacle);
    if (!geometry || geometry->hasPatches() != problem.patch.has_value())
      return;
    largest = std::max(largest, geometry->countSteps());
    total += geometry->countSteps();
    problem.isTmaRhsTransposed |= geometry->isRightTransposed();
    if (problem.patch)
      problem.patch = {geometry->getPatchRows(), geometry->getPatchBytes(),
                       geometry->getInnerLoop().count()};
  }
  problem.tmaSteps = largest;
  problem.tmaTotalSteps = total;
}

/// Fills in what the `line_buffer` main loop makes of a plan with one product,
/// if it can compute that.
static void computeLines(ConvolutionOpInterface op, const ConvolutionPlan &plan,
                         ::conv::Problem &problem) {
  const PlanStep &step = plan.steps.front();
  if (step.parts.size() != 1 || !step.parts.front().product ||
      problem.products != 1)
    return;
  std::string obstacle;
  auto [lhs, rhs, result] =
      getViewedProduct(op, plan, step, step.parts.front());
  auto geometry = computeLineGeometry(lhs, rhs, result, obstacle);
  if (!geometry)
    return;
  problem.lines = geometry->window;
  if (!geometry->product.reducesPositions)
    return;
  problem.lineSegmentPositions = geometry->product.segmentPositions;
  problem.lineSegments = geometry->product.segments;
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
  problem.lhsBytes = static_cast<double>(getBytes(lhs));
  problem.rhsBytes = static_cast<double>(getBytes(rhs));
  problem.lhsRun = computeRun(product.lhs, lhs.getShape());
  problem.rhsRun = computeRun(product.rhs, rhs.getShape());
}

static std::vector<::conv::ResultShape> getResultShapes(const PlanStep &step) {
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
  problem.launches = plan.steps.size();
  for (const PlanStep &step : plan.steps)
    problem.launchResults.push_back(getResultShapes(step));
  problem.operand = getOperandNumericType(op);
  problem.result = *getNumericType(op.getResultType().getElementType());
  problem.resultBytes = static_cast<double>(getBytes(op.getResultType()));
  for (Value operand : op.getTailOperands())
    problem.tailBytes += static_cast<double>(
        getBytes(cast<RankedTensorType>(operand.getType())));
  for (ArrayRef<int64_t> shape : plan.intermediates)
    problem.intermediateBytes += static_cast<double>(
        getBytes(RankedTensorType::get(shape, getAccumulatorType(op))));
  problem.usefulFlops = ConvolutionShape::get(op).computeFlops();
  if (!options.patch.empty())
    problem.patch.emplace();
  computeTmaSteps(op, plan, problem);
  if (!problem.patch)
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
  }
  llvm_unreachable("every kind of atom has an attribute");
}

static constexpr std::pair<::conv::LoopKind, MainLoop> kMainLoops[] = {
    {::conv::LoopKind::RegisterStaged, MainLoop::RegisterStaged},
    {::conv::LoopKind::AsyncStaged, MainLoop::AsyncStaged},
    {::conv::LoopKind::HostCache, MainLoop::HostCache},
    {::conv::LoopKind::Tma, MainLoop::Tma},
    {::conv::LoopKind::LineBuffer, MainLoop::LineBuffer},
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
      candidate.columnsFastest ? Raster::Columns : Raster::Rows, options.patch,
      options.mergedGroups, options.splits, chosenBy);
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
          .loop = getLoopKind(schedule.getMainLoop())};
}

/// Checks what main loops need that stage tiles in shared memory by work-items.
static LogicalResult verifyStaged(ConvolutionOpInterface op,
                                  ScheduleAttr schedule,
                                  const ::conv::ChipInfo &chip,
                                  const ::conv::MatrixAtom &atom) {
  auto refuse = [&] { return emitUnsupported(op.getLoc(), Reason::Schedule); };
  // A lane reads 16 bytes of a row at a time, and a row's pieces are permuted
  // by exclusive-or with the number of the row.
  int64_t granule = ::conv::reductionGranule(atom);
  int64_t gemmK = schedule.getGemmK();
  if (gemmK % granule || !llvm::isPowerOf2_64(gemmK / granule))
    return refuse() << "expects gemm_k to be " << granule
                    << " times a power of two for " << schedule.getAtom()
                    << ", but got " << gemmK;
  if (schedule.getMainLoop() == MainLoop::RegisterStaged)
    return success();
  // S16.
  int64_t bytes = ::conv::byteSize(atom.operand);
  ::conv::Problem problem = computeProblem(op, getPlanOptions(schedule));
  if (::conv::copiesAsync(chip, problem.lhsRun, bytes) ||
      ::conv::copiesAsync(chip, problem.rhsRun, bytes))
    return success();
  return refuse()
         << "expects an operand with " << chip.asyncCopyBytes
         << " bytes or more next to each other along the reduction for "
            "async_staged";
}

/// Why a main loop of warpgroups cannot compute a product; empty if it can.
static std::string findObstacle(const ViewedProduct &product,
                                ScheduleAttr schedule,
                                const ::conv::ChipInfo &chip) {
  const auto &[lhs, rhs, result] = product;
  std::string obstacle;
  if (schedule.getMainLoop() == MainLoop::Tma) {
    if (auto geometry = computeTmaGeometry(lhs, rhs, result, obstacle)) {
      ::conv::TmaTile tile = getTmaTile(schedule, *geometry);
      obstacle = checkTmaTile(*geometry, tile);
      return obstacle.empty() ? checkTmaMemory(tile, chip) : obstacle;
    }
  } else if (auto geometry = computeLineGeometry(lhs, rhs, result, obstacle)) {
    return checkLines(*geometry, schedule, chip);
  }
  return obstacle;
}

/// Checks what the main loops of warpgroups need of every product.
static LogicalResult verifyProducts(ConvolutionOpInterface op,
                                    ScheduleAttr schedule,
                                    const ::conv::ChipInfo &chip) {
  ConvolutionPlan plan = planConvolution(op, getPlanOptions(schedule));
  for (auto [step, part] : plan.getProducts()) {
    std::string obstacle =
        findObstacle(getViewedProduct(op, plan, *step, *part), schedule, chip);
    if (schedule.getMainLoop() == MainLoop::LineBuffer &&
        step->parts.size() > 1)
      obstacle = llvm::formatv("expects one part in each kernel, but got {0}",
                               step->parts.size());
    if (!obstacle.empty())
      return emitUnsupported(op.getLoc(), Reason::Schedule) << obstacle;
  }
  return success();
}

/// Checks what main loops of matrix instructions need beyond S1 to S10.
static LogicalResult verifyImplicitGemm(ConvolutionOpInterface op,
                                        ScheduleAttr schedule,
                                        const ::conv::ChipInfo &chip) {
  const ::conv::MatrixAtom &atom =
      *lookupAtom(chip, schedule.getAtom(), getOperandElementType(op));
  ::conv::NumericType operand = getOperandNumericType(op);
  if (atom.operand != getMultipliedType(chip, operand))
    return emitUnsupported(op.getLoc(), Reason::Schedule)
           << "expects an atom that multiplies " << ::conv::getName(operand)
           << ", but got " << schedule.getAtom();
  if (atom.kind == ::conv::AtomKind::WGMMA)
    return verifyProducts(op, schedule, chip);
  if (chip.backend == ::conv::Backend::Host)
    return success();
  return verifyStaged(op, schedule, chip, atom);
}

/// Checks D1 to D6.
static LogicalResult verifyDirect(ConvolutionOpInterface op,
                                  ScheduleAttr schedule,
                                  const ::conv::ChipInfo &chip) {
  std::string obstacle;
  if (computeDirectCost(op, schedule, chip, obstacle))
    return success();
  return emitUnsupported(op.getLoc(), Reason::Schedule) << obstacle;
}

LogicalResult
mlir::conv::verifySupportedSchedule(ConvolutionOpInterface op,
                                    ScheduleAttr schedule,
                                    const ::conv::ChipInfo &chip) {
  auto refuse = [&] { return emitUnsupported(op.getLoc(), Reason::Schedule); };
  Type elementType = getOperandElementType(op);
  if (failed(verifyScheduleForChip(refuse, schedule, chip, elementType)))
    return failure();
  // S11.
  if (op.getGroups() % schedule.getMergedGroups())
    return refuse() << "expects merged_groups to divide the " << op.getGroups()
                    << " groups, but got " << schedule.getMergedGroups();
  // S12.
  if (schedule.getSplits() > getSplittableSize(op))
    return refuse() << "expects splits to be at most " << getSplittableSize(op)
                    << ", but got " << schedule.getSplits();
  if (failed(schedule.isDirect() ? verifyDirect(op, schedule, chip)
                                 : verifyImplicitGemm(op, schedule, chip)))
    return failure();

  int64_t workItems =
      schedule.isDirect()
          ? schedule.getNumSubgroups() * chip.subgroupSize
          : ::conv::computeWorkItems(chip,
                                     getCandidate(schedule, chip, elementType));
  for (const PlanStep &step :
       planConvolution(op, getPlanOptions(schedule)).steps) {
    std::vector<::conv::ResultShape> parts = getResultShapes(step);
    const PlanPart &first = step.parts.front();
    auto tile =
        schedule.getTile(first.product.has_value(), parts.front().columns);
    if (::conv::fitsLaunch(parts, tile, workItems))
      continue;
    auto diagnostic = emitUnsupported(op.getLoc(), Reason::ProblemSize);
    diagnostic << "expects at most " << ::conv::computeMaxWorkgroups(workItems)
               << " workgroups of " << workItems << " work-items, but got ";
    llvm::interleave(
        parts, diagnostic,
        [&](const ::conv::ResultShape &shape) {
          diagnostic << ::conv::ceilDiv(shape.batch, tile[0]) << " x "
                     << ::conv::ceilDiv(shape.rows, tile[1]) << " x "
                     << ::conv::ceilDiv(shape.columns, tile[2]);
        },
        " + ");
    return diagnostic;
  }
  return success();
}

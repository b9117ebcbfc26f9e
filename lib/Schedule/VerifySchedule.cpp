//===- VerifySchedule.cpp - whether a schedule fits a convolution ---------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule needs of the chip and of every product of a convolution: each
// refusal says what was expected.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Schedule.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Kernels/Direct/DirectModel.h"
#include "conv/Kernels/LineBuffer/LineGeometry.h"
#include "conv/Kernels/Parts/Warpgroup/TmaGeometry.h"
#include "conv/Kernels/WeightStationary/WeightStationaryGeometry.h"
#include "conv/Plan/ConvolutionPlan.h"
#include "conv/Plan/OperandForm.h"
#include "conv/Support/IntegerMath.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

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

/// Why the `tma` main loop cannot compute a product; empty if it can.
static std::string findTmaObstacle(const ViewedProduct &product,
                                   ScheduleAttr schedule,
                                   const ::conv::ChipInfo &chip) {
  const auto &[lhs, rhs, result] = product;
  std::string obstacle;
  if (auto geometry = computeTmaGeometry(lhs, rhs, result, obstacle)) {
    obstacle = checkTmaTile(*geometry, schedule);
    return obstacle.empty()
               ? checkTmaMemory(getTmaTile(schedule, *geometry), chip)
               : obstacle;
  }
  return obstacle;
}

/// The same for main loops whose filter stays in shared memory.
static std::string findBufferObstacle(const ViewedProduct &product,
                                      const PlanStep &step,
                                      ScheduleAttr schedule,
                                      const ::conv::ChipInfo &chip) {
  const auto &[lhs, rhs, result] = product;
  if (step.parts.size() > 1)
    return llvm::formatv("expects one part in each kernel, but got {0}",
                         step.parts.size());
  std::string obstacle;
  if (schedule.getMainLoop() == MainLoop::LineBuffer) {
    if (auto geometry = computeLineGeometry(lhs, rhs, result, obstacle))
      return checkLines(*geometry, schedule, chip);
  } else if (auto geometry =
                 computeWeightStationaryGeometry(lhs, rhs, result, obstacle)) {
    return checkHaloTiles(*geometry, schedule, chip);
  }
  return obstacle;
}

/// Checks what the main loops of warpgroups need of every product.
static LogicalResult verifyProducts(ConvolutionOpInterface op,
                                    ScheduleAttr schedule,
                                    const ::conv::ChipInfo &chip) {
  ConvolutionPlan plan = planConvolution(op, getPlanOptions(schedule));
  for (auto [step, part] : plan.getProducts()) {
    ViewedProduct product = getViewedProduct(op, plan, *step, *part);
    std::string obstacle =
        schedule.getMainLoop() == MainLoop::Tma
            ? findTmaObstacle(product, schedule, chip)
            : findBufferObstacle(product, *step, schedule, chip);
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
  if (atom.kind == ::conv::AtomKind::WGMMA3xTF32 &&
      !computeProblem(op, getPlanOptions(schedule)).allows3xTF32)
    return emitUnsupported(op.getLoc(), Reason::Schedule)
           << "expects f32 arithmetic and a reduction long enough for the "
              "bound "
              "of an f32 sum for "
           << schedule.getAtom() << ", but got "
           << stringifyArithmetic(op.getArithmetic()) << " and "
           << computeReduction(op);
  if (::conv::isWarpgroupAtom(atom.kind))
    return verifyProducts(op, schedule, chip);
  if (chip.backend == ::conv::Backend::Host)
    return success();
  return verifyStaged(op, schedule, chip, atom);
}

/// Checks D1 to D9.
static LogicalResult verifyDirect(ConvolutionOpInterface op,
                                  ScheduleAttr schedule,
                                  const ::conv::ChipInfo &chip) {
  std::string obstacle;
  if (computeDirectCost(op, schedule, chip, obstacle))
    return success();
  return emitUnsupported(op.getLoc(), Reason::Schedule) << obstacle;
}

/// The same for a convolution that has the form of its schedule.
static LogicalResult verifyInForm(ConvolutionOpInterface op,
                                  ScheduleAttr schedule,
                                  const ::conv::ChipInfo &chip) {
  auto refuse = [&] { return emitUnsupported(op.getLoc(), Reason::Schedule); };
  Type elementType = getOperandElementType(op);
  if (failed(verifyScheduleForChip(refuse, schedule, chip, elementType)))
    return failure();
  // S20.
  if (std::string obstacle = findTransposedObstacle(op);
      schedule.getTransposed() && !obstacle.empty())
    return refuse() << obstacle;
  // S11.
  if (op.getGroups() % schedule.getMergedGroups())
    return refuse() << "expects merged_groups to divide the " << op.getGroups()
                    << " groups, but got " << schedule.getMergedGroups();
  // S12.
  if (int64_t size = getSplittableSize(op, getPlanOptions(schedule));
      schedule.getSplits() > size)
    return refuse() << "expects splits to be at most " << size << ", but got "
                    << schedule.getSplits();
  if (failed(schedule.isDirect() ? verifyDirect(op, schedule, chip)
                                 : verifyImplicitGemm(op, schedule, chip)))
    return failure();

  int64_t workItems =
      schedule.isDirect()
          ? schedule.getNumSubgroups() * chip.subgroupSize
          : ::conv::computeWorkItems(
                chip, getCandidate(schedule, chip, elementType)) *
                schedule.getCluster(); // Those of a tile.
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
               << (schedule.getCluster() == 1 ? " workgroups" : " clusters")
               << " of " << workItems << " work-items, but got ";
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

LogicalResult
mlir::conv::verifySupportedSchedule(ConvolutionOpInterface op,
                                    ScheduleAttr schedule,
                                    const ::conv::ChipInfo &chip) {
  // S19, S21.
  std::string obstacle = OperandForm::get(schedule).findObstacle(op);
  if (!obstacle.empty())
    return emitUnsupported(op.getLoc(), Reason::Schedule) << obstacle;
  LogicalResult result = success();
  visitInForm(op, schedule,
              [&](ConvolutionOpInterface own, ArrayRef<Operation *>) {
                result = verifyInForm(own, schedule.getProductSchedule(), chip);
              });
  return result;
}

//===- VerifySchedule.cpp - checks a schedule for a convolution -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks what a schedule requires of the chip and of every product of a
// convolution. Each refusal says what was expected.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Schedule.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Kernels/KernelFamily.h"
#include "conv/Kernels/TransformLaunch.h"
#include "conv/Plan/OperandForm.h"
#include "conv/Support/IntegerMath.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Work-items of a workgroup that multiplies with atoms.
static int64_t countWorkItems(ScheduleAttr schedule,
                              const ::conv::ChipInfo &chip, Type elementType) {
  ::conv::Candidate candidate = getCandidate(schedule, chip, elementType);
  return candidate.model->countWorkItems(chip, candidate);
}

/// Checks that the atom multiplies operands of this type.
static LogicalResult verifyAtom(ConvolutionOpInterface op,
                                ScheduleAttr schedule,
                                const ::conv::ChipInfo &chip) {
  const ::conv::MatrixAtom &atom =
      *lookupAtom(chip, schedule.getAtom(), getOperandElementType(op));
  ::conv::NumericType operand = getOperandNumericType(op);
  if (atom.operand == getMultipliedType(chip, operand))
    return success();
  return emitUnsupported(op.getLoc(), Reason::Schedule)
         << "expects an atom that multiplies " << ::conv::getName(operand)
         << ", but got " << schedule.getAtom();
}

/// Checks the schedule of a convolution that is already in that form.
static LogicalResult verifyInForm(ConvolutionOpInterface op,
                                  ScheduleAttr schedule,
                                  const ::conv::ChipInfo &chip) {
  auto refuse = [&] { return emitUnsupported(op.getLoc(), Reason::Schedule); };
  Type elementType = getOperandElementType(op);
  if (failed(verifyScheduleForChip(refuse, schedule, chip, elementType)))
    return failure();
  // S20.
  if (std::string obstacle = findTransposedObstacle(op, schedule.getHaloTile());
      schedule.getTransposed() && !obstacle.empty())
    return refuse() << obstacle;
  // S11.
  if (op.getGroups() % schedule.getMergedGroups())
    return refuse() << "expects merged_groups to divide the " << op.getGroups()
                    << " groups, but got " << schedule.getMergedGroups();
  // S12.
  if (std::string obstacle = findSplitObstacle(op, getPlanOptions(schedule));
      !obstacle.empty())
    return refuse() << obstacle;
  const KernelFamily &family = getKernelFamily(schedule);
  if (family.hasModel() && failed(verifyAtom(op, schedule, chip)))
    return failure();
  std::string obstacle = family.findObstacle(op, schedule, chip);
  if (!obstacle.empty())
    return refuse() << obstacle;

  int64_t workItems = family.hasModel()
                          ? countWorkItems(schedule, chip, elementType) *
                                schedule.getCluster() // Per tile.
                          : schedule.getNumSubgroups() * chip.subgroupSize;
  for (const PlanStep &step :
       planConvolution(op, getPlanOptions(schedule)).steps) {
    std::vector<::conv::ResultShape> parts = getResultShapes(step);
    const PlanSubproblem &first = step.subproblems.front();
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

LogicalResult mlir::conv::verifyTransforms(ConvolutionOpInterface op,
                                           ScheduleAttr schedule,
                                           const ::conv::ChipInfo &chip) {
  std::string obstacle;
  visitInForm(op, schedule,
              [&](ConvolutionOpInterface, ArrayRef<Operation *> transforms) {
                for (Operation *transform : transforms)
                  if (obstacle.empty())
                    obstacle = findLaunchObstacle(transform, chip);
              });
  if (obstacle.empty())
    return success();
  return emitUnsupported(op.getLoc(), Reason::ProblemSize) << obstacle;
}

LogicalResult
mlir::conv::verifySupportedSchedule(ConvolutionOpInterface op,
                                    ScheduleAttr schedule,
                                    const ::conv::ChipInfo &chip) {
  // S19, S21, S23, S25.
  std::string obstacle = OperandForm::get(schedule).findObstacle(op);
  if (!obstacle.empty())
    return emitUnsupported(op.getLoc(), Reason::Schedule) << obstacle;
  LogicalResult result = success();
  visitInForm(op, schedule,
              [&](ConvolutionOpInterface own, ArrayRef<Operation *>) {
                result = verifyInForm(own, schedule.getProductSchedule(), chip);
              });
  return failure(failed(result) ||
                 failed(verifyTransforms(op, schedule, chip)));
}

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
#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Workgroups and work-items of one launch, as drivers count them.
static constexpr int64_t kMaxWorkgroups = std::numeric_limits<int32_t>::max();
static constexpr int64_t kMaxWorkItems = std::numeric_limits<uint32_t>::max();

static int64_t getBytes(RankedTensorType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// The size of dimension `fromInnermost`, or 1 if there are fewer.
static int64_t getInner(ArrayRef<int64_t> sizes, size_t fromInnermost) {
  return fromInnermost < sizes.size() ? sizes[sizes.size() - 1 - fromInnermost]
                                      : 1;
}

::conv::Problem mlir::conv::computeProblem(ConvolutionOpInterface op) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  ::conv::Problem problem;
  problem.n = shape.n;
  problem.c = shape.c / shape.groups;
  problem.k = shape.k;
  problem.h = getInner(shape.input, 1);
  problem.w = getInner(shape.input, 0);
  problem.r = getInner(shape.filter, 1);
  problem.s = getInner(shape.filter, 0);
  problem.p = getInner(shape.output, 1);
  problem.q = getInner(shape.output, 0);
  problem.operand = *getNumericType(getOperandElementType(op));
  problem.result = *getNumericType(op.getResultType().getElementType());
  for (Value operand : op.getTailOperands())
    problem.tailBytes += getBytes(cast<RankedTensorType>(operand.getType()));
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
  }
  llvm_unreachable("every kind of atom has an attribute");
}

ScheduleAttr mlir::conv::getSchedule(MLIRContext *context,
                                     const ::conv::Candidate &candidate,
                                     const ::conv::ChipInfo &chip,
                                     ChosenBy chosenBy) {
  const ::conv::MatrixAtom &atom = *candidate.atom;
  bool onHost = chip.backend == ::conv::Backend::Host;
  return ScheduleAttr::get(
      context, Algorithm::ImplicitGemm, candidate.workgroup, candidate.subgroup,
      candidate.gemmK, candidate.stages,
      AtomAttr::get(context, getAtomKind(atom.kind), atom.m, atom.n, atom.k),
      onHost ? MainLoop::HostCache : MainLoop::RegisterStaged,
      candidate.channelsFastest ? Raster::Channels : Raster::Pixels, chosenBy);
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
          .channelsFastest = schedule.getRaster() == Raster::Channels};
}

/// Checks what the register-staged main loop needs.
static LogicalResult verifyRegisterStaged(ConvolutionOpInterface op,
                                          ScheduleAttr schedule,
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
  if (schedule.getStages() != 2)
    return refuse() << "expects stages to be 2 for a register_staged main loop"
                    << ", but got " << schedule.getStages();
  return success();
}

LogicalResult
mlir::conv::verifySupportedSchedule(ConvolutionOpInterface op,
                                    ScheduleAttr schedule,
                                    const ::conv::ChipInfo &chip) {
  auto refuse = [&] { return emitUnsupported(op.getLoc(), Reason::Schedule); };
  Type elementType = getOperandElementType(op);
  if (failed(verifyScheduleForChip(refuse, schedule, chip, elementType)))
    return failure();
  if (schedule.getMainLoop() == MainLoop::RegisterStaged &&
      failed(verifyRegisterStaged(
          op, schedule, *lookupAtom(chip, schedule.getAtom(), elementType))))
    return failure();

  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t pixelTiles =
      llvm::divideCeil(shape.computePixels(), schedule.getWorkgroup()[0]);
  int64_t channelTiles = llvm::divideCeil(shape.k, schedule.getWorkgroup()[1]);
  int64_t workItems = schedule.getNumSubgroups() * chip.subgroupSize;
  // The product is below the output's bytes, which C3 bounds.
  int64_t limit = std::min(kMaxWorkgroups, kMaxWorkItems / workItems);
  if (pixelTiles * channelTiles > limit)
    return emitUnsupported(op.getLoc(), Reason::ProblemSize)
           << "expects at most " << limit << " workgroups of " << workItems
           << " work-items, but got " << pixelTiles << " x " << channelTiles;
  return success();
}

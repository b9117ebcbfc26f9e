//===- StagedAttrs.cpp - schedules of staged and packed tiles ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of schedules that describes products whose tiles work-items stage in
// shared memory, and products that host threads pack.
//
//===----------------------------------------------------------------------===//

#include "KernelFields.h"

#include "conv/Chip/HostProcessor.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult StagedGemmAttr::verify(EmitError emitError,
                                     ArrayRef<int64_t> workgroup,
                                     ArrayRef<int64_t> subgroup, int64_t gemmK,
                                     int64_t stages, AtomAttr atom,
                                     StagedLoop mainLoop, Raster,
                                     int64_t lastRound) {
  KernelFields fields{workgroup, subgroup, gemmK, stages, atom};
  if (failed(fields.verify(emitError)))
    return failure();
  // S16, except the parts that depend on the convolution or the chip.
  bool isAsync = mainLoop == StagedLoop::Async;
  if (isAsync && stages < 2)
    return emitError() << "expects 2 stages or more for async_staged, but got "
                       << stages;
  if (!isAsync && stages > 2)
    return emitError() << "expects 1 or 2 stages for register_staged, but got "
                       << stages;
  if (failed(fields.verifyDivision(emitError)) ||
      failed(fields.verifyAtoms(emitError)))
    return failure();
  // S26, except the parts that depend on the convolution or the chip.
  if (lastRound < 0)
    return emitError() << "expects last_round not to be negative, but got "
                       << lastRound;
  return verifySubgroupAtom(emitError, atom); // S10.
}

/// Checks S8.
static LogicalResult verifyCopies(EmitError emitError, StagedGemmAttr kernel,
                                  const ::conv::ChipInfo &chip,
                                  int64_t elementBytes) {
  int64_t workItems = kernel.getNumSubgroups() * chip.subgroupSize;
  for (int64_t rows : kernel.getWorkgroup()) {
    int64_t tileBytes = rows * kernel.getGemmK() * elementBytes;
    if (tileBytes % (workItems * ::conv::kVectorBytes))
      return emitError() << "expects a tile of " << rows << " x "
                         << kernel.getGemmK() << " elements of " << elementBytes
                         << " bytes to be whole copies of "
                         << ::conv::kVectorBytes << " bytes by " << workItems
                         << " work-items, but got " << tileBytes << " bytes";
  }
  return success();
}

LogicalResult
StagedGemmAttr::verifyForChip(EmitError emitError, const ::conv::ChipInfo &chip,
                              const ::conv::MatrixAtom *atom) const {
  // The part of S16 that depends on the chip.
  bool hasCopies = chip.asyncCopyBytes > 0 || chip.getLaneCopies();
  if (isAsync() && !hasCopies)
    return refuseMainLoop(emitError, *this, chip);
  // The part of S26 that depends on the chip.
  if (getLastRound() > 0 && !chip.hasSubgroupPriorities())
    return emitError() << "expects no last_round for " << chip.name
                       << ", whose subgroups have no priorities, but got "
                       << getLastRound();
  int64_t elementBytes = byteSize(atom->operand);
  if (failed(verifySharedMemory(emitError, *this, chip, elementBytes)) ||
      failed(verifyWorkItems(emitError, chip, getNumSubgroups())))
    return failure();
  return verifyCopies(emitError, *this, chip, elementBytes);
}

LogicalResult HostGemmAttr::verify(EmitError emitError,
                                   ArrayRef<int64_t> workgroup,
                                   ArrayRef<int64_t> subgroup, int64_t gemmK,
                                   int64_t stages, AtomAttr atom, Raster) {
  KernelFields fields{workgroup, subgroup, gemmK, stages, atom};
  if (failed(fields.verify(emitError)) ||
      failed(fields.verifyDivision(emitError)))
    return failure();
  return verifySubgroupAtom(emitError, atom); // S10.
}

LogicalResult
HostGemmAttr::verifyForChip(EmitError emitError, const ::conv::ChipInfo &chip,
                            const ::conv::MatrixAtom *atom) const {
  // S6 for both tiles and the sums. No product overflows, because tiles fit.
  if (failed(
          verifySharedMemory(emitError, *this, chip, byteSize(atom->operand))))
    return failure();
  int64_t bytes = ::conv::countHostTileBytes(
      *atom, {getWorkgroup()[0], getWorkgroup()[1]}, getGemmK());
  if (bytes > chip.sharedMemoryBytes)
    return emitError() << "expects tiles and sums of at most "
                       << chip.sharedMemoryBytes << " bytes for " << chip.name
                       << ", but got " << bytes;
  return success();
}

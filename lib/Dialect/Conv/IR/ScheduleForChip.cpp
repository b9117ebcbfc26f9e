//===- ScheduleForChip.cpp - what schedules need of a chip --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a schedule against the chip it is for: the pass that puts a schedule
// on an op does so, once the target is known.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

using EmitError = function_ref<InFlightDiagnostic()>;

const ::conv::MatrixAtom *mlir::conv::lookupAtom(const ::conv::ChipInfo &chip,
                                                 AtomAttr atom,
                                                 Type elementType) {
  std::optional<::conv::NumericType> stored = getNumericType(elementType);
  if (!stored)
    return nullptr;
  ::conv::NumericType operand = getMultipliedType(chip, *stored);
  for (const ::conv::MatrixAtom &row : chip.atoms)
    if (row.takes(operand) && row.kind == atom.getKind() &&
        row.m == atom.getM() && row.n == atom.getN() && row.k == atom.getK())
      return &row;
  return nullptr;
}

/// Checks S6.
static LogicalResult verifySharedMemory(EmitError emitError,
                                        ScheduleAttr schedule,
                                        const ::conv::ChipInfo &chip,
                                        int64_t elementBytes) {
  ArrayRef<int64_t> workgroup = schedule.getWorkgroup();
  int64_t stages = schedule.getStages();
  int64_t rows, elements, bytes;
  if (stages > chip.sharedMemoryBytes ||
      llvm::AddOverflow(workgroup[0], workgroup[1], rows) ||
      llvm::MulOverflow(rows, schedule.getGemmK(), elements) ||
      llvm::MulOverflow(elements, elementBytes * stages, bytes) ||
      bytes > chip.sharedMemoryBytes)
    return emitError() << "expects " << stages << " stages of (" << workgroup[0]
                       << " + " << workgroup[1] << ") x " << schedule.getGemmK()
                       << " elements to fit " << chip.sharedMemoryBytes
                       << " bytes of shared memory, but each has "
                       << elementBytes << " bytes";
  return success();
}

/// Checks S6 of the host, where a thread has the sums beside the tiles, as
/// whole register tiles. No product overflows: the tiles fit already.
static LogicalResult verifyHostSums(EmitError emitError, ScheduleAttr schedule,
                                    const ::conv::ChipInfo &chip,
                                    const ::conv::MatrixAtom &atom) {
  int64_t rows = llvm::alignTo(schedule.getWorkgroup()[0], atom.n);
  int64_t columns = llvm::alignTo(schedule.getWorkgroup()[1], atom.m);
  int64_t elements = (rows + columns) * schedule.getGemmK() + rows * columns;
  int64_t bytes = elements * byteSize(atom.operand);
  if (bytes > chip.sharedMemoryBytes)
    return emitError() << "expects tiles and sums of at most "
                       << chip.sharedMemoryBytes << " bytes for " << chip.name
                       << ", but got " << bytes;
  return success();
}

::conv::TmaTile mlir::conv::getTmaTile(ScheduleAttr schedule) {
  ::conv::TmaTile tile{schedule.getWorkgroup()[0], schedule.getWorkgroup()[1],
                       schedule.getStages(), schedule.getNumSubgroups()};
  // Sums of a part are accumulators, which no copy takes.
  tile.isStaged = schedule.getSplits() == 1;
  tile.cluster = schedule.getCluster();
  tile.convertedParts =
      schedule.getAtom().getKind() == AtomKind::WGMMA3xTF32 ? 2 : 0;
  return tile;
}

/// Checks S7 and S18 of main loops of warpgroups. How large elements of the
/// result are, and buffers of lines and of halo tiles, and so S6, is known
/// where the convolution is.
static LogicalResult verifyWarpgroupsForChip(EmitError emitError,
                                             ScheduleAttr schedule,
                                             const ::conv::ChipInfo &chip) {
  ::conv::TmaTile tile = getTmaTile(schedule);
  if (tile.workItems() > chip.maxWorkgroupSize)
    return emitError() << "expects at most " << chip.maxWorkgroupSize
                       << " work-items, but got " << tile.workItems();
  if (tile.cluster > chip.maxCluster())
    return emitError() << "expects a cluster of at most " << chip.maxCluster()
                       << " workgroups, but got " << tile.cluster;
  return success();
}

/// Checks S7.
static LogicalResult verifyWorkItems(EmitError emitError, ScheduleAttr schedule,
                                     const ::conv::ChipInfo &chip) {
  int64_t workItems;
  if (llvm::MulOverflow<int64_t>(schedule.getNumSubgroups(), chip.subgroupSize,
                                 workItems) ||
      workItems > chip.maxWorkgroupSize)
    return emitError() << "expects at most " << chip.maxWorkgroupSize
                       << " work-items, but got " << schedule.getNumSubgroups()
                       << " subgroups of " << chip.subgroupSize;
  return success();
}

/// Checks S8.
static LogicalResult verifyCopies(EmitError emitError, ScheduleAttr schedule,
                                  const ::conv::ChipInfo &chip,
                                  int64_t elementBytes) {
  int64_t workItems = schedule.getNumSubgroups() * chip.subgroupSize;
  for (int64_t rows : schedule.getWorkgroup()) {
    int64_t tileBytes = rows * schedule.getGemmK() * elementBytes;
    if (tileBytes % (workItems * ::conv::kPieceBytes))
      return emitError() << "expects a tile of " << rows << " x "
                         << schedule.getGemmK() << " elements of "
                         << elementBytes << " bytes to be whole copies of "
                         << ::conv::kPieceBytes << " bytes by " << workItems
                         << " work-items, but got " << tileBytes << " bytes";
  }
  return success();
}

/// Checks S9, and S16 as far as it is about the chip.
static LogicalResult verifyMainLoop(EmitError emitError, ScheduleAttr schedule,
                                    const ::conv::ChipInfo &chip) {
  bool onHost = chip.backend == ::conv::Backend::Host;
  bool hasCopies = chip.asyncCopyBytes > 0;
  if (schedule.isDirect() && schedule.getStages() > 1 && !hasCopies)
    return emitError() << "expects 1 stage for " << chip.name << ", but got "
                       << schedule.getStages();
  if (onHost == (schedule.getMainLoop() == MainLoop::HostCache) &&
      (hasCopies || chip.getLaneCopies() ||
       schedule.getMainLoop() != MainLoop::AsyncStaged))
    return success();
  return emitError() << "expects a main loop for " << chip.name << ", but got "
                     << stringifyMainLoop(schedule.getMainLoop());
}

LogicalResult mlir::conv::verifyScheduleForChip(EmitError emitError,
                                                ScheduleAttr schedule,
                                                const ::conv::ChipInfo &chip,
                                                Type elementType) {
  if (!schedule.hasMatrixInstruction())
    return failed(verifyMainLoop(emitError, schedule, chip))
               ? failure()
               : verifyWorkItems(emitError, schedule, chip);
  // S5.
  const ::conv::MatrixAtom *atom =
      lookupAtom(chip, schedule.getAtom(), elementType);
  if (!atom)
    return emitError() << "expects an atom that " << chip.name << " has for "
                       << elementType << ", but got " << schedule.getAtom();
  if (failed(verifyMainLoop(emitError, schedule, chip)))
    return failure();
  if (schedule.isDirect())
    return verifyWorkItems(emitError, schedule, chip);
  if (schedule.getAtom().isOfWarpgroup())
    return verifyWarpgroupsForChip(emitError, schedule, chip);
  int64_t elementBytes = byteSize(atom->operand);
  if (failed(verifySharedMemory(emitError, schedule, chip, elementBytes)))
    return failure();
  if (chip.backend == ::conv::Backend::Host)
    return verifyHostSums(emitError, schedule, chip, *atom);
  return failed(verifyWorkItems(emitError, schedule, chip))
             ? failure()
             : verifyCopies(emitError, schedule, chip, elementBytes);
}

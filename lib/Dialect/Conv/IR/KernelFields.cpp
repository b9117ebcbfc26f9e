//===- KernelFields.cpp - constraints that families share -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints that a kernel of any family can check by itself.
//
//===----------------------------------------------------------------------===//

#include "KernelFields.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

AtomAttr KernelAttrInterface::getAtom() const {
  return cast<AtomAttr>(getAtomAttribute());
}

/// Checks S1 of a tile.
static LogicalResult verifyTile(EmitError emitError, StringRef name,
                                ArrayRef<int64_t> tile) {
  if (tile.size() == 2 && tile[0] > 0 && tile[1] > 0)
    return success();
  return emitError() << "expects " << name
                     << " to be two positive sizes, but got [" << tile << "]";
}

LogicalResult KernelFields::verify(EmitError emitError,
                                   bool hasWholeAtoms) const {
  // S1.
  if (failed(verifyTile(emitError, "workgroup", workgroup)) ||
      failed(verifyTile(emitError, "subgroup", subgroup)))
    return failure();
  for (auto [name, value] :
       {std::pair("gemm_k", gemmK), std::pair("stages", stages)})
    if (value <= 0)
      return emitError() << "expects " << name << " to be positive, but got "
                         << value;
  // S4.
  if (hasWholeAtoms && gemmK % atom.getK())
    return emitError() << "expects gemm_k to be a multiple of " << atom.getK()
                       << ", but got " << gemmK;
  return success();
}

LogicalResult KernelFields::verifyDivision(EmitError emitError) const {
  if (workgroup[0] % subgroup[0] || workgroup[1] % subgroup[1])
    return emitError() << "expects subgroup to divide workgroup, but got ["
                       << subgroup << "] and [" << workgroup << "]";
  return success();
}

LogicalResult KernelFields::verifyAtoms(EmitError emitError) const {
  if (subgroup[0] % atom.getRows() || subgroup[1] % atom.getColumns())
    return emitError() << "expects subgroup to be a multiple of "
                       << atom.getRows() << " rows and " << atom.getColumns()
                       << " columns, but got [" << subgroup << "]";
  return success();
}

LogicalResult mlir::conv::verifySubgroupAtom(EmitError emitError,
                                             AtomAttr atom) {
  if (atom.isOfWarpgroup())
    return emitError() << "expects an atom of one subgroup, but got " << atom;
  return success();
}

LogicalResult mlir::conv::verifyWorkItems(EmitError emitError,
                                          const ::conv::ChipInfo &chip,
                                          int64_t subgroups) {
  int64_t workItems;
  if (llvm::MulOverflow<int64_t>(subgroups, chip.subgroupSize, workItems) ||
      workItems > chip.maxWorkgroupSize)
    return emitError() << "expects at most " << chip.maxWorkgroupSize
                       << " work-items, but got " << subgroups
                       << " subgroups of " << chip.subgroupSize;
  return success();
}

LogicalResult mlir::conv::verifySharedMemory(EmitError emitError,
                                             KernelAttrInterface kernel,
                                             const ::conv::ChipInfo &chip,
                                             int64_t elementBytes) {
  ArrayRef<int64_t> workgroup = kernel.getWorkgroup();
  int64_t stages = kernel.getStages();
  int64_t rows, elements, bytes;
  if (stages > chip.sharedMemoryBytes ||
      llvm::AddOverflow(workgroup[0], workgroup[1], rows) ||
      llvm::MulOverflow(rows, kernel.getGemmK(), elements) ||
      llvm::MulOverflow(elements, elementBytes * stages, bytes) ||
      bytes > chip.sharedMemoryBytes)
    return emitError() << "expects " << stages << " stages of (" << workgroup[0]
                       << " + " << workgroup[1] << ") x " << kernel.getGemmK()
                       << " elements to fit " << chip.sharedMemoryBytes
                       << " bytes of shared memory, but got elements of "
                       << elementBytes << " bytes";
  return success();
}

LogicalResult mlir::conv::refuseMainLoop(EmitError emitError,
                                         KernelAttrInterface kernel,
                                         const ::conv::ChipInfo &chip) {
  return emitError() << "expects a main loop for " << chip.name << ", but got "
                     << kernel.getLoopName();
}

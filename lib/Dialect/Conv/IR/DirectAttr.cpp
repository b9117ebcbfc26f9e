//===- DirectAttr.cpp - schedules of direct kernels -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of schedules that describes direct kernels. Constraints that depend
// on the convolution's views are checked there (`DirectTiling`).
//
//===----------------------------------------------------------------------===//

#include "KernelFields.h"

#include "conv/Dialect/Conv/IR/ChannelVector.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// The most multiplications of the atom of a direct schedule: its operands and
/// sums are in registers, on the host in up to 8 vectors of 16.
static constexpr int64_t kMaxDirectProducts = 128;

/// Checks S15.
static LogicalResult verifyFields(EmitError emitError,
                                  ArrayRef<int64_t> workgroup,
                                  ArrayRef<int64_t> subgroup, int64_t stages,
                                  AtomAttr atom, DirectLoop mainLoop) {
  bool isReduction = mainLoop == DirectLoop::Reduction;
  if (stages != 1 && !isReduction)
    return emitError() << "expects 1 stage for " << stringifyLoop(mainLoop)
                       << ", but got " << stages;
  if (subgroup[1] != workgroup[1])
    return emitError() << "expects subgroup to have all " << workgroup[1]
                       << " matrices, but got " << subgroup[1];
  AtomAttr matrixAtom = ChannelVector::getAtom(atom.getContext());
  if (mainLoop == DirectLoop::Matrix && atom != matrixAtom)
    return emitError() << "expects " << matrixAtom
                       << " for direct_matrix, but got " << atom;
  if (mainLoop != DirectLoop::Rows && atom == matrixAtom)
    return success();
  if (workgroup[1] % atom.getM())
    return emitError() << "expects matrices of whole atoms of " << atom.getM()
                       << ", but got " << workgroup[1];
  int64_t products;
  if (atom.getKind() != AtomKind::FMA ||
      (isReduction ? atom.getN() : atom.getK()) != 1 ||
      llvm::MulOverflow(atom.getM(), isReduction ? atom.getK() : atom.getN(),
                        products) ||
      products > kMaxDirectProducts)
    return emitError() << "expects an fma atom of at most "
                       << kMaxDirectProducts << " multiplications with "
                       << (isReduction ? "n" : "k") << " of 1 for "
                       << stringifyLoop(mainLoop) << ", but got " << atom;
  return success();
}

LogicalResult DirectAttr::verify(EmitError emitError,
                                 ArrayRef<int64_t> workgroup,
                                 ArrayRef<int64_t> subgroup, int64_t gemmK,
                                 int64_t stages, AtomAttr atom,
                                 DirectLoop mainLoop, Raster) {
  bool hasRuns = mainLoop == DirectLoop::Reduction;
  KernelFields fields{workgroup, subgroup, gemmK, stages, atom};
  if (failed(fields.verify(emitError, /*hasWholeAtoms=*/!hasRuns)))
    return failure();
  return verifyFields(emitError, workgroup, subgroup, stages, atom, mainLoop);
}

int64_t DirectAttr::getNumSubgroups() const {
  int64_t shared =
      getMainLoop() == DirectLoop::Reduction ? getGemmK() : getWorkgroup()[0];
  return llvm::divideCeil(shared, getSubgroup()[0]) *
         (getWorkgroup()[1] / getSubgroup()[1]);
}

LogicalResult DirectAttr::verifyForChip(EmitError emitError,
                                        const ::conv::ChipInfo &chip,
                                        const ::conv::MatrixAtom *) const {
  // S16.
  if (getStages() > 1 && chip.asyncCopyBytes == 0)
    return emitError() << "expects 1 stage for " << chip.name << ", but got "
                       << getStages();
  return verifyWorkItems(emitError, chip, getNumSubgroups());
}

//===- KernelFields.h - constraints that families share ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraints on the fields that the attributes of all or of several kernel
// families have.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_DIALECT_CONV_IR_KERNELFIELDS_H
#define CONV_LIB_DIALECT_CONV_IR_KERNELFIELDS_H

#include "conv/Dialect/Conv/IR/Conv.h"

namespace mlir::conv {

using EmitError = function_ref<InFlightDiagnostic()>;

/// The fields of all families.
struct KernelFields {
  ArrayRef<int64_t> workgroup, subgroup;
  int64_t gemmK, stages;
  AtomAttr atom;

  /// Checks S1, and S4 unless `gemm_k` need not be whole atoms.
  LogicalResult verify(EmitError emitError, bool hasWholeAtoms = true) const;
  /// Checks S2.
  LogicalResult verifyDivision(EmitError emitError) const;
  /// Checks S3.
  LogicalResult verifyAtoms(EmitError emitError) const;
};

/// Checks S10 of kernels whose subgroups do not multiply as warpgroups.
LogicalResult verifySubgroupAtom(EmitError emitError, AtomAttr atom);

/// Checks S7 of so many subgroups.
LogicalResult verifyWorkItems(EmitError emitError, const ::conv::ChipInfo &chip,
                              int64_t subgroups);

/// Checks S6 of `stages` tiles of both operands.
LogicalResult verifySharedMemory(EmitError emitError,
                                 KernelAttrInterface kernel,
                                 const ::conv::ChipInfo &chip,
                                 int64_t elementBytes);

/// Reports that the chip does not support this main loop.
LogicalResult refuseMainLoop(EmitError emitError, KernelAttrInterface kernel,
                             const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_DIALECT_CONV_IR_KERNELFIELDS_H

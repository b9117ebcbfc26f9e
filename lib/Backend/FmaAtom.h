//===- FmaAtom.h - multiply-adds as a matrix atom ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_FMAATOM_H
#define CONV_LIB_BACKEND_FMAATOM_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {

/// Creates the matrix instruction of an op; null if the target has
/// none for the op's atom. An op whose atom is of kind `fma` is not
/// passed to it: such an op becomes multiply-adds of vectors, one for
/// each k.
using CreateInstruction = Value (*)(OpBuilder &builder, MmaOp op);

/// In which order the sums of an FMA atom take the elements of the reduction.
enum class FmaOrder {
  /// All sums take an element before the next one: registers are reused.
  Common,
  /// Neighbouring sums start with neighbouring elements, so that both operands
  /// of neighbouring multiply-adds are in different banks of registers. Chips
  /// that issue two of them at once (`v_dual_fmac_f32`) require that.
  Rotated,
};

/// Replaces ops by the instruction that `create` makes, and ops with FMA atoms
/// by multiply-adds of vectors.
void populateMmaPatterns(RewritePatternSet &patterns, CreateInstruction create,
                         FmaOrder order = FmaOrder::Common);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_FMAATOM_H

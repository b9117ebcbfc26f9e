//===- Unsupported.h - refusals of valid input ------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Valid input that this version does not support is refused with a stable code
// and the predicate that failed. Tools then return exit code 3.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_UNSUPPORTED_H
#define CONV_DIALECT_CONV_IR_UNSUPPORTED_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace mlir::conv {

/// The reasons to refuse valid input. Names are stable: scripts match them.
enum class Reason {
  PaddingMode,       ///< "padding-mode": padding too wide for its gradient.
  DynamicShape,      ///< "dynamic-shape": an unknown size.
  Layout,            ///< "layout": a tensor with gaps is reshaped.
  ElementType,       ///< "element-type": unsupported by kernels or chips.
  EpilogueOperation, ///< "epilogue-operation": a fused op that has no kernel
                     ///< code.
  NotFusable,   ///< "not-fusable": an op on tensors that is not an epilogue.
  ZeroPoint,    ///< "zero-point": a zero point that is not constant.
  MemRef,       ///< "memref-semantics": loops on buffers.
  DataMovement, ///< "data-movement": no convolution can express it.
  Signature,    ///< "signature": an argument or result no kernel can take.
  Constant,     ///< "constant": a tensor constant as operand.
  ProblemSize,  ///< "problem-size": an index space beyond the kernel's.
  Schedule,     ///< "schedule": a given schedule the chip cannot run.
  Prepack,      ///< "prepack": a filter that no step of the plan packs.
  NotRunnable,  ///< "not-runnable": the simulator does not execute the chip.
};

/// The stable name of a reason.
StringRef getReasonName(Reason reason);

/// Starts the diagnostic `unsupported (<code>): ` at `location`; the caller
/// adds the failed predicate: `expects static shapes, but got ...`.
InFlightDiagnostic emitUnsupported(Location location, Reason reason);

/// The reason code in a diagnostic's text, or an empty string.
StringRef parseReasonName(StringRef diagnosticText);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_UNSUPPORTED_H

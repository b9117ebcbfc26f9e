//===- Conv.h - the conv dialect --------------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the dialect, its attributes and its operations. Their documentation
// is generated from the .td files in this folder.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONV_H
#define CONV_DIALECT_CONV_IR_CONV_H

#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/ConvAttrs.h"
#include "conv/Dialect/Conv/IR/ConvolutionOpInterface.h"
#include "conv/Dialect/Conv/IR/DynamicOpInterface.h"
#include "conv/Dialect/Conv/IR/StateOpInterface.h"
#include "conv/Dialect/Conv/IR/WarpgroupTile.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "conv/Dialect/Conv/IR/ConvDialect.h.inc"

#define GET_OP_CLASSES
#include "conv/Dialect/Conv/IR/ConvOps.h.inc"

namespace mlir::conv {

/// Name of the schedule on the root of a linalg form: its epilogue.
inline constexpr llvm::StringLiteral kScheduleName = "conv.schedule";
/// Attribute of a function of launches: the bytes of its workspace.
inline constexpr llvm::StringLiteral kWorkspaceBytesName =
    "conv.workspace_bytes";
/// Attribute of a kernel: the workgroups that should be resident on a compute
/// unit at a time; the assembler limits the kernel's registers accordingly.
inline constexpr llvm::StringLiteral kResidentWorkgroupsName =
    "conv.resident_workgroups";

/// Creates the op of `direction`, without an epilogue.
ConvolutionOpInterface
createConvolution(OpBuilder &builder, Location loc, Direction direction,
                  RankedTensorType type, Value lhs, Value rhs,
                  WindowAttr window, LayoutsAttr layouts, int64_t groups,
                  PaddingMode padding = PaddingMode::Zeros,
                  Arithmetic arithmetic = Arithmetic::F32);

/// The numeric type of an element type, or none if kernels do not support it.
std::optional<::conv::NumericType> getNumericType(Type elementType);

/// Whether elements of `a` and `b` may be multiplied: they have the same type,
/// or are 8-bit floats of one family.
inline bool areMultiplied(Type a, Type b) {
  return getNumericType(a) == getNumericType(b);
}

inline bool isFloat8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

/// The type in which products of elements of `operand` are summed up.
Type getAccumulatorType(Type operand);

/// The row of the chip's table for `atom` with operands of `elementType`, or
/// null. The host widens operands as it loads them.
const ::conv::MatrixAtom *lookupAtom(const ::conv::ChipInfo &chip,
                                     AtomAttr atom, Type elementType);

/// The tile of a schedule with a warpgroup main loop, without halo tiles, which
/// depend on the window (see `TmaGeometry`).
::conv::WarpgroupTile getWarpgroupTile(ScheduleAttr schedule);

/// Checks the parts of S5 to S10, S16 and S18 that concern the chip.
LogicalResult
verifyScheduleForChip(function_ref<InFlightDiagnostic()> emitError,
                      ScheduleAttr schedule, const ::conv::ChipInfo &chip,
                      Type elementType);

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_CONV_H

//===- Kernel.h - what all parts of a kernel share --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is built from four parts that do not know each other: TileScheduler,
// OperandCopy, MatrixUnit and Epilogue; MainLoop puts the middle two in order.
// They share this description and its integer arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_KERNEL_H
#define CONV_LIB_KERNELS_PARTS_KERNEL_H

#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::conv {

using ::conv::kPieceBytes;

/// Builds integer arithmetic of one width, folding what is constant.
class IndexMath {
public:
  IndexMath(ImplicitLocOpBuilder &builder, IntegerType type)
      : b(builder), type(type) {}

  IntegerType getType() const { return type; }
  Value constant(int64_t value) const;
  /// `value`, an index or another width, in this width.
  Value cast(Value value) const;
  Value add(Value lhs, Value rhs) const;
  Value add(Value lhs, int64_t rhs) const;
  Value sub(Value lhs, Value rhs) const;
  Value sub(Value lhs, int64_t rhs) const;
  Value mul(Value lhs, int64_t rhs) const;
  /// Quotient and remainder of a non-negative value.
  Value div(Value lhs, int64_t rhs) const;
  Value rem(Value lhs, int64_t rhs) const;
  Value bitXor(Value lhs, Value rhs) const;
  /// Of signed values.
  Value minimum(Value lhs, Value rhs) const;
  Value maximum(Value lhs, Value rhs) const;
  /// Unsigned comparison: false for negative values too.
  Value below(Value lhs, int64_t rhs) const;
  Value both(Value lhs, Value rhs) const;
  Value yes() const;
  /// Digits of a non-negative value in the mixed radix `sizes`, most
  /// significant first; the first digit is not reduced.
  SmallVector<Value> split(Value value, ArrayRef<int64_t> sizes) const;

private:
  ImplicitLocOpBuilder &b;
  IntegerType type;
};

/// Loads or stores `elements` at `offset` of a buffer, counted in elements,
/// under `guard`.
Value createGuardedLoad(ImplicitLocOpBuilder &b, Value source, Value offset,
                        Value guard, int64_t elements);
void createGuardedStore(ImplicitLocOpBuilder &b, Value elements,
                        Value destination, Value offset, Value guard);

/// One kernel under construction.
struct Kernel {
  ImplicitLocOpBuilder &b;
  const TiledConvolution &form;
  const ::conv::ChipInfo &chip;
  const ::conv::MatrixAtom &atom; ///< Of the product, if it has one.
  /// Offsets into operands: i32, or i64 where a tensor reaches 2 GiB.
  IndexMath math;
  /// Kernel arguments: both operands of the product if there is one, epilogue
  /// operands, result.
  SmallVector<Value> arguments;
  int64_t workItems;
  /// Numbers in the width of `math`: of the workgroup among those that compute
  /// the form, and of the work-item.
  Value workgroup, workItem, lane, subgroup;
  int64_t dynamicSharedBytes = 0; ///< What it asks for at launch.

  ArrayRef<Value> epilogueArguments() const {
    return ArrayRef(arguments).drop_back().take_back(
        form.epilogueOperands.size());
  }
  ArrayRef<int64_t> workgroupTile() const;
  ArrayRef<int64_t> subgroupTile() const;
  int64_t gemmK() const { return form.schedule.getGemmK(); }
  int64_t operandBytes() const { return ::conv::byteSize(atom.operand); }
  /// Elements of an operand in `kPieceBytes`.
  int64_t pieceElements() const { return kPieceBytes / operandBytes(); }
  /// Where the subgroup's tile starts in the workgroup's: row, column.
  std::pair<Value, Value> subgroupOrigin() const;
  /// Position of the lane among those that hold rows of the same column.
  Value laneGroup() const { return math.div(lane, lanesPerRow()); }
  int64_t laneGroups() const { return chip.subgroupSize / lanesPerRow(); }
  /// Lanes whose accumulators are one row of an atom.
  int64_t lanesPerRow() const { return atom.n / atom.accColumns(); }

  /// Loads or stores `elements` at `offset` of an argument under `guard`.
  Value load(Value source, Value offset, Value guard, int64_t elements) const;
  void store(Value elements, Value destination, Value offset,
             Value guard) const;
  /// Starts a copy of `elements` from `offset` of an argument to `index` of a
  /// buffer in shared memory: zeros where `guard` is false.
  void copy(Value source, Value offset, Value guard, Value destination,
            Value index, int64_t elements) const;
};

/// The tile of a workgroup: its first matrix, row and column.
struct TileOrigin {
  Value batch, row, column;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_KERNEL_H

//===- Kernel.h - what all parts of a kernel share --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a kernel do not know each other: a scheduler finds the tile, a
// producer brings it, a consumer multiplies it, and an epilogue stores it. All
// share the description of the kernel in this file.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_KERNEL_H
#define CONV_LIB_KERNELS_PARTS_KERNEL_H

#include "IndexMath.h"

#include "conv/Dialect/Conv/IR/TiledForm.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::conv {

using ::conv::kVectorBytes;

/// Loads or stores `elements` at `offset` of a buffer if `guard` is true. The
/// offset counts elements.
Value createGuardedLoad(ImplicitLocOpBuilder &b, Value source, Value offset,
                        Value guard, int64_t elements);
void createGuardedStore(ImplicitLocOpBuilder &b, Value elements,
                        Value destination, Value offset, Value guard);

/// One kernel under construction.
struct Kernel {
  ImplicitLocOpBuilder &b;
  const TiledConvolution &form;
  const ::conv::ChipInfo &chip;
  const ::conv::MatrixAtom &atom; ///< The product's atom, if there is one.
  /// The width of operand offsets: i32, or i64 if a tensor reaches 2 GiB.
  IndexMath math;
  /// Kernel arguments: both operands of the product if there is one, then the
  /// operands of the epilogue, then the result.
  SmallVector<Value> arguments;
  int64_t workItems;
  /// Numbers in the width of `math`. `workgroup` counts the workgroups that
  /// compute this form.
  Value workgroup, workItem, lane, subgroup;
  int64_t dynamicSharedBytes = 0; ///< Requested at launch.
  /// All subproblems that share the code, if there are several; `form` is the
  /// first of them.
  SmallVector<const TiledConvolution *> subproblems = {};
  /// Workgroups of the launch if all of them compute this form, else 0.
  int64_t launched = 0;

  /// A number of each subproblem.
  SharedNumber
  getNumber(function_ref<int64_t(const TiledConvolution &)> of) const;
  SharedNumber getRows() const;
  SharedNumber getReduction() const;
  /// Steps of the main loop.
  SharedNumber countSteps() const;

  ArrayRef<Value> epilogueArguments() const {
    return ArrayRef(arguments).drop_back().take_back(
        form.epilogueOperands.size());
  }
  ArrayRef<int64_t> workgroupTile() const;
  ArrayRef<int64_t> subgroupTile() const;
  int64_t gemmK() const { return form.schedule.getGemmK(); }
  int64_t operandBytes() const { return ::conv::byteSize(atom.operand); }
  /// Operand elements in `kVectorBytes`.
  int64_t vectorElements() const { return kVectorBytes / operandBytes(); }
  /// Row and column where the subgroup's tile starts in the workgroup's tile.
  std::pair<Value, Value> subgroupOrigin() const;
  /// Number of the lane among the lanes that hold rows of the same column.
  Value laneGroup() const { return math.div(lane, lanesPerRow()); }
  int64_t laneGroups() const { return chip.subgroupSize / lanesPerRow(); }
  /// Number of lanes whose accumulators make up one row of an atom.
  int64_t lanesPerRow() const { return atom.n / atom.accColumns(); }

  /// Loads or stores `elements` at `offset` of an argument if `guard` is true.
  Value load(Value source, Value offset, Value guard, int64_t elements) const;
  void store(Value elements, Value destination, Value offset,
             Value guard) const;
  /// Starts a copy of `elements` from `offset` of an argument to `index` of a
  /// buffer in shared memory. If `guard` is false, it writes zeros. If copies
  /// may bypass the first-level cache, those that are `isCached` do not.
  void copy(Value source, Value offset, Value guard, Value destination,
            Value index, int64_t elements, bool isCached = false) const;
};

/// The tile of a workgroup: its first matrix, row and column.
struct TileOrigin {
  Value batch, row, column;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_KERNEL_H

//===- WgmmaFragmentUnit.h - products with fragments ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMAFRAGMENTUNIT_H
#define CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMAFRAGMENTUNIT_H

#include "WgmmaSums.h"

namespace mlir::conv {

/// Adds the product of a fragment of the left operand and of the right
/// operand's rows at `descriptor` to `sums`, or overwrites `sums` if `adds` is
/// false. `type` is f16, bf16 or tf32.
Value createFragmentProduct(const PtxBuilder &ptx, int64_t columns,
                            StringRef type, Value sums,
                            ArrayRef<Value> fragment, Value descriptor,
                            bool adds);

/// Multiplies fragments in registers with a filter that stays in shared memory
/// (`LineTile`). A fragment has 64 rows and 16 elements of the reduction: lane
/// l of warp w holds, in register 2 g + h, elements 8 g + 2 (l % 4) and the
/// next one of row 16 w + l / 4 + 8 h.
class WgmmaFragmentUnit : public WgmmaSums {
public:
  /// `filter` is the address of the filter in shared memory.
  WgmmaFragmentUnit(const PtxBuilder &ptx, const ::conv::WarpgroupTile &tile,
                    Type operandType, Value filter);

  /// `begin` comes before the products of fragments that were just loaded;
  /// `commit` comes after them and starts them.
  void begin() const;
  void commit() const;

  /// Adds the product of a fragment of the elements from 16 * `step` on. The
  /// first step overwrites `sums` instead of adding.
  Value createProduct(Value sums, ArrayRef<Value> fragment, int64_t step) const;

private:
  bool isF16;
  Value filter; ///< Descriptor of its first elements.
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_PARTS_WARPGROUP_WGMMAFRAGMENTUNIT_H

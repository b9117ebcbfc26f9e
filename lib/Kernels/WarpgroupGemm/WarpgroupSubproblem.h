//===- WarpgroupSubproblem.h - a subproblem of a kernel ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPSUBPROBLEM_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPSUBPROBLEM_H

#include "../Parts/KernelFunction.h"
#include "../Parts/Warpgroup/TmaCopies.h"

namespace mlir::conv {

/// What is known about a subproblem of a kernel before the kernel is built.
struct WarpgroupSubproblem {
  const TiledConvolution *form;
  std::optional<TmaGeometry> geometry; ///< Null without a product.
  std::unique_ptr<TmaCopies> copies;   ///< Null if lanes copy.
  TmaResult result;
  /// The number of an epilogue operand that can be copied in the same boxes as
  /// the result.
  std::optional<size_t> epilogueOperand;
  SmallVector<size_t> arguments; ///< Positions in the kernel's list.
  int64_t firstTile; ///< Number of tiles of the earlier subproblems.

  /// Position of the epilogue operand in the subproblem's arguments.
  size_t getEpilogueArgument() const {
    return (form->hasProduct() ? 2 : 0) + *epilogueOperand;
  }
};

/// Determines how the copy engine, or lanes, move the tensors of a subproblem.
FailureOr<WarpgroupSubproblem>
analyzeWarpgroupSubproblem(Location loc, const TiledConvolution &form);

/// Adds the arguments of a subproblem to the kernel's arguments: maps of the
/// operands and the result, and addresses of what lanes load and store.
void addTmaArguments(WarpgroupSubproblem &subproblem, ArrayRef<Value> buffers,
                     const ::conv::WarpgroupTile &tile,
                     SmallVectorImpl<KernelArgument> &arguments);

/// The tile of all subproblems, with the operand that stays in shared memory if
/// boxes are copied.
::conv::KeptTile selectWarpgroupTile(const TiledConvolution &first,
                                     ArrayRef<WarpgroupSubproblem> subproblems,
                                     const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_WARPGROUPSUBPROBLEM_H

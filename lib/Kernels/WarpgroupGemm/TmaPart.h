//===- TmaPart.h - a subproblem of a tma kernel -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_WARPGROUPGEMM_TMAPART_H
#define CONV_LIB_KERNELS_WARPGROUPGEMM_TMAPART_H

#include "../Parts/KernelFunction.h"
#include "../Parts/Warpgroup/TmaCopies.h"

namespace mlir::conv {

/// What a kernel knows of one of its subproblems before it is built.
struct TmaPart {
  const TiledConvolution *form;
  std::optional<TmaGeometry> geometry; ///< Of the product, if there is one.
  std::unique_ptr<TmaCopies> copies;
  TmaResult result;
  /// The number of the epilogue's operand that copies could bring as they take
  /// the result.
  std::optional<size_t> epilogueOperand;
  SmallVector<size_t> arguments; ///< Positions among the kernel's.
  int64_t firstTile; ///< The number of tiles of the parts before it.

  /// Where the epilogue's operand is among the arguments.
  size_t getEpilogueArgument() const {
    return (form->hasProduct() ? 2 : 0) + *epilogueOperand;
  }
};

/// Finds out how the copy engine moves what a subproblem has.
FailureOr<TmaPart> analyzeTmaPart(Location loc, const TiledConvolution &form);

/// Adds what a subproblem needs to the kernel's arguments: maps of operands and
/// of the result, and addresses of what lanes load and store.
void addTmaArguments(TmaPart &part, ArrayRef<Value> buffers,
                     const ::conv::TmaTile &tile,
                     SmallVectorImpl<KernelArgument> &arguments);

/// The tile of all subproblems, with the operand that stays in shared memory.
::conv::KeptTile selectTmaTile(const TiledConvolution &first,
                               ArrayRef<TmaPart> parts,
                               const ::conv::ChipInfo &chip);

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_WARPGROUPGEMM_TMAPART_H

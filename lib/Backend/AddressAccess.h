//===- AddressAccess.h - guarded accesses without hardware ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_BACKEND_ADDRESSACCESS_H
#define CONV_LIB_BACKEND_ADDRESSACCESS_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace mlir::conv {

/// The integer, or vector of 32-bit integers, with the size of `type`: every
/// access of up to 16 bytes then has an instruction.
Type getCarrierType(VectorType type);

/// The address of an element of type `element` at `offset` of a converted
/// buffer. Offsets are signed: where a guard is false, the offset may be
/// negative and is never used.
Value createAddress(OpBuilder &builder, Location loc, Value buffer,
                    Value offset, Type element);

/// `offset` where `guard` is true; elsewhere 0, which every tensor has.
Value createSafeOffset(OpBuilder &builder, Location loc, Value offset,
                       Value guard);

/// Patterns that put a store under a branch if its guard can be false and
/// `needsBranch` holds.
void populateStoreToBranchPatterns(
    RewritePatternSet &patterns,
    std::function<bool(GuardedStoreOp)> needsBranch);

/// Patterns for `conv.guarded_load`, which reads the first elements where the
/// guard is false and selects zero, and for `conv.guarded_store` with a guard
/// that is true.
void populateAddressAccessPatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns);

} // namespace mlir::conv

#endif // CONV_LIB_BACKEND_ADDRESSACCESS_H

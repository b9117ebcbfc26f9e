//===- TypeBytes.h - the bytes of types -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TYPEBYTES_H
#define CONV_DIALECT_CONV_IR_TYPEBYTES_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::conv {

/// The bytes of an element, or of one of the elements of a shaped type. Each
/// takes whole bytes.
inline int64_t getElementBytes(Type type) {
  return llvm::divideCeil(getElementTypeOrSelf(type).getIntOrFloatBitWidth(),
                          8);
}

/// The bytes of all elements of a static shape, without gaps between them.
inline int64_t computeBytes(ShapedType type) {
  return type.getNumElements() * getElementBytes(type);
}

} // namespace mlir::conv

#endif // CONV_DIALECT_CONV_IR_TYPEBYTES_H

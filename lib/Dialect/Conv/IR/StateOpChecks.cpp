//===- StateOpChecks.cpp - checks that ops on states share ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateOps.h"

#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult mlir::conv::verifyBuffer(Operation *op, Value tensor,
                                       StringRef name, int64_t rank,
                                       size_t open) {
  RankedTensorType type = getTensorType(tensor);
  if (type.getRank() != rank ||
      llvm::any_of(type.getShape().drop_front(open), ShapedType::isDynamic)) {
    InFlightDiagnostic diagnostic = op->emitOpError("expects ");
    diagnostic << (open ? "" : "a static ") << name << " of rank " << rank;
    if (open)
      diagnostic << " with static sizes after the first"
                 << (open > 1 ? " two" : "");
    return diagnostic << ", but got " << type;
  }
  int64_t bytes = getElementBytes(type);
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size) &&
        (size <= 0 || llvm::MulOverflow(bytes, size, bytes)))
      return op->emitOpError("expects positive sizes and less than 2^63 bytes "
                             "of ")
             << name << ", but got " << type;
  return success();
}

LogicalResult mlir::conv::verifyType(Operation *op, Value tensor,
                                     StringRef name, ArrayRef<int64_t> shape,
                                     Type element) {
  auto expected = RankedTensorType::get(shape, element);
  if (tensor.getType() == expected)
    return success();
  return op->emitOpError("expects ")
         << name << " of type " << expected << ", but got " << tensor.getType();
}

LogicalResult mlir::conv::verifyNumbers(Operation *op, Value tensor,
                                        StringRef name, int64_t count) {
  if (!tensor)
    return success();
  RankedTensorType type = getTensorType(tensor);
  bool isNumber = type.getElementType().isSignlessInteger(32) ||
                  type.getElementType().isSignlessInteger(64);
  if (isNumber && type.getShape() == ArrayRef(count))
    return success();
  return op->emitOpError("expects ")
         << name << " to be a vector of " << formatSize(count)
         << " elements of i32 or i64, but got " << type;
}

std::string mlir::conv::formatNumbers(StringRef name, Value tensor) {
  if (!tensor)
    return "";
  bool isWide = getElementTypeOrSelf(tensor).isInteger(64);
  return (" --" + name + (isWide ? " i64" : "")).str();
}

std::string mlir::conv::formatSizes(
    Operation *op, Type type,
    std::initializer_list<std::pair<const char *, int64_t>> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName().stripDialect() << ' ' << type;
  for (auto [letter, size] : sizes)
    os << " -" << letter << ' ' << formatSize(size);
  return text;
}

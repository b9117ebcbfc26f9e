//===- DirectProduct.h - products of operands in shared memory --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_KERNELS_DIRECT_DIRECTPRODUCT_H
#define CONV_LIB_KERNELS_DIRECT_DIRECTPRODUCT_H

#include "DirectOperands.h"

namespace mlir::conv {

/// Adds up the products of a box of digits, with the sums of the work-item in
/// registers. Lists have one entry per digit of batch, rows, columns and
/// reduction, in this order.
class DirectProduct {
public:
  /// The box has `extents` values of each digit. Its first value is a multiple
  /// of `alignments`, or zero where `alignments` is zero.
  DirectProduct(const Kernel &kernel, const DirectOperands &operands,
                ArrayRef<int64_t> extents, ArrayRef<int64_t> alignments);

  /// Adds the products of boxes, one after the other, each of which starts with
  /// its digits in the tile. There is one sum for each element of the result,
  /// with the last digit of the columns fastest.
  SmallVector<Value> create(ArrayRef<SmallVector<Value>> boxes,
                            ValueRange sums) const;
  /// The sums before the first product.
  SmallVector<Value> createZeros() const;

private:
  /// An operand. Distances in shared memory are 0 for digits it does not have.
  struct Operand {
    const SharedBox &shared;
    SmallVector<int64_t> distances;
    int64_t alignment;
  };
  Operand createOperand(const SharedBox &shared, size_t absent, size_t count,
                        ArrayRef<int64_t> alignments) const;
  SharedBox::Reader createReader(const Operand &operand,
                                 ArrayRef<Value> digits) const;
  int64_t getPlace(const Operand &operand, int64_t element, int64_t tap) const;
  /// What reads the factors of a box, and for how many of its products, in
  /// their order, reads have started.
  struct Factors {
    SharedBox::Reader lhs, rhs;
    int64_t started = 0;

    size_t countReads() const { return lhs.countReads() + rhs.countReads(); }
  };
  void startReads(MutableArrayRef<Factors> boxes) const;
  int64_t computePackWidth(size_t matrices) const;
  bool isMixed(int64_t width) const;
  int64_t countVectors(const Operand &operand, int64_t width) const;
  bool isFirstOfPack(int64_t element) const {
    return element / packDistance % packWidth == 0;
  }
  SmallVector<Value> pack(ValueRange sums) const;
  SmallVector<Value> unpack(ArrayRef<Value> packs) const;

  const Kernel &kernel;
  SmallVector<int64_t> extents;
  size_t elementRank; ///< Number of digits of the result.
  int64_t numElements, numTaps;
  Operand lhs, rhs;
  /// Elements whose products are one operation, and how far they are apart in
  /// the order of the sums.
  int64_t packWidth = 1, packDistance = 1;
};

} // namespace mlir::conv

#endif // CONV_LIB_KERNELS_DIRECT_DIRECTPRODUCT_H

//===- DirectProduct.cpp - factors in shared memory -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is unrolled. Operand elements that several products share, as
// neighbouring windows do, are read once.
//
//===----------------------------------------------------------------------===//

#include "DirectProduct.h"

#include "../Parts/MultiplyAdd.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

DirectProduct::DirectProduct(const Kernel &kernel,
                             const DirectOperands &operands,
                             ArrayRef<int64_t> extents,
                             ArrayRef<int64_t> alignments)
    : kernel(kernel), extents(extents),
      elementRank(extents.size() - operands.tiling.reduction.getRank()),
      numElements(llvm::product_of(ArrayRef(extents).take_front(elementRank))),
      numTaps(llvm::product_of(ArrayRef(extents).drop_front(elementRank))),
      lhs(createOperand(operands.lhs,
                        operands.tiling.batch.getRank() +
                            operands.tiling.rows.getRank(),
                        operands.tiling.columns.getRank(), alignments)),
      rhs(createOperand(operands.rhs, operands.tiling.batch.getRank(),
                        operands.tiling.rows.getRank(), alignments)) {}

/// An operand that lacks the `count` digits from number `absent` on.
DirectProduct::Operand
DirectProduct::createOperand(const SharedBox &shared, size_t absent,
                             size_t count, ArrayRef<int64_t> alignments) const {
  SmallVector<int64_t> distances = shared.getBox().distances;
  distances.insert(distances.begin() + absent, count, 0);
  int64_t alignment = 0;
  for (auto [distance, each] : llvm::zip_equal(distances, alignments))
    alignment = std::gcd(alignment, distance * each);
  return {shared, distances, alignment};
}

SharedBox::Reader DirectProduct::createReader(const Operand &operand,
                                              ArrayRef<Value> digits) const {
  const IndexMath &math = kernel.math;
  Value base = math.constant(0);
  for (auto [digit, distance] : llvm::zip_equal(digits, operand.distances))
    base = math.add(base, math.mul(digit, distance));
  return SharedBox::Reader(operand.shared, base, operand.alignment);
}

/// The place of an operand's factor, relative to the box.
int64_t DirectProduct::getPlace(const Operand &operand, int64_t element,
                                int64_t tap) const {
  int64_t place = operand.shared.getBox().first;
  for (size_t d = extents.size(); d-- > 0;) {
    int64_t &rest = d < elementRank ? element : tap;
    place += rest % extents[d] * operand.distances[d];
    rest /= extents[d];
  }
  return place;
}

/// Starts reads before the first product: as many as leave registers for the
/// sums, 24 vectors of 16 bytes. LLVM would spread them between products, and a
/// wave that few others keep company would wait for each of them
/// (bench/results/amd-clock.md).
void DirectProduct::startReads(SharedBox::Reader &lhsReader,
                               SharedBox::Reader &rhsReader) const {
  constexpr size_t kMostVectors = 24;
  auto start = [&] {
    for (int64_t tap = 0; tap < numTaps; ++tap)
      for (int64_t element = 0; element < numElements; ++element) {
        if (lhsReader.countReads() + rhsReader.countReads() >= kMostVectors)
          return;
        lhsReader.start(getPlace(lhs, element, tap));
        rhsReader.start(getPlace(rhs, element, tap));
      }
  };
  start();
  ScheduleFenceOp::create(kernel.b);
}

SmallVector<Value> DirectProduct::create(ArrayRef<Value> digits,
                                         ValueRange sums) const {
  SharedBox::Reader lhsReader = createReader(lhs, digits);
  SharedBox::Reader rhsReader = createReader(rhs, digits);
  if (kernel.chip.backend == ::conv::Backend::AMDGPU)
    startReads(lhsReader, rhsReader);
  SmallVector<Value> results(sums);
  for (int64_t tap = 0; tap < numTaps; ++tap)
    for (auto [element, sum] : llvm::enumerate(results))
      sum = multiplyAdd(kernel.b, kernel.b.getLoc(),
                        lhsReader.read(getPlace(lhs, element, tap)),
                        rhsReader.read(getPlace(rhs, element, tap)), sum);
  return results;
}

SmallVector<Value> DirectProduct::createZeros() const {
  Type sum = getAccumulatorType(kernel.form.lhs.getElementType());
  Value zero = arith::ConstantOp::create(kernel.b, kernel.b.getZeroAttr(sum));
  return SmallVector<Value>(numElements, zero);
}

//===- DirectProduct.cpp - factors in shared memory -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is unrolled. Operand elements that several products share, as
// neighbouring windows do, are read once. On AMD chips, reads run ahead of the
// products, and elements that one instruction multiplies together are vectors
// from the start: LLVM's vectorizer would join them where the last one is
// stored, after all fences, with all factors in registers until then.
//
//===----------------------------------------------------------------------===//

#include "DirectProduct.h"

#include "../Parts/MultiplyAdd.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

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
                        operands.tiling.rows.getRank(), alignments)) {
  if (!kernel.chip.hasPackedProducts() || operands.tiling.batch.getRank() == 0)
    return;
  size_t matrices = operands.tiling.batch.innermost;
  packWidth = computePackWidth(matrices);
  packDistance = llvm::product_of(
      ArrayRef(extents).take_front(elementRank).drop_front(matrices + 1));
}

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

/// The matrices of a vector of either operand, whose elements are neighbours in
/// shared memory; 1 if their products are better computed one by one.
int64_t DirectProduct::computePackWidth(size_t matrices) const {
  int64_t width = lhs.shared.getVectorWidth(lhs.alignment);
  auto hasVectors = [&](const Operand &operand) {
    bool areAligned = operand.shared.getBox().first % width == 0;
    for (size_t d = 0; d < extents.size(); ++d)
      areAligned &= d == matrices
                        ? operand.distances[d] == 1
                        : extents[d] == 1 || operand.distances[d] % width == 0;
    return areAligned &&
           operand.shared.getVectorWidth(operand.alignment) == width;
  };
  return extents[matrices] % width == 0 && hasVectors(lhs) && hasVectors(rhs) &&
                 !isMixed(width)
             ? width
             : 1;
}

/// Whether instructions for single elements, which take f16 as it is, are fewer
/// than packed ones with conversions (bench/results/amd-clock.md). Integers
/// have no packed products.
bool DirectProduct::isMixed(int64_t width) const {
  Type element = kernel.form.lhs.getElementType();
  if (!element.isF16())
    return !isa<FloatType>(element);
  int64_t vectors = countVectors(lhs, width) + countVectors(rhs, width);
  return 2 * vectors * width > numTaps * numElements;
}

/// Vectors that the products of a box read.
int64_t DirectProduct::countVectors(const Operand &operand,
                                    int64_t width) const {
  llvm::DenseSet<int64_t> vectors;
  for (int64_t tap = 0; tap < numTaps; ++tap)
    for (int64_t element = 0; element < numElements; ++element)
      vectors.insert(
          llvm::divideFloorSigned(getPlace(operand, element, tap), width));
  return int64_t(vectors.size());
}

/// The sums of elements whose products are one operation, as vectors.
SmallVector<Value> DirectProduct::pack(ValueRange sums) const {
  if (packWidth == 1)
    return llvm::to_vector(sums);
  auto type = VectorType::get({packWidth}, sums.front().getType());
  SmallVector<Value> packs;
  for (int64_t element = 0; element < numElements; ++element) {
    if (!isFirstOfPack(element))
      continue;
    SmallVector<Value> elements;
    for (int64_t i = 0; i < packWidth; ++i)
      elements.push_back(sums[element + i * packDistance]);
    packs.push_back(vector::FromElementsOp::create(kernel.b, type, elements));
  }
  return packs;
}

SmallVector<Value> DirectProduct::unpack(ArrayRef<Value> packs) const {
  if (packWidth == 1)
    return llvm::to_vector(packs);
  SmallVector<Value> sums(numElements);
  for (int64_t element = 0; element < numElements; ++element) {
    if (!isFirstOfPack(element))
      continue;
    for (int64_t i = 0; i < packWidth; ++i)
      sums[element + i * packDistance] =
          vector::ExtractOp::create(kernel.b, packs.front(), i);
    packs = packs.drop_front();
  }
  return sums;
}

/// Starts reads before the products of the first box, also of the boxes after
/// it: as many as leave registers for the sums (`kVectorsAhead`). LLVM
/// would spread them between products, and a wave that few others keep company
/// would wait for each of them (bench/results/amd-clock.md). Fences keep the
/// boxes apart, so that the first products do not wait for the last reads.
void DirectProduct::startReads(MutableArrayRef<Factors> boxes) const {
  size_t earlier = 0;
  for (Factors &box : boxes) {
    int64_t before = box.started;
    for (; box.started < numTaps * numElements &&
           earlier + box.countReads() < size_t(DirectTiling::kVectorsAhead);
         ++box.started) {
      int64_t element = box.started % numElements;
      int64_t tap = box.started / numElements;
      box.lhs.start(getPlace(lhs, element, tap));
      box.rhs.start(getPlace(rhs, element, tap));
    }
    earlier += box.countReads();
    if (&box == &boxes.front() || box.started > before)
      ScheduleFenceOp::create(kernel.b);
  }
}

SmallVector<Value> DirectProduct::create(ArrayRef<SmallVector<Value>> boxes,
                                         ValueRange sums) const {
  SmallVector<Factors> factors;
  for (ArrayRef<Value> digits : boxes)
    factors.push_back({createReader(lhs, digits), createReader(rhs, digits)});
  SmallVector<Value> packs = pack(sums);
  for (size_t i = 0; i < factors.size(); ++i) {
    if (kernel.chip.obeysScheduleFences())
      startReads(MutableArrayRef(factors).drop_front(i));
    for (int64_t tap = 0; tap < numTaps; ++tap)
      for (int64_t element = 0, number = 0; element < numElements; ++element)
        if (isFirstOfPack(element)) {
          Value &sum = packs[number++];
          sum = multiplyAdd(
              kernel.b, kernel.b.getLoc(),
              factors[i].lhs.read(getPlace(lhs, element, tap), packWidth),
              factors[i].rhs.read(getPlace(rhs, element, tap), packWidth), sum);
        }
  }
  return unpack(packs);
}

SmallVector<Value> DirectProduct::createZeros() const {
  Type sum = getAccumulatorType(kernel.form.lhs.getElementType());
  Value zero = arith::ConstantOp::create(kernel.b, kernel.b.getZeroAttr(sum));
  return SmallVector<Value>(numElements, zero);
}

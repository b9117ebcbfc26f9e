//===- HostCode.cpp - loops and accesses of host kernels --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors have the alignment of their elements, so loops may start anywhere.
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"

#include "../LoopUnrolling.h"
#include "../MultiplyAdd.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace mlir::conv;

Value HostCode::sub(Value lhs, Value rhs) const {
  return b.createOrFold<arith::SubIOp>(lhs, rhs);
}

Type HostCode::getSumType() const {
  return getAccumulatorType(kernel.form.getOperandType());
}

Type HostCode::getMultipliedType() const {
  return pairs == 1 ? getSumType() : kernel.form.getOperandType();
}

Value HostCode::createScratch(gpu::GPUFuncOp function, size_t index, Type type,
                              int64_t elements) const {
  if (ArrayRef<BlockArgument> known = function.getPrivateAttributions();
      index < known.size())
    return known[index];
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Private);
  return function.addPrivateAttribution(
      MemRefType::get({elements}, type, MemRefLayoutAttrInterface(), space),
      b.getLoc());
}

Value HostCode::createBuffer(gpu::GPUFuncOp function, Value buffer,
                             int64_t elements) const {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return memref::AllocaOp::create(
      b, cast<MemRefType>(buffer.getType()).clone({elements}));
}

Value HostCode::flatten(Value buffer) const {
  auto type = cast<MemRefType>(buffer.getType());
  auto flat =
      MemRefType::get({type.getNumElements()}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b, flat, buffer, /*offset=*/0, ArrayRef<int64_t>(type.getNumElements()),
      ArrayRef<int64_t>(1));
}

/// Accesses of memrefs take offsets of type `index`.
static Value toIndex(ImplicitLocOpBuilder &b, Value offset) {
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), offset);
}

Value HostCode::load(Value buffer, Value offset, int64_t elements) const {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return vector::LoadOp::create(b, VectorType::get({elements}, element), buffer,
                                toIndex(b, offset));
}

Value HostCode::loadRepeated(Value buffer, Value offset,
                             int64_t elements) const {
  return repeat(load(buffer, offset, 1), elements);
}

/// A vector of pairs as a vector of integers, and back.
static Value castPairs(const HostCode &code, Value vector, Type element) {
  auto type = cast<VectorType>(vector.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  return vector::BitCastOp::create(
      code.b,
      VectorType::get({bits / element.getIntOrFloatBitWidth()}, element),
      vector);
}

Value HostCode::joinPairs(Value vector) const {
  return castPairs(*this, vector, b.getI32Type());
}

Value HostCode::splitPairs(Value vector) const {
  return castPairs(*this, vector, getMultipliedType());
}

Value HostCode::loadMultiplied(Value buffer, Value offset,
                               int64_t elements) const {
  if (pairs == 1)
    return loadRepeated(buffer, offset, elements);
  return splitPairs(repeat(joinPairs(load(buffer, offset, pairs)), elements));
}

Value HostCode::repeat(Value one, int64_t elements) const {
  auto type = VectorType::get({elements}, getElementTypeOrSelf(one));
  return vector::BroadcastOp::create(b, type,
                                     vector::ExtractOp::create(b, one, 0));
}

bool HostCode::hasGathers(Value buffer) const {
  constexpr unsigned kBits = 32;
  // Distances to lanes before the tensor must not overflow either.
  constexpr int64_t kMostElements = int64_t(1) << (kBits - 2);
  auto type = cast<MemRefType>(buffer.getType());
  return kernel.chip.processor->hasGathers &&
         type.getElementTypeBitWidth() == kBits &&
         type.getNumElements() < kMostElements;
}

Value HostCode::gather(Value buffer, Value offset, Value distances,
                       Value mask) const {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = cast<VectorType>(mask.getType()).clone(element);
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::GatherOp::create(b, type, buffer, toIndex(b, offset),
                                  distances, mask, zeros);
}

Value HostCode::loadEach(Value buffer, ArrayRef<Value> offsets) const {
  SmallVector<Value> loaded;
  for (Value offset : offsets)
    loaded.push_back(load(buffer, offset, 1));
  return join(loaded);
}

Value HostCode::join(ArrayRef<Value> elements) const {
  auto count = static_cast<int64_t>(elements.size());
  Type element = getElementTypeOrSelf(elements.front());
  auto joinAs = [&](Type type, function_ref<Value(Value)> convert) {
    SmallVector<Value> scalars;
    for (Value one : elements)
      scalars.push_back(convert(vector::ExtractOp::create(b, one, 0)));
    return vector::FromElementsOp::create(b, VectorType::get({count}, type),
                                          scalars);
  };
  if (!element.isF16())
    return joinAs(element, [](Value scalar) { return scalar; });
  // x86 inserts 16 bits of memory in an instruction, but LLVM loads f16 first.
  Type bits = b.getI16Type();
  Value joined = joinAs(bits, [&](Value scalar) -> Value {
    return arith::BitcastOp::create(b, bits, scalar);
  });
  return arith::BitcastOp::create(b, VectorType::get({count}, element), joined);
}

bool HostCode::hasMaskedLoads(Value buffer) const {
  return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() >=
         kernel.chip.processor->leastMaskedBits;
}

Value HostCode::createMask(Value first, Value last, int64_t elements) const {
  return createMask(
      first, last,
      llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(elements))));
}

Value HostCode::createMask(Value first, Value last,
                           ArrayRef<int32_t> numbers) const {
  auto elements = static_cast<int64_t>(numbers.size());
  auto type = VectorType::get({elements}, b.getI32Type());
  auto spread = [&](Value limit) {
    Value inVector = math.minimum(math.maximum(limit, math.constant(0)),
                                  math.constant(elements));
    return vector::BroadcastOp::create(
        b, type, IndexMath(b, b.getI32Type()).cast(inVector));
  };
  Value number = arith::ConstantOp::create(
      b, DenseElementsAttr::get<int32_t>(type, numbers));
  return arith::AndIOp::create(
      b,
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, number,
                            spread(first)),
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number,
                            spread(last)));
}

Value HostCode::loadMasked(Value buffer, Value offset, Value mask,
                           Value others) const {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = cast<VectorType>(mask.getType()).clone(element);
  if (!others)
    others = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, buffer, toIndex(b, offset), mask,
                                      others);
}

Value HostCode::loadWideEvenly(Value buffer, Value offset, int64_t step,
                               int64_t elements) const {
  if (elements == 1 || step == 1)
    return loadWide(buffer, offset, elements);
  if (step == 0)
    return widen(loadRepeated(buffer, offset, elements));
  if (step == 2 && elements >= kHostLanes) {
    // Every second element of two vectors, which overlap in an element that is
    // not used: memory after the last element may not be the buffer's.
    // x86 has shuffles of 32 bits.
    Value low = loadWide(buffer, offset, elements);
    Value high = loadWide(buffer, math.add(offset, elements - 1), elements);
    SmallVector<int64_t> even;
    for (int64_t i = 0; i < elements; ++i)
      even.push_back(i < elements / 2 ? 2 * i : 2 * i + 1);
    return vector::ShuffleOp::create(b, low, high, even);
  }
  SmallVector<Value> offsets;
  for (int64_t i = 0; i < elements; ++i)
    offsets.push_back(math.add(offset, i * step));
  return widen(loadEach(buffer, offsets));
}

Value HostCode::widen(Value elements) const {
  if (pairs > 1)
    return elements;
  auto type = cast<VectorType>(elements.getType());
  return widenElement(b, b.getLoc(), elements,
                      type.clone(getAccumulatorType(type.getElementType())));
}

Value HostCode::loadGuarded(Value buffer, Value offset, Value guard,
                            int64_t elements) const {
  if (matchPattern(guard, m_One()))
    return load(buffer, offset, elements);
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({elements}, element);
  auto loaded = scf::IfOp::create(
      b, guard,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, load(buffer, offset, elements));
      },
      [&](OpBuilder &, Location) {
        Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
        scf::YieldOp::create(b, zeros);
      });
  return loaded.getResult(0);
}

void HostCode::store(Value elements, Value buffer, Value offset) const {
  vector::StoreOp::create(b, elements, buffer, toIndex(b, offset));
}

void HostCode::storeEvenly(Value elements, Value buffer, Value offset,
                           int64_t step) const {
  if (step == 1)
    return store(elements, buffer, offset);
  auto type = cast<VectorType>(elements.getType());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value element = vector::ExtractOp::create(b, elements, i);
    store(vector::BroadcastOp::create(
              b, VectorType::get({1}, type.getElementType()), element),
          buffer, math.add(offset, i * step));
  }
}

void HostCode::storeEvenly(Value elements, Value buffer, Value offset,
                           int64_t step, Value first, Value last) const {
  int64_t count = cast<VectorType>(elements.getType()).getNumElements();
  // The vectors that the elements are spread over, and a number that no mask
  // has for what is between them.
  constexpr int32_t kBetween = -1;
  for (int64_t vector = 0; vector < step; ++vector) {
    SmallVector<int64_t> shuffle;
    SmallVector<int32_t> numbers;
    for (int64_t place = vector * count; place < (vector + 1) * count;
         ++place) {
      shuffle.push_back(place / step);
      numbers.push_back(place % step == 0 ? int32_t(place / step) : kBetween);
    }
    Value spread =
        step == 1 ? elements
                  : vector::ShuffleOp::create(b, elements, elements, shuffle);
    vector::MaskedStoreOp::create(b, buffer,
                                  toIndex(b, math.add(offset, vector * count)),
                                  createMask(first, last, numbers), spread);
  }
}

void HostCode::storeZeros(int64_t elements, Value buffer, Value offset) const {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({elements}, element);
  store(arith::ConstantOp::create(b, b.getZeroAttr(type)), buffer, offset);
}

/// The sums and products of pairs, a vector of the processor at a time.
static Value multiplyPairs(const HostCode &code, Value lhs, Value rhs,
                           Value accumulator) {
  ImplicitLocOpBuilder &b = code.b;
  int64_t sums = cast<VectorType>(accumulator.getType()).getNumElements();
  auto slice = [&](Value vector, int64_t first, int64_t elements) -> Value {
    return vector::ExtractStridedSliceOp::create(
        b, vector, ArrayRef<int64_t>(first), ArrayRef<int64_t>(elements),
        ArrayRef<int64_t>(1));
  };
  for (int64_t i = 0; i < sums; i += code.lanes) {
    int64_t first = i * code.pairs, elements = code.lanes * code.pairs;
    Value sum = x86vector::DotBF16Op::create(
        b, slice(accumulator, i, code.lanes), slice(lhs, first, elements),
        slice(rhs, first, elements));
    accumulator = vector::InsertStridedSliceOp::create(
        b, sum, accumulator, ArrayRef<int64_t>(i), ArrayRef<int64_t>(1));
  }
  return accumulator;
}

Value HostCode::multiplyAdd(Value lhs, Value rhs, Value accumulator) const {
  if (pairs > 1)
    return multiplyPairs(*this, lhs, rhs, accumulator);
  if (isa<FloatType>(getElementTypeOrSelf(accumulator)))
    return vector::FMAOp::create(b, lhs, rhs, accumulator);
  Value product = arith::MulIOp::create(b, lhs, rhs);
  return arith::AddIOp::create(b, product, accumulator);
}

void HostCode::forEach(Value begin, Value end, int64_t step,
                       function_ref<void(Value)> body) const {
  auto loop =
      scf::ForOp::create(b, begin, end, math.constant(step), ValueRange{},
                         [&](OpBuilder &, Location, Value i, ValueRange) {
                           body(i);
                           scf::YieldOp::create(b);
                         });
  if (isRolled)
    disableUnrolling(loop);
}

/// Loops over the digits after those that `values` has.
static void createDigitLoops(const HostCode &code,
                             ArrayRef<HostCode::DigitLoop> loops,
                             SmallVector<Value> &values,
                             function_ref<void(ArrayRef<Value>)> body) {
  if (values.size() == loops.size())
    return body(values);
  auto [end, step] = loops[values.size()];
  auto create = [&](Value value) {
    values.push_back(value);
    createDigitLoops(code, loops, values, body);
    values.pop_back();
  };
  Value zero = code.math.constant(0);
  std::optional<int64_t> last = getConstantIntValue(end);
  if (last && *last <= step)
    return create(zero);
  code.forEach(zero, end, step, create);
}

void HostCode::forEachDigit(ArrayRef<DigitLoop> loops,
                            function_ref<void(ArrayRef<Value>)> body) const {
  SmallVector<Value> values;
  createDigitLoops(*this, loops, values, body);
}

void HostCode::forEachVector(
    Value begin, Value end,
    function_ref<void(Value first, int64_t elements)> body) const {
  Value count = sub(end, begin);
  Value middle = sub(end, math.rem(count, kHostLanes));
  forEach(begin, middle, kHostLanes, [&](Value i) { body(i, kHostLanes); });
  forEach(middle, end, 1, [&](Value i) { body(i, 1); });
}

void HostCode::forEachRun(
    Value begin, Value length, int64_t size,
    function_ref<void(Value first, Value length)> body) const {
  Value end = math.add(begin, length);
  forEach(math.div(begin, size), math.add(math.div(math.sub(end, 1), size), 1),
          1, [&](Value run) {
            Value start = math.mul(run, size);
            Value first = math.maximum(start, begin);
            body(first, sub(math.minimum(math.add(start, size), end), first));
          });
}

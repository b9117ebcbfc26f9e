//===- IndexMath.cpp - integer arithmetic of a kernel ---------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexMath.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

Value IndexMath::constant(int64_t value) const {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value IndexMath::constant(const SharedNumber &value) const {
  return value.isUniform() ? constant(value.getUniform())
                           : numbers->select(value, type);
}

Value IndexMath::cast(Value value) const {
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(b, type, value);
  if (value.getType().getIntOrFloatBitWidth() < type.getWidth())
    return b.createOrFold<arith::ExtSIOp>(type, value);
  return b.createOrFold<arith::TruncIOp>(type, value);
}

Value IndexMath::add(Value lhs, Value rhs) const {
  return b.createOrFold<arith::AddIOp>(lhs, rhs);
}

Value IndexMath::add(Value lhs, int64_t rhs) const {
  return add(lhs, constant(rhs));
}

Value IndexMath::add(Value lhs, const SharedNumber &rhs) const {
  return rhs.isAlways(0) ? lhs : add(lhs, constant(rhs));
}

Value IndexMath::sub(Value lhs, Value rhs) const {
  return b.createOrFold<arith::SubIOp>(lhs, rhs);
}

Value IndexMath::sub(Value lhs, int64_t rhs) const { return add(lhs, -rhs); }

Value IndexMath::sub(Value lhs, const SharedNumber &rhs) const {
  return rhs.isUniform() ? sub(lhs, rhs.getUniform()) : sub(lhs, constant(rhs));
}

Value IndexMath::mul(Value lhs, int64_t rhs) const {
  return b.createOrFold<arith::MulIOp>(lhs, constant(rhs));
}

Value IndexMath::mul(Value lhs, const SharedNumber &rhs) const {
  return rhs.isUniform() ? mul(lhs, rhs.getUniform())
                         : b.createOrFold<arith::MulIOp>(lhs, constant(rhs));
}

/// The first 32 of the 64 bits of an unsigned product.
static Value createHighProduct(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return arith::MulUIExtendedOp::create(b, lhs, rhs).getHigh();
}

/// Divides by a number that is known when the kernel starts: by a shift, or by
/// a multiplication with its reciprocal, `2^(31 + l) / n` rounded up for the
/// least `2^l` that is not below `n`. It is exact for numbers of 31 bits.
std::pair<Value, Value>
IndexMath::createDivision(Value lhs, const SharedNumber &rhs) const {
  assert(type.getWidth() == 32 && "reciprocals are of 32 bits");
  auto log2 = rhs.map([](int64_t n) { return llvm::Log2_64_Ceil(n); });
  if (llvm::all_of(rhs.getValues(), llvm::isPowerOf2_64))
    return {b.createOrFold<arith::ShRUIOp>(lhs, constant(log2)),
            b.createOrFold<arith::AndIOp>(
                lhs, constant(rhs.map([](int64_t n) { return n - 1; })))};
  SharedNumber reciprocal = rhs.map([](int64_t n) {
    int64_t power = int64_t(1) << (31 + llvm::Log2_64_Ceil(n));
    return int64_t(static_cast<int32_t>(llvm::divideCeil(power, n)));
  });
  // The product has one more bit to shift out; for 1, there is none.
  bool hasOne = rhs.minimum() == 1;
  Value factor = hasOne ? b.createOrFold<arith::ShLIOp>(lhs, constant(1)) : lhs;
  Value quotient = b.createOrFold<arith::ShRUIOp>(
      createHighProduct(b, factor, constant(reciprocal)),
      constant(hasOne ? log2 : log2.map([](int64_t n) { return n - 1; })));
  return {quotient, sub(lhs, mul(quotient, rhs))};
}

Value IndexMath::div(Value lhs, int64_t rhs) const {
  return b.createOrFold<arith::DivUIOp>(lhs, constant(rhs));
}

Value IndexMath::div(Value lhs, const SharedNumber &rhs) const {
  return rhs.isUniform() ? div(lhs, rhs.getUniform())
                         : createDivision(lhs, rhs).first;
}

Value IndexMath::rem(Value lhs, int64_t rhs) const {
  return rhs == 1 ? constant(0)
                  : b.createOrFold<arith::RemUIOp>(lhs, constant(rhs));
}

Value IndexMath::bitXor(Value lhs, Value rhs) const {
  return b.createOrFold<arith::XOrIOp>(lhs, rhs);
}

Value IndexMath::minimum(Value lhs, Value rhs) const {
  return b.createOrFold<arith::MinSIOp>(lhs, rhs);
}

Value IndexMath::maximum(Value lhs, Value rhs) const {
  return b.createOrFold<arith::MaxSIOp>(lhs, rhs);
}

Value IndexMath::below(Value lhs, int64_t rhs) const {
  TypedAttr bound = b.getIntegerAttr(getElementTypeOrSelf(lhs), rhs);
  if (auto vector = dyn_cast<VectorType>(lhs.getType()))
    bound = SplatElementsAttr::get(vector, cast<IntegerAttr>(bound).getValue());
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, lhs,
                                       arith::ConstantOp::create(b, bound));
}

Value IndexMath::below(Value lhs, const SharedNumber &rhs) const {
  return rhs.isUniform() ? below(lhs, rhs.getUniform())
                         : b.createOrFold<arith::CmpIOp>(
                               arith::CmpIPredicate::ult, lhs, constant(rhs));
}

Value IndexMath::both(Value lhs, Value rhs) const {
  return b.createOrFold<arith::AndIOp>(lhs, rhs);
}

Value IndexMath::select(Value condition, Value yes, Value no) const {
  return b.createOrFold<arith::SelectOp>(condition, yes, no);
}

Value IndexMath::yes() const {
  return arith::ConstantOp::create(b, b.getBoolAttr(true));
}

SmallVector<Value> IndexMath::split(Value value,
                                    ArrayRef<int64_t> sizes) const {
  return splitShared(value, llvm::to_vector_of<SharedNumber>(sizes));
}

SmallVector<Value> IndexMath::splitShared(Value value,
                                          ArrayRef<SharedNumber> sizes) const {
  SmallVector<Value> digits(sizes.size());
  if (sizes.empty())
    return digits;
  for (size_t i = sizes.size(); i-- > 1;) {
    if (sizes[i].isUniform()) {
      digits[i] = rem(value, sizes[i].getUniform());
      value = div(value, sizes[i].getUniform());
    } else {
      std::tie(value, digits[i]) = createDivision(value, sizes[i]);
    }
  }
  digits[0] = value;
  return digits;
}

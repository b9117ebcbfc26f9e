//===- Kernel.cpp - integer arithmetic and guarded accesses -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants are folded while the kernel is built: geometry is static, so most
// of the integer arithmetic disappears before any pass runs.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

Value IndexMath::constant(int64_t value) const {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
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

Value IndexMath::sub(Value lhs, Value rhs) const {
  return b.createOrFold<arith::SubIOp>(lhs, rhs);
}

Value IndexMath::sub(Value lhs, int64_t rhs) const { return add(lhs, -rhs); }

Value IndexMath::mul(Value lhs, int64_t rhs) const {
  return b.createOrFold<arith::MulIOp>(lhs, constant(rhs));
}

Value IndexMath::div(Value lhs, int64_t rhs) const {
  return b.createOrFold<arith::DivUIOp>(lhs, constant(rhs));
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

Value IndexMath::both(Value lhs, Value rhs) const {
  return b.createOrFold<arith::AndIOp>(lhs, rhs);
}

Value IndexMath::yes() const {
  return arith::ConstantOp::create(b, b.getBoolAttr(true));
}

SmallVector<Value> IndexMath::split(Value value,
                                    ArrayRef<int64_t> sizes) const {
  SmallVector<Value> digits(sizes.size());
  if (sizes.empty())
    return digits;
  for (size_t i = sizes.size(); i-- > 1;) {
    digits[i] = rem(value, sizes[i]);
    value = div(value, sizes[i]);
  }
  digits[0] = value;
  return digits;
}

ArrayRef<int64_t> Kernel::workgroupTile() const {
  return form.schedule.getWorkgroup();
}

ArrayRef<int64_t> Kernel::subgroupTile() const {
  return form.schedule.getSubgroup();
}

std::pair<Value, Value> Kernel::subgroupOrigin() const {
  int64_t across = workgroupTile()[1] / subgroupTile()[1];
  return {math.mul(math.div(subgroup, across), subgroupTile()[0]),
          math.mul(math.rem(subgroup, across), subgroupTile()[1])};
}

/// The offset in the integer width that an access to `buffer` takes.
static Value createAccessOffset(ImplicitLocOpBuilder &b, Value buffer,
                                Value offset) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  IntegerType width =
      bytes >= (int64_t(1) << 31) ? b.getI64Type() : b.getI32Type();
  return IndexMath(b, width).cast(offset);
}

Value mlir::conv::createGuardedLoad(ImplicitLocOpBuilder &b, Value source,
                                    Value offset, Value guard,
                                    int64_t elements) {
  Type element = cast<MemRefType>(source.getType()).getElementType();
  return GuardedLoadOp::create(b, VectorType::get({elements}, element), source,
                               createAccessOffset(b, source, offset), guard);
}

void mlir::conv::createGuardedStore(ImplicitLocOpBuilder &b, Value elements,
                                    Value destination, Value offset,
                                    Value guard) {
  GuardedStoreOp::create(b, elements, destination,
                         createAccessOffset(b, destination, offset), guard);
}

Value Kernel::load(Value source, Value offset, Value guard,
                   int64_t elements) const {
  return createGuardedLoad(b, source, offset, guard, elements);
}

void Kernel::copy(Value source, Value offset, Value guard, Value destination,
                  Value index, int64_t elements) const {
  GuardedCopyOp::create(b, source, createAccessOffset(b, source, offset),
                        destination, index, guard, elements);
}

void Kernel::store(Value elements, Value destination, Value offset,
                   Value guard) const {
  createGuardedStore(b, elements, destination, offset, guard);
}

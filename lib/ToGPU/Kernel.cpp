//===- Kernel.cpp - integer arithmetic and guarded accesses -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants are folded while building: geometry is static, so most of it
// disappears before any pass runs.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "MainLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
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
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, lhs,
                                       constant(rhs));
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

Value Kernel::accessOffset(Value buffer, Value offset) const {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  IntegerType width =
      bytes >= (int64_t(1) << 31) ? b.getI64Type() : b.getI32Type();
  return IndexMath(b, width).cast(offset);
}

Value Kernel::load(Value source, Value offset, Value guard,
                   int64_t elements) const {
  Type element = cast<MemRefType>(source.getType()).getElementType();
  return GuardedLoadOp::create(b, VectorType::get({elements}, element), source,
                               accessOffset(source, offset), guard);
}

void Kernel::copy(Value source, Value offset, Value guard, Value destination,
                  Value index, int64_t elements) const {
  GuardedCopyOp::create(b, source, accessOffset(source, offset), destination,
                        index, guard, elements);
}

void Kernel::store(Value elements, Value destination, Value offset,
                   Value guard) const {
  GuardedStoreOp::create(b, elements, destination,
                         accessOffset(destination, offset), guard);
}

void mlir::conv::forEachInTurn(const Kernel &kernel, Value worker,
                               int64_t workers, int64_t count, int64_t together,
                               bool unrolls,
                               function_ref<void(ArrayRef<Value>)> body) {
  ImplicitLocOpBuilder &b = kernel.b;
  const IndexMath &math = kernel.math;
  auto visit = [&](Value first, int64_t numbers) {
    SmallVector<Value> items;
    for (int64_t i = 0; i < numbers; ++i)
      items.push_back(math.add(first, i * workers));
    if (!items.empty())
      body(items);
  };
  int64_t step = together * workers;
  int64_t whole = count / step * step;
  if (whole > 0) {
    auto loop = scf::ForOp::create(
        b, math.constant(0), math.constant(whole), math.constant(step),
        ValueRange{}, [&](OpBuilder &, Location, Value first, ValueRange) {
          visit(math.add(first, worker), together);
          scf::YieldOp::create(b);
        });
    if (!unrolls)
      disableUnrolling(loop);
  }
  int64_t rounds = (count - whole) / workers;
  visit(math.add(worker, whole), rounds);
  int64_t done = whole + rounds * workers;
  if (done == count)
    return;
  scf::IfOp::create(b, math.below(worker, count - done),
                    [&](OpBuilder &, Location) {
                      visit(math.add(worker, done), 1);
                      scf::YieldOp::create(b);
                    });
}

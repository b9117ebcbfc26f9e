//===- Kernel.cpp - sizes and guarded accesses of a kernel ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

SharedNumber
Kernel::getNumber(function_ref<int64_t(const TiledConvolution &)> of) const {
  if (subproblems.empty())
    return of(form);
  return SharedNumber(llvm::map_to_vector(
      subproblems, [&](const TiledConvolution *one) { return of(*one); }));
}

SharedNumber Kernel::getRows() const {
  return getNumber([](const TiledConvolution &of) { return of.getRows(); });
}

SharedNumber Kernel::getReduction() const {
  return getNumber(
      [](const TiledConvolution &of) { return of.getReduction(); });
}

SharedNumber Kernel::countSteps() const {
  return getReduction().map(
      [&](int64_t n) { return llvm::divideCeil(n, gemmK()); });
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
  int64_t bytes = computeBytes(type);
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
                  Value index, int64_t elements, bool isCached) const {
  GuardedCopyOp::create(b, source, createAccessOffset(b, source, offset),
                        destination, index, guard, elements, isCached);
}

void Kernel::store(Value elements, Value destination, Value offset,
                   Value guard) const {
  createGuardedStore(b, elements, destination, offset, guard);
}

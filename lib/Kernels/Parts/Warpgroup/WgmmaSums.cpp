//===- WgmmaSums.cpp - accumulators of a warpgroup --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accumulators of an atom are one struct, as instructions return it.
//
//===----------------------------------------------------------------------===//

#include "WgmmaSums.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

Type WgmmaSums::getSumsType() const {
  SmallVector<Type> types(getNumAccumulators(), elementType);
  return LLVM::LLVMStructType::getLiteral(ptx.b.getContext(), types);
}

SmallVector<Value> WgmmaSums::createUndefined() const {
  Value nothing = LLVM::PoisonOp::create(ptx.b, getSumsType());
  return SmallVector<Value>(tile.atomsPerConsumer(), nothing);
}

void WgmmaSums::wait(int64_t steps) const {
  NVVM::WgmmaWaitGroupSyncOp::create(ptx.b, steps);
}

SmallVector<Value> WgmmaSums::createZeros() const {
  Value zeros = LLVM::ZeroOp::create(ptx.b, getSumsType());
  return SmallVector<Value>(tile.atomsPerConsumer(), zeros);
}

SmallVector<Value> WgmmaSums::finish(ValueRange accumulators) const {
  wait(0);
  return llvm::map_to_vector(accumulators,
                             [&](Value sums) { return finishAtom(sums); });
}

Value WgmmaSums::finishAtom(Value sums) const {
  // The wait does not name the registers that it waits for. An empty line of
  // inline assembly that reads and writes them keeps their uses after it.
  int64_t count = getNumAccumulators();
  StringRef output = isa<IntegerType>(elementType) ? "=r," : "=f,";
  std::string constraints;
  for (int64_t i = 0; i < count; ++i)
    constraints += output;
  for (int64_t i = 0; i < count; ++i)
    constraints += std::to_string(i) + (i + 1 < count ? "," : "");
  SmallVector<Value> registers;
  for (int64_t i = 0; i < count; ++i)
    registers.push_back(LLVM::ExtractValueOp::create(ptx.b, sums, i));
  return LLVM::InlineAsmOp::create(
             ptx.b, sums.getType(), registers, /*asm_string=*/"", constraints,
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(ptx.b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

Value WgmmaSums::addAtom(Value sums, Value others) const {
  Value total = sums;
  for (int64_t i = 0; i < getNumAccumulators(); ++i)
    total = LLVM::InsertValueOp::create(
        ptx.b, total,
        LLVM::FAddOp::create(ptx.b,
                             LLVM::ExtractValueOp::create(ptx.b, sums, i),
                             LLVM::ExtractValueOp::create(ptx.b, others, i)),
        i);
  return total;
}

Value WgmmaSums::getPair(const PtxBuilder &ptx, Value accumulators,
                         int64_t first) {
  Value low = LLVM::ExtractValueOp::create(ptx.b, accumulators, first);
  Value high = LLVM::ExtractValueOp::create(ptx.b, accumulators, first + 1);
  return vector::FromElementsOp::create(
      ptx.b, VectorType::get({2}, low.getType()), ValueRange{low, high});
}

//===- WgmmaFragmentUnit.cpp - products with fragments in registers -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The NVVM dialect has no wgmma with an operand in registers, so this file
// writes it as inline assembly.
//
//===----------------------------------------------------------------------===//

#include "WgmmaFragmentUnit.h"

#include "WgmmaUnit.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

using Tile = ::conv::WarpgroupTile;

/// Elements of the reduction that one instruction multiplies.
static constexpr int64_t kAtomK = 16;
/// Registers of a fragment.
static constexpr int64_t kFragmentRegisters = 4;

WgmmaFragmentUnit::WgmmaFragmentUnit(const PtxBuilder &ptx,
                                     const ::conv::WarpgroupTile &tile,
                                     Type operandType, Value filter)
    : WgmmaSums(ptx, tile, ptx.b.getF32Type()), isF16(operandType.isF16()),
      filter(createRowsDescriptor(
          ptx, LLVM::PtrToIntOp::create(ptx.b, ptx.b.getI32Type(), filter))) {}

void WgmmaFragmentUnit::begin() const {
  NVVM::WgmmaFenceAlignedOp::create(ptx.b);
}

void WgmmaFragmentUnit::commit() const {
  NVVM::WgmmaGroupSyncAlignedOp::create(ptx.b);
}

/// "$first, ..., $(first + count - 1)".
static std::string listOperands(int64_t first, int64_t count) {
  std::string list;
  for (int64_t i = first; i < first + count; ++i)
    list += llvm::formatv("{0}${1}", i == first ? "" : ", ", i);
  return list;
}

/// The instruction. Its operands are the sums, which it reads and writes; the
/// registers of the fragment; the descriptor of the right operand's rows; and
/// whether it reads the sums. For 16-bit types, a last operand says whether the
/// right operand has the reduction outermost.
static std::string createAssembly(int64_t columns, StringRef type) {
  int64_t sums = columns / 2;
  int64_t fragment = 2 * sums;
  int64_t descriptor = fragment + kFragmentRegisters;
  return llvm::formatv(
      "{{ .reg .pred p; setp.ne.b32 p, ${0}, 0; "
      "wgmma.mma_async.sync.aligned.m64n{1}k{2}.f32.{3}.{3} {{{4}}, {{{5}}, "
      "${6}, p, 1, 1{7}; }",
      descriptor + 1, columns, type == "tf32" ? 8 : 16, type,
      listOperands(0, sums), listOperands(fragment, kFragmentRegisters),
      descriptor, type == "tf32" ? "" : ", 0");
}

/// Constraints of the results, of the sums tied to them, and of the rest.
static std::string createConstraints(int64_t columns) {
  int64_t sums = columns / 2;
  std::string constraints;
  for (int64_t i = 0; i < sums; ++i)
    constraints += "=f,";
  for (int64_t i = 0; i < sums; ++i)
    constraints += std::to_string(i) + ",";
  for (int64_t i = 0; i < kFragmentRegisters; ++i)
    constraints += "r,";
  return constraints + "l,n";
}

Value WgmmaFragmentUnit::createProduct(Value sums, ArrayRef<Value> fragment,
                                       int64_t step) const {
  constexpr int64_t kStepsPerRow = Tile::kRowElements / kAtomK;
  int64_t bytes = step / kStepsPerRow * tile.columns * Tile::kRowBytes +
                  step % kStepsPerRow * kAtomK * Tile::kElementBytes;
  return createFragmentProduct(
      ptx, tile.columns, isF16 ? "f16" : "bf16", sums, fragment,
      ptx.add64(filter, ptx.constant64(bytes / kDescriptorUnitBytes)),
      /*adds=*/step != 0);
}

Value mlir::conv::createFragmentProduct(const PtxBuilder &ptx, int64_t columns,
                                        StringRef type, Value sums,
                                        ArrayRef<Value> fragment,
                                        Value descriptor, bool adds) {
  SmallVector<Value> operands;
  for (int64_t i = 0; i < columns / 2; ++i)
    operands.push_back(LLVM::ExtractValueOp::create(ptx.b, sums, i));
  llvm::append_range(operands, fragment);
  operands.push_back(descriptor);
  operands.push_back(ptx.math.constant(adds ? 1 : 0));
  return LLVM::InlineAsmOp::create(
             ptx.b, sums.getType(), operands, createAssembly(columns, type),
             createConstraints(columns), /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(ptx.b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

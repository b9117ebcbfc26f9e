//===- ConvertKernelOpsToNVVM.cpp - atoms to mma.sync -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An atom of 16 x 8 x k is one mma.sync. Its fragments in `conv.mma` hold the k
// of a row contiguously, which differs from the instruction's register order;
// any order of k is right as long as both operands use it.
//
//===----------------------------------------------------------------------===//

#include "../AddressAccess.h"
#include "../FmaAtom.h"
#include "../TargetCheck.h"
#include "ExpandDivision.h"
#include "conv/Backend/Passes.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTKERNELOPSTONVVMPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Elements of a fragment in one 32-bit register.
static int64_t countPerRegister(Value fragment) {
  return 32 / getElementTypeOrSelf(fragment).getIntOrFloatBitWidth();
}

/// A register with neighbouring elements of a fragment, from `first` on. The
/// instruction takes f16 as vectors, f32 rounded to tf32 as integers, and all
/// other types as integers.
static Value createRegister(OpBuilder &builder, Location loc, Value fragment,
                            int64_t first) {
  Type element = getElementTypeOrSelf(fragment);
  if (element.isF32())
    return NVVM::ConvertFloatToTF32Op::create(
        builder, loc, builder.getI32Type(),
        vector::ExtractOp::create(builder, loc, fragment, first),
        NVVM::FPRoundingMode::RNA);
  Value elements = vector::ExtractStridedSliceOp::create(
      builder, loc, fragment, ArrayRef<int64_t>{first},
      ArrayRef<int64_t>{countPerRegister(fragment)}, ArrayRef<int64_t>{1});
  if (element.isF16())
    return elements;
  auto bits = VectorType::get({1}, builder.getI32Type());
  return vector::ExtractOp::create(
      builder, loc, vector::BitCastOp::create(builder, loc, bits, elements), 0);
}

/// The registers of a fragment of `rows` rows: the first halves of k of all
/// rows, then the second halves. The fragment has one row after the other.
static SmallVector<Value> createRegisters(OpBuilder &builder, Location loc,
                                          Value fragment, int64_t rows) {
  int64_t perRow = cast<VectorType>(fragment.getType()).getNumElements() / rows;
  SmallVector<Value> registers;
  for (int64_t k = 0; k < perRow; k += countPerRegister(fragment))
    for (int64_t row = 0; row < rows; ++row)
      registers.push_back(
          createRegister(builder, loc, fragment, row * perRow + k));
  return registers;
}

static NVVM::MMATypes getMmaType(Type element) {
  if (element.isF16())
    return NVVM::MMATypes::f16;
  if (element.isBF16())
    return NVVM::MMATypes::bf16;
  return element.isF32() ? NVVM::MMATypes::tf32 : NVVM::MMATypes::s8;
}

/// The registers of an instruction.
namespace {
struct MmaRegisters {
  SmallVector<Value> a, b, sums;
  Type resultType;
};
} // namespace

static Value createInstruction(OpBuilder &builder, MmaOp op,
                               const MmaRegisters &registers) {
  AtomAttr atom = op.getAtom();
  Type element = getElementTypeOrSelf(op.getA());
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (element.isInteger())
    overflow = NVVM::MMAIntOverflow::wrapped;
  NVVM::MMATypes type = getMmaType(element);
  return NVVM::MmaOp::create(
      builder, op.getLoc(), registers.resultType, registers.a, registers.b,
      registers.sums, ArrayRef<int64_t>{atom.getM(), atom.getN(), atom.getK()},
      /*b1Op=*/std::nullopt, overflow,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
}

/// 8-bit floats of any two formats: `nvvm.mma.sync` lacks this shape, but its
/// intrinsics exist.
static Value createFloat8Instruction(OpBuilder &builder, MmaOp op,
                                     const MmaRegisters &registers) {
  auto getFormat = [](Value fragment) {
    return isa<Float8E4M3FNType>(getElementTypeOrSelf(fragment)) ? "e4m3"
                                                                 : "e5m2";
  };
  AtomAttr atom = op.getAtom();
  std::string name = llvm::formatv(
      "llvm.nvvm.mma.m{0}n{1}k{2}.row.col.f32.{3}.{4}.f32", atom.getM(),
      atom.getN(), atom.getK(), getFormat(op.getA()), getFormat(op.getB()));
  auto operands = llvm::to_vector(
      llvm::concat<const Value>(registers.a, registers.b, registers.sums));
  return LLVM::CallIntrinsicOp::create(builder, op.getLoc(),
                                       registers.resultType,
                                       builder.getStringAttr(name), operands)
      .getResults();
}

static Value createMmaSync(OpBuilder &builder, MmaOp op) {
  Location loc = op.getLoc();
  auto sumType = cast<VectorType>(op.getAccumulator().getType());
  MmaRegisters registers;
  for (int64_t i = 0; i < sumType.getNumElements(); ++i)
    registers.sums.push_back(
        vector::ExtractOp::create(builder, loc, op.getAccumulator(), i));
  registers.a = createRegisters(builder, loc, op.getA(), 2);
  registers.b = createRegisters(builder, loc, op.getB(), 1);
  SmallVector<Type> types(registers.sums.size(), sumType.getElementType());
  registers.resultType =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  Value results = isFloat8(getElementTypeOrSelf(op.getA()))
                      ? createFloat8Instruction(builder, op, registers)
                      : createInstruction(builder, op, registers);
  SmallVector<Value> sums;
  for (size_t i = 0; i < types.size(); ++i)
    sums.push_back(LLVM::ExtractValueOp::create(builder, loc, results,
                                                static_cast<int64_t>(i)));
  return vector::FromElementsOp::create(builder, loc, sumType, sums);
}

/// Kernels issue warpgroup instructions themselves.
static Value createMatrixInstruction(OpBuilder &builder, MmaOp op) {
  return op.getAtom().getKind() == AtomKind::MMASync
             ? createMmaSync(builder, op)
             : nullptr;
}

namespace {
struct ConvertKernelOpsToNVVMPass final
    : mlir::conv::impl::ConvertKernelOpsToNVVMPassBase<
          ConvertKernelOpsToNVVMPass> {
  void runOnOperation() override {
    if (failed(verifyTarget(getOperation(), ::conv::Backend::NVPTX)))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateMmaPatterns(patterns, createMatrixInstruction);
    // The branch becomes a predicate of the instruction.
    populateStoreToBranchPatterns(patterns,
                                  [](GuardedStoreOp) { return true; });
    joinScalarDivisions(getOperation());
    populateExpandDivisionPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

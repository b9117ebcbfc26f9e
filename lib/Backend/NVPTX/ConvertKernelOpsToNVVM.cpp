//===- ConvertKernelOpsToNVVM.cpp - atoms to mma.sync -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An atom of 16 x 8 x 16 is one mma.sync. Its fragments in `conv.mma` have the
// k of a row side by side, which is not the order of the instruction's
// registers; any order of k is right as long as both operands have it.
//
//===----------------------------------------------------------------------===//

#include "../AddressAccess.h"
#include "../FmaAtom.h"
#include "../TargetCheck.h"
#include "conv/Backend/Passes.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTKERNELOPSTONVVMPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// A register with two neighbouring elements of a fragment for each of
/// `firsts`. The instruction takes f16 as vectors, and bf16 as integers.
static SmallVector<Value> createRegisters(OpBuilder &builder, Location loc,
                                          Value fragment,
                                          ArrayRef<int64_t> firsts) {
  bool isHalf = getElementTypeOrSelf(fragment).isF16();
  SmallVector<Value> registers;
  for (int64_t first : firsts) {
    Value pair = vector::ExtractStridedSliceOp::create(
        builder, loc, fragment, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{2},
        ArrayRef<int64_t>{1});
    registers.push_back(isHalf ? pair
                               : LLVM::BitcastOp::create(
                                     builder, loc, builder.getI32Type(), pair)
                                     .getResult());
  }
  return registers;
}

static Value createMmaSync(OpBuilder &builder, MmaOp op) {
  Location loc = op.getLoc();
  AtomAttr atom = op.getAtom();
  auto sumType = cast<VectorType>(op.getAccumulator().getType());
  SmallVector<Value> sums;
  for (int64_t i = 0; i < sumType.getNumElements(); ++i)
    sums.push_back(
        vector::ExtractOp::create(builder, loc, op.getAccumulator(), i));
  // A: rows 0 and 8 of the first half of k, then of the second half. The
  // fragment has all k of row 0 (elements 0 to 3), then all of row 8.
  SmallVector<Value> a = createRegisters(builder, loc, op.getA(), {0, 4, 2, 6});
  SmallVector<Value> b = createRegisters(builder, loc, op.getB(), {0, 2});
  NVVM::MMATypes type = getElementTypeOrSelf(op.getA()).isF16()
                            ? NVVM::MMATypes::f16
                            : NVVM::MMATypes::bf16;
  SmallVector<Type> resultTypes(sums.size(), sumType.getElementType());
  Value results = NVVM::MmaOp::create(
      builder, loc,
      LLVM::LLVMStructType::getLiteral(builder.getContext(), resultTypes), a, b,
      sums, ArrayRef<int64_t>{atom.getM(), atom.getN(), atom.getK()},
      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(builder, loc, results,
                                       static_cast<int64_t>(i));
  return vector::FromElementsOp::create(builder, loc, sumType, sums);
}

namespace {
struct MmaToInstruction final : OpRewritePattern<MmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MmaOp op,
                                PatternRewriter &rewriter) const override {
    switch (op.getAtom().getKind()) {
    case AtomKind::MMASync:
      rewriter.replaceOp(op, createMmaSync(rewriter, op));
      return success();
    case AtomKind::FMA:
      rewriter.replaceOp(op, createFmaAtom(rewriter, op));
      return success();
    case AtomKind::MFMA:
    case AtomKind::WMMA:
      return rewriter.notifyMatchFailure(op, "not an NVIDIA atom");
    }
    return failure();
  }
};

struct ConvertKernelOpsToNVVMPass final
    : mlir::conv::impl::ConvertKernelOpsToNVVMPassBase<
          ConvertKernelOpsToNVVMPass> {
  void runOnOperation() override {
    if (failed(verifyTarget(getOperation(), ::conv::Backend::NVPTX)))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<MmaToInstruction>(&getContext());
    // The branch becomes a predicate of the instruction.
    populateStoreToBranchPatterns(patterns,
                                  [](GuardedStoreOp) { return true; });
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

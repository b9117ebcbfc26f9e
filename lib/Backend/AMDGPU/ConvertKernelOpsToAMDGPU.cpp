//===- ConvertKernelOpsToAMDGPU.cpp - matrix atoms to AMD instructions ----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atoms become upstream amdgpu ops, which know each chip's intrinsics. LLVM
// packs multiply-adds of vectors where the chip can.
//
//===----------------------------------------------------------------------===//

#include "../AddressAccess.h"
#include "../FmaAtom.h"
#include "../TargetCheck.h"
#include "ScheduleFences.h"
#include "conv/Backend/Passes.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTKERNELOPSTOAMDGPUPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// A fragment of one element as that element, which is what amdgpu.mfma takes.
static Value unwrapSingle(OpBuilder &builder, Location loc, Value fragment) {
  if (cast<VectorType>(fragment.getType()).getNumElements() != 1)
    return fragment;
  return vector::ExtractOp::create(builder, loc, fragment, 0);
}

static Value createMfma(OpBuilder &builder, MmaOp op) {
  Location loc = op.getLoc();
  AtomAttr atom = op.getAtom();
  auto mfma = amdgpu::MFMAOp::create(
      builder, loc, op.getAccumulator().getType(),
      static_cast<uint32_t>(atom.getM()), static_cast<uint32_t>(atom.getN()),
      static_cast<uint32_t>(atom.getK()), /*blocks=*/1u,
      unwrapSingle(builder, loc, op.getA()),
      unwrapSingle(builder, loc, op.getB()), op.getAccumulator());
  mfma.setReducePrecision(op.getMultipliedType() == ::conv::NumericType::TF32);
  return mfma;
}

static Value createWmma(OpBuilder &builder, MmaOp op) {
  AtomAttr atom = op.getAtom();
  return amdgpu::WMMAOp::create(
      builder, op.getLoc(), op.getAccumulator().getType(),
      static_cast<uint32_t>(atom.getM()), static_cast<uint32_t>(atom.getN()),
      static_cast<uint32_t>(atom.getK()), op.getA(), op.getB(),
      op.getAccumulator());
}

static Value createInstruction(OpBuilder &builder, MmaOp op) {
  switch (op.getAtom().getKind()) {
  case AtomKind::MFMA:
    return createMfma(builder, op);
  case AtomKind::WMMA:
    return createWmma(builder, op);
  default:
    return nullptr;
  }
}

namespace {
/// Work-items of a kernel exchange values in shared memory only. A barrier that
/// orders all memory would also invalidate the caches next to compute units
/// where a workgroup runs on several of them.
struct BarrierToSharedBarrier final : OpRewritePattern<gpu::BarrierOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(gpu::BarrierOp op,
                                PatternRewriter &rewriter) const override {
    createFence(op, LLVM::AtomicOrdering::release, rewriter);
    ROCDL::SBarrierOp::create(rewriter, op.getLoc());
    createFence(op, LLVM::AtomicOrdering::acquire, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void createFence(gpu::BarrierOp op, LLVM::AtomicOrdering ordering,
                          PatternRewriter &rewriter) {
    auto fence =
        LLVM::FenceOp::create(rewriter, op.getLoc(), ordering, "workgroup");
    fence->setDiscardableAttr(LLVM::LLVMDialect::getMmraAttrName(),
                              LLVM::MMRATagAttr::get(rewriter.getContext(),
                                                     "amdgpu-synchronize-as",
                                                     "local"));
  }
};

struct SetPriorityToInstruction final : OpRewritePattern<SetPriorityOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SetPriorityOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::SetPrioOp>(
        op, static_cast<uint16_t>(op.getLevel()));
    return success();
  }
};

struct ConvertKernelOpsToAMDGPUPass final
    : mlir::conv::impl::ConvertKernelOpsToAMDGPUPassBase<
          ConvertKernelOpsToAMDGPUPass> {
  void runOnOperation() override {
    if (failed(verifyTarget(getOperation(), ::conv::Backend::AMDGPU)))
      return signalPassFailure();
    convertScheduleFences(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<BarrierToSharedBarrier, SetPriorityToInstruction>(
        &getContext());
    // Only RDNA chips have FMA atoms, and all of them issue two multiply-adds
    // at once.
    populateMmaPatterns(patterns, createInstruction, FmaOrder::Rotated);
    // Buffer instructions guard all other stores.
    populateStoreToBranchPatterns(patterns, [](GuardedStoreOp op) {
      return op.getOffset().getType().isInteger(64);
    });
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

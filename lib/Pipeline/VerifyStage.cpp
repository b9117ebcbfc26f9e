//===- VerifyStage.cpp - contracts between stages ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per row of the table in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/RunTimeSizes.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Pipeline/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/StringSwitch.h"

namespace mlir::conv {
#define GEN_PASS_DEF_VERIFYSTAGEPASS
#include "conv/Pipeline/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Checks one op; the walk stops at the first failure.
using OpCheck = LogicalResult (*)(Operation *);
} // namespace

static LogicalResult verifyConv(Operation *op) {
  if (auto module = dyn_cast<ModuleOp>(op); module && !TargetAttr::lookup(op))
    return op->emitOpError("expects ") << TargetAttr::kName << ", but got none";
  if (auto convolution = dyn_cast<ConvolutionOpInterface>(op);
      convolution && !convolution.getScheduleAttr())
    return op->emitOpError(
        "expects a schedule after the conv stage, but got none");
  return success();
}

static LogicalResult verifyLinalg(Operation *op) {
  // One kernel computes the op directly.
  if (auto dynamic = dyn_cast<DynamicOpInterface>(op);
      dynamic && dynamic.hasTokenKernel())
    return success();
  if (isa_and_nonnull<ConvDialect>(op->getDialect()) &&
      !isa<CountNeighboursOp, GatherOp, ScatterOp, StateOpInterface, YieldOp>(
          op))
    return op->emitOpError("is left after the linalg stage");
  if (isa<linalg::GenericOp>(op) &&
      !isa_and_nonnull<ScheduleAttr, TransformScheduleAttr>(
          op->getAttr(kScheduleName)))
    return op->emitOpError("expects a ")
           << kScheduleName << " on every epilogue";
  return success();
}

static LogicalResult verifyTiled(Operation *op) {
  if (auto forall = dyn_cast<scf::ForallOp>(op))
    return failure(failed(TiledConvolution::match(forall)));
  if (isa<linalg::LinalgOp>(op) && !op->getParentOfType<scf::ForallOp>())
    return op->emitOpError("is not part of a tiled convolution");
  return success();
}

static bool isTensor(Type type) { return isa<TensorType>(type); }

static LogicalResult verifyGpu(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), isTensor) ||
      llvm::any_of(op->getResultTypes(), isTensor))
    return op->emitOpError("has tensors after the gpu stage");
  auto function = dyn_cast<func::FuncOp>(op->getParentOp());
  if (function &&
      !isa<gpu::LaunchFuncOp, memref::ViewOp, TensorMapOp, func::ReturnOp,
           arith::CeilDivUIOp, arith::IndexCastOp, arith::MulIOp>(op) &&
      !matchPattern(op, m_Constant()))
    return op->emitOpError("is not part of a list of launches");
  return success();
}

static LogicalResult verifyLlvm(Operation *op) {
  if (op->getParentOfType<gpu::GPUModuleOp>() &&
      !isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect,
                       ROCDL::ROCDLDialect>(op->getDialect()))
    return op->emitOpError("is left in a kernel after the llvm stage");
  return success();
}

static LogicalResult verifyBinary(Operation *op) {
  if (isa<gpu::GPUModuleOp>(op))
    return op->emitOpError("is left after the binary stage");
  return success();
}

namespace {
struct VerifyStagePass final
    : mlir::conv::impl::VerifyStagePassBase<VerifyStagePass> {
  using VerifyStagePassBase::VerifyStagePassBase;

  void runOnOperation() override {
    auto check = llvm::StringSwitch<OpCheck>(stage)
                     .Case("conv", verifyConv)
                     .Case("linalg", verifyLinalg)
                     .Case("tiled", verifyTiled)
                     .Case("gpu", verifyGpu)
                     .Case("llvm", verifyLlvm)
                     .Case("binary", verifyBinary)
                     .Default(nullptr);
    if (!check) {
      getOperation().emitError("expects a stage of conv, linalg, tiled, gpu, "
                               "llvm or binary, but got \"")
          << stage << "\"";
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) -> WalkResult {
          if (isa<UnrealizedConversionCastOp>(op))
            return op->emitOpError("is left after the ") << stage << " stage";
          // The module itself has no parent to check.
          if (op == getOperation() && stage != "conv")
            return success();
          return check(op);
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

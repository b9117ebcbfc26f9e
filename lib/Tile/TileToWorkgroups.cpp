//===- TileToWorkgroups.cpp - linalg form to tiles --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream tiling does the work through TilingInterface; this file selects
// which ops are tiled and with which sizes. The schedule decides tile sizes.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Tile/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::conv {
#define GEN_PASS_DEF_TILETOWORKGROUPSPASS
#include "conv/Tile/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Whether `producer` may be computed inside the loop over the reduction. The
/// initial value of the sum may not: the sum would restart at every step.
static std::optional<scf::SCFTileAndFuseOptions::ControlFnResult>
fuseIntoReduction(tensor::ExtractSliceOp, OpResult producer, bool) {
  if (isa<linalg::FillOp>(producer.getOwner()))
    return std::nullopt;
  return scf::SCFTileAndFuseOptions::ControlFnResult{};
}

/// Tiles `root` by `options`, fuses its producers, and replaces it by the
/// resulting loop, of which there must be one.
static FailureOr<Operation *> tileAndFuse(IRRewriter &rewriter, Operation *root,
                                          scf::SCFTileAndFuseOptions options) {
  rewriter.setInsertionPoint(root);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(root), options);
  if (failed(tiled) || tiled->loops.size() != 1)
    return failure();
  for (OpResult result : root->getResults())
    rewriter.replaceAllUsesWith(result, tiled->replacements.lookup(result));
  rewriter.eraseOp(root);
  return tiled->loops.front().getOperation();
}

/// Tiles one epilogue and everything that it consumes.
static LogicalResult tileEpilogue(IRRewriter &rewriter,
                                  linalg::GenericOp epilogue) {
  MLIRContext *context = epilogue.getContext();
  Location loc = epilogue.getLoc();
  Attribute schedule = epilogue->getAttr(kScheduleName);
  epilogue->removeAttr(kScheduleName);

  scf::SCFTileAndFuseOptions overResult;
  overResult.tilingOptions.setLoopType(
      scf::SCFTilingOptions::LoopType::ForallOp);
  int64_t columns =
      cast<ShapedType>(epilogue.getResultTypes()[0]).getDimSize(2);
  bool isProduct = llvm::any_of(epilogue.getInputs(), [](Value input) {
    return input.getDefiningOp<linalg::BatchMatmulOp>() != nullptr;
  });
  std::array<int64_t, 3> tile = getTile(schedule, isProduct, columns);
  overResult.tilingOptions.setTileSizes(getAsIndexOpFoldResult(context, tile));
  FailureOr<Operation *> forall = tileAndFuse(rewriter, epilogue, overResult);
  if (failed(forall))
    return emitError(loc)
           << "expects an epilogue that tiles into one loop nest";
  (*forall)->setAttr(kScheduleName, schedule);

  if (!isProduct)
    return success();
  linalg::BatchMatmulOp product;
  (*forall)->walk([&](linalg::BatchMatmulOp op) { product = op; });
  assert(product && "what the epilogue consumes is fused into its tiles");
  scf::SCFTileAndFuseOptions overReduction;
  overReduction.tilingOptions.setTileSizes(getAsIndexOpFoldResult(
      context, {0, 0, 0, cast<ScheduleAttr>(schedule).getGemmK()}));
  overReduction.setFusionControlFn(fuseIntoReduction);
  if (failed(tileAndFuse(rewriter, product, overReduction)))
    return emitError(loc) << "expects a product that tiles its reduction";
  return success();
}

/// Erases the untiled producers that fusion left without uses, after the
/// folding of `tensor.dim` ops that ask for their sizes.
static LogicalResult eraseUntiledProducers(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  return applyPatternsGreedily(function, std::move(patterns));
}

namespace {
struct TileToWorkgroupsPass final
    : mlir::conv::impl::TileToWorkgroupsPassBase<TileToWorkgroupsPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> epilogues;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kScheduleName))
        epilogues.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp epilogue : epilogues)
      if (failed(tileEpilogue(rewriter, epilogue)))
        return signalPassFailure();
    if (failed(eraseUntiledProducers(getOperation())))
      signalPassFailure();
  }
};
} // namespace

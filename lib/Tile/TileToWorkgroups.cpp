//===- TileToWorkgroups.cpp - linalg form to tiles -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream tiling does the work through TilingInterface; this file says what is
// tiled by what. Tile sizes come from the schedule and are only obeyed here.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Tile/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

namespace mlir::conv {
#define GEN_PASS_DEF_TILETOWORKGROUPSPASS
#include "conv/Tile/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// Tiles `root` by `sizes` with loops of `loopType`, fuses all producers, and
/// replaces the root. Returns the loops.
static FailureOr<SmallVector<LoopLikeOpInterface>>
tileAndFuse(IRRewriter &rewriter, TilingInterface root, ArrayRef<int64_t> sizes,
            scf::SCFTilingOptions::LoopType loopType) {
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setLoopType(loopType);
  options.tilingOptions.setTileSizes(
      getAsIndexOpFoldResult(root->getContext(), sizes));
  rewriter.setInsertionPoint(root);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, root, options);
  if (failed(tiled))
    return failure();
  for (OpResult result : root->getResults())
    rewriter.replaceAllUsesWith(result, tiled->replacements.lookup(result));
  return tiled->loops;
}

/// Tiles one tail and everything it consumes.
static LogicalResult tileTail(IRRewriter &rewriter, linalg::GenericOp tail) {
  auto schedule = tail->getAttrOfType<ScheduleAttr>(kScheduleName);
  auto loops = tileAndFuse(rewriter, cast<TilingInterface>(*tail),
                           schedule.getWorkgroup(),
                           scf::SCFTilingOptions::LoopType::ForallOp);
  if (failed(loops) || loops->size() != 1)
    return tail.emitOpError("expects a tail that tiles into one loop nest");
  auto forall = cast<scf::ForallOp>(loops->front());
  forall->setAttr(kScheduleName, schedule);
  rewriter.eraseOp(tail);

  linalg::MatmulOp product;
  forall.walk([&](linalg::MatmulOp op) { product = op; });
  if (!product)
    return forall.emitOpError("expects a tail that consumes a linalg.matmul");
  auto steps = tileAndFuse(rewriter, cast<TilingInterface>(*product),
                           {0, 0, schedule.getGemmK()},
                           scf::SCFTilingOptions::LoopType::ForOp);
  if (failed(steps) || steps->size() != 1)
    return product.emitOpError("expects a product that tiles its reduction");
  rewriter.eraseOp(product);
  forall.walk([](linalg::GenericOp op) { op->removeAttr(kScheduleName); });
  return success();
}

namespace {
struct TileToWorkgroupsPass final
    : mlir::conv::impl::TileToWorkgroupsPassBase<TileToWorkgroupsPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> tails;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttrOfType<ScheduleAttr>(kScheduleName))
        tails.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp tail : tails)
      if (failed(tileTail(rewriter, tail)))
        return signalPassFailure();
  }
};
} // namespace

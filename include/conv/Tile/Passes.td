//===- Passes.td - linalg to tiles -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TILE_PASSES_TD
#define CONV_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileToWorkgroupsPass : Pass<"conv-tile-to-workgroups", "::mlir::func::FuncOp"> {
  let summary = "Tile each linalg form into workgroups and reduction steps";
  let description = [{
    The epilogue is tiled by `workgroup` of its schedule into an `scf.forall`,
    its producers are fused into it, and the reduction of the product is tiled
    by `gemm_k` into an `scf.for` that the tiles of both operands are fused
    into. Nothing is materialised beyond tiles, and nothing is padded: tiles at
    the border are smaller.

    The result is the tiled form that `TiledConvolution` reads: those
    `scf.forall` that one `conv.scatter` puts together are one kernel.

    * Input: `linalg.generic` epilogues with `conv.schedule`, over
      `linalg.batch_matmul` over `conv.gather`.
    * Output: one `scf.forall` with `conv.schedule` per epilogue.
    * Keeps: every other op.
    * Fails: if upstream tiling cannot tile an epilogue or fuse its producers.

    Before:
    ```mlir
    %a = conv.gather %x[%c0, %c0, %c0] view = #lhs : tensor<1x8x8x16xf16> -> tensor<1x64x144xf16>
    %b = conv.gather %w[%c0, %c0, %c0] view = #rhs : tensor<32x3x3x16xf16> -> tensor<1x32x144xf16>
    %c = linalg.batch_matmul ins(%a, %b) outs(%zero) -> tensor<1x64x32xf32>
    %t = linalg.generic ins(%c) outs(%empty) {conv.schedule = #schedule} ...
    %y = conv.scatter %t into %result view = #result : tensor<1x64x32xf16> into tensor<1x8x8x32xf16>
    ```

    After:
    ```mlir
    %t = scf.forall (%g, %m, %n) = (0, 0, 0) to (1, 64, 32) step (1, 32, 32)
        shared_outs(%o = %empty) -> tensor<1x64x32xf16> {
      %acc = scf.for %k = %c0 to %c144 step %c32 iter_args(%c = %zero) {
        %a = conv.gather %x[%g, %m, %k] ... -> tensor<1x32x?xf16>
        %b = conv.gather %w[%g, %n, %k] ... -> tensor<1x32x?xf16>
        %d = linalg.batch_matmul ins(%a, %b) outs(%c)
        scf.yield %d
      }
      %t = linalg.generic ins(%acc) ...
      scf.forall.in_parallel { tensor.parallel_insert_slice %t into %o[%g, %m, %n] ... }
    } {conv.schedule = #schedule}
    %y = conv.scatter %t into %result view = #result ...
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // CONV_TILE_PASSES_TD

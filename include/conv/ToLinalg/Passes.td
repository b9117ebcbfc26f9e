//===- Passes.td - conv to linalg -*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOLINALG_PASSES_TD
#define CONV_TOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertImplicitGemmPass : Pass<"conv-convert-implicit-gemm", "::mlir::func::FuncOp"> {
  let summary = "Rewrite convolutions as im2col, a matrix product and a tail";
  let description = [{
    The output, seen as a matrix of pixels by channels, is the product of the
    im2col matrix and the filter. Nothing is materialised: tiling later computes
    each tile of the im2col matrix where it is needed.

    * Input: `conv.forward` with channels innermost (`N..C`, `N..K`) and a filter
      of order `K..C` or `..CK`, 1 group, and a `schedule` of algorithm
      `implicit_gemm`.
    * Output: `conv.im2col`, `linalg.fill`, `linalg.matmul` and one
      `linalg.generic`, the tail, which carries the schedule as `conv.schedule`.
      The tail is there even if it only copies: it is the root of tiling.
    * Keeps: every other op.
    * Fails: never. A convolution that does not match is left alone.

    Before:
    ```mlir
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<1x8x8x32xf32>
    ```

    After:
    ```mlir
    %a = conv.im2col %x[%c0, %c0] window = <...> filter = [3, 3] output = [8, 8]
        : tensor<1x8x8x16xf16> -> tensor<64x144xf16>
    %b = tensor.collapse_shape %w [[0], [1, 2, 3]]
        : tensor<32x3x3x16xf16> into tensor<32x144xf16>
    %c = linalg.matmul indexing_maps = [(m, n, k) -> (m, k), (n, k), (m, n)]
        ins(%a, %b) outs(%zero) -> tensor<64x32xf32>
    %t = linalg.generic ins(%c) outs(%empty) {conv.schedule = #schedule} ...
    %y = tensor.expand_shape %t [[0, 1, 2], [3]] output_shape [1, 8, 8, 32]
        : tensor<64x32xf32> into tensor<1x8x8x32xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // CONV_TOLINALG_PASSES_TD

// RUN: conv-opt %s --split-input-file --conv-convert-to-products | FileCheck %s
// No operation that was deleted is read: memory that was freed has other contents here.
// RUN: env MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0 conv-opt %s --split-input-file --conv-convert-to-products -o /dev/null

// No window moves over depth, which goes into the images. The residual of the epilogue is merged as the result is; the bias is a vector.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 16, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                           layouts = <"NHWC", "KRSC", "NPQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @images(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x5x9x9x16xf16>, %[[W:[a-z0-9]+]]: tensor<8x1x3x3x16xf16>, %[[BIAS:[a-z0-9]+]]: tensor<8xf16>, %[[Z:[a-z0-9]+]]: tensor<2x5x5x5x8xf16>
// CHECK-DAG:     %[[IMAGES:.+]] = tensor.collapse_shape %[[X]] {{\[}}[0, 1], [2], [3], [4]] : {{.*}} into tensor<10x9x9x16xf16>
// CHECK-DAG:     %[[FILTER:.+]] = tensor.collapse_shape %[[W]] {{\[}}[0], [1, 2], [3], [4]] : {{.*}} into tensor<8x3x3x16xf16>
// CHECK-DAG:     %[[RESIDUAL:.+]] = tensor.collapse_shape %[[Z]] {{\[}}[0, 1], [2], [3], [4]] : {{.*}} into tensor<10x5x5x8xf16>
// CHECK-DAG:     conv.gather %[[IMAGES]]{{.*}} rows = [n = 10, p = 5, q = 5]
// CHECK-DAG:     conv.gather %[[FILTER]]
// CHECK-DAG:     conv.gather %[[BIAS]]
// CHECK-DAG:     conv.gather %[[RESIDUAL]]
// CHECK:         %[[RESULT:.+]] = conv.scatter {{.*}} into tensor<10x5x5x8xf16>
// CHECK:         tensor.expand_shape %[[RESULT]] {{\[}}[0, 1], [2], [3], [4]] {{.*}} into tensor<2x5x5x5x8xf16>
func.func @images(%x: tensor<2x5x9x9x16xf16>, %w: tensor<8x1x3x3x16xf16>, %bias: tensor<8xf16>, %z: tensor<2x5x5x5x8xf16>) -> tensor<2x5x5x5x8xf16> {
  %y = conv.forward %x, %w window = <strides = [1, 2, 2], dilations = [1, 1, 1], low = [0, 1, 1], high = [0, 1, 1]>
      layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = #schedule epilogue(%bias : tensor<8xf16>, %z : tensor<2x5x5x5x8xf16>) {
    ^bb0(%sum: f32, %b: f16, %r: f16):
      %be = arith.extf %b : f16 to f32
      %re = arith.extf %r : f16 to f32
      %s = arith.addf %sum, %be : f32
      %t = arith.addf %s, %re : f32
      %o = arith.truncf %t : f32 to f16
      conv.yield %o : f16
  } : tensor<2x5x9x9x16xf16>, tensor<8x1x3x3x16xf16> -> tensor<2x5x5x5x8xf16>
  return %y : tensor<2x5x5x5x8xf16>
}
}

// -----

// Windows move over depth only: lines and columns are one. In another layout, dimensions are merged after its transform.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 16, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                           layouts = <"NHWC", "KRSC", "NPQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @lines(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x16x5x9x9xf16>, %[[DY:[a-z0-9]+]]: tensor<2x8x5x9x9xf16>
// CHECK:         %[[LAST:.+]] = conv.scatter {{.*}} into tensor<2x5x9x9x8xf16>
// CHECK-DAG:     tensor.collapse_shape %[[LAST]] {{\[}}[0], [1], [2, 3], [4]] : {{.*}} into tensor<2x5x81x8xf16>
// CHECK-DAG:     tensor.collapse_shape {{.*}} {{\[}}[0], [1], [2, 3], [4]] : {{.*}} into tensor<2x5x81x16xf16>
// CHECK:         %[[DW:.+]] = conv.scatter {{.*}} into tensor<8x3x1x16xf16>
// CHECK:         tensor.expand_shape %[[DW]] {{\[}}[0], [1], [2, 3], [4]] {{.*}} into tensor<8x3x1x1x16xf16>
func.func @lines(%x: tensor<2x16x5x9x9xf16>, %dy: tensor<2x8x5x9x9xf16>) -> tensor<8x16x3x1x1xf16> {
  %dw = conv.backward_weight %x, %dy window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 0, 0], high = [1, 0, 0]>
      layouts = <"NCDHW", "KCTRS", "NKZPQ"> schedule = #schedule
      : tensor<2x16x5x9x9xf16>, tensor<2x8x5x9x9xf16> -> tensor<8x16x3x1x1xf16>
  return %dw : tensor<8x16x3x1x1xf16>
}
}

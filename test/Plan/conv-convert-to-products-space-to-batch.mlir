// RUN: conv-opt %s --conv-convert-to-products | FileCheck %s
// No operation that was deleted is read: memory that was freed has other contents here.
// RUN: env MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0 conv-opt %s --conv-convert-to-products -o /dev/null

// Two images of ten lines are six strips of four lines; the last strip of an image has two, and zeros. Windows of three lines see
// six lines of the input, which begin one line before those of the gradient. The window that is left has no padding along lines.
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 16, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                           layouts = <"HCWN", "KRSC", "PKQN">, space_to_batch = 3>
#same = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 16, stages = 2,
                       atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                       layouts = <"NHWC", "KRSC", "NPQK">, space_to_batch = 3>
module attributes {conv.target = #conv.target<"gfx942">} {
// CHECK-LABEL: func.func @strips(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x10x9x16xf16>, %[[DY:[a-z0-9]+]]: tensor<2x10x9x8xf16>
// CHECK-DAG:     conv.gather %[[X]]{{.*}} rows = [6, 16], columns = [9, 2, 3], map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5 * 4 + d1 - 1, d3, d2)>>
// CHECK-DAG:     conv.gather %[[DY]]{{.*}} rows = [4, 8], columns = [9, 2, 3], map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5 * 4 + d1, d3, d2)>>
// CHECK-DAG:     %[[INPUT:.+]] = conv.scatter {{.*}} map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d3, d4 * 3 + d5)>>{{.*}} into tensor<6x16x9x6xf16>
// CHECK-DAG:     %[[GRADIENT:.+]] = conv.scatter {{.*}} into tensor<4x8x9x6xf16>
// CHECK-DAG:     conv.gather %[[INPUT]]{{.*}} columns = [p = 4, q = 9, n = 6], map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 + d4, d0 * 16 + d3, d2 + d5 - 1, d6)>>
// CHECK-DAG:     conv.gather %[[GRADIENT]]{{.*}} columns = [p = 4, q = 9, n = 6]
// CHECK:         conv.scatter {{.*}} into tensor<8x3x3x16xf16>
func.func @strips(%x: tensor<2x10x9x16xf16>, %dy: tensor<2x10x9x8xf16>) -> tensor<8x3x3x16xf16> {
  %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
      : tensor<2x10x9x16xf16>, tensor<2x10x9x8xf16> -> tensor<8x3x3x16xf16>
  return %dw : tensor<8x3x3x16xf16>
}
// Where the order stays, all lines of a strip are one run of memory in both tensors, which is copied as such (`conv.transform` does
// the same).
// CHECK-LABEL: func.func @strips_in_order(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x10x9x16xf16>
// CHECK-DAG:     conv.gather %[[X]]{{.*}} rows = [2, 3], columns = [6, 9, 16], map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2 * 4 + d3 - 1, d4, d5)>>
// CHECK-DAG:     conv.scatter {{.*}} map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1 * 3 + d2, d3, d4, d5)>>{{.*}} into tensor<6x6x9x16xf16>
func.func @strips_in_order(%x: tensor<2x10x9x16xf16>, %dy: tensor<2x10x9x8xf16>) -> tensor<8x3x3x16xf16> {
  %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK"> schedule = #same
      : tensor<2x10x9x16xf16>, tensor<2x10x9x8xf16> -> tensor<8x3x3x16xf16>
  return %dw : tensor<8x3x3x16xf16>
}}

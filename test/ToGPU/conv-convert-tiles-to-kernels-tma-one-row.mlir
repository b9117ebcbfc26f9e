// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// A product of one row, as after a global pooling of one image: of the 64 rows of a tile, one lane's pair may be stored,
// though no address depends on the row. The bias is the same for all rows, and only its columns are guarded.

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#cluster = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 16], subgroup = [64, 16], gemm_k = 64, stages = 7, atom = <wgmma 64 x 16 x 16>, raster = columns, cluster = 2>>
#alone = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 8], subgroup = [64, 8], gemm_k = 64, stages = 4, atom = <wgmma 64 x 8 x 16>, raster = columns>>

// CHECK-LABEL: gpu.func @cluster_0(
// CHECK:         %[[COLUMN:.+]] = arith.cmpi ult, %{{.+}}, %c120_i32
// CHECK:         conv.guarded_load %{{.+}} if %[[COLUMN]]
// CHECK:         %[[ROW:.+]] = arith.cmpi ult, %{{.+}}, %c1_i32
// CHECK:         %[[BELOW:.+]] = arith.cmpi ult, %{{.+}}, %c1_i32
// CHECK:         %[[ELEMENT:.+]] = arith.andi %{{.+}}, %[[ROW]]
// CHECK:         conv.guarded_store %{{.+}} if %[[ELEMENT]]
// CHECK:         %[[ELEMENT:.+]] = arith.andi %{{.+}}, %[[BELOW]]
// CHECK:         conv.guarded_store %{{.+}} if %[[ELEMENT]]
// CHECK-NOT:     conv.guarded_store

// CHECK-LABEL: gpu.func @alone_0(
// CHECK-NOT:     conv.guarded_store
// CHECK:         %[[ROW:.+]] = arith.cmpi ult, %{{.+}}, %c1_i32
// CHECK:         conv.guarded_store
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @cluster(%x: tensor<1x1x1x480xbf16>, %w: tensor<120x1x1x480xbf16>, %bias: tensor<120xf32>)
      -> tensor<1x1x1x120xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #cluster
        epilogue(%bias : tensor<120xf32>) {
    ^bb0(%sum: f32, %b: f32):
      %0 = arith.addf %sum, %b : f32
      %1 = arith.truncf %0 : f32 to bf16
      conv.yield %1 : bf16
    } : tensor<1x1x1x480xbf16>, tensor<120x1x1x480xbf16> -> tensor<1x1x1x120xbf16>
    return %y : tensor<1x1x1x120xbf16>
  }
  func.func @alone(%x: tensor<1x1x1x480xbf16>, %w: tensor<8x1x1x480xbf16>) -> tensor<1x1x1x8xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #alone
        : tensor<1x1x1x480xbf16>, tensor<8x1x1x480xbf16> -> tensor<1x1x1x8xbf16>
    return %y : tensor<1x1x1x8xbf16>
  }
}

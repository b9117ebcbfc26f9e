// RUN: conv-opt %s --split-input-file --conv-lower-to-conv=target=sm_90a --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// Tensors whose sizes, positions or offsets do not fit 32 bits.

// An image of exactly 4 GiB: whether a tile has lines depends on the tile's bytes alone.
// CHECK-LABEL: gpu.func @lines
// CHECK:         %[[ANY:.+]] = arith.cmpi ult, %{{.+}}, %c49152_i32
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[BYTES:.+]] :
// CHECK:         scf.if %[[ANY]]
// CHECK:           nvvm.cp.async.bulk.shared.cluster.global {{.+}}, %[[BYTES]]
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @lines(%x: tensor<256x1024x1024x8xf16>, %w: tensor<8x3x3x8xf16>) -> tensor<256x1024x1024x8xf16> {
  %y = conv.forward %x, %w window = #window layouts = #layouts
      schedule = <kernel = #conv.line_buffer<workgroup = [128, 8], subgroup = [64, 8], gemm_k = 64, stages = 2, atom = <wgmma 64 x 8 x 16>, raster = columns>>
      : tensor<256x1024x1024x8xf16>, tensor<8x3x3x8xf16> -> tensor<256x1024x1024x8xf16>
  return %y : tensor<256x1024x1024x8xf16>
}

// -----

// A small result that extends over more than 2^31 elements of memory: offsets into it have 64 bits.
// CHECK-LABEL: gpu.func @strides
// CHECK:         arith.muli %{{.+}}, %c2000000000_i64 : i64
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @strides(%x: tensor<3x16x16x64xf16>, %w: tensor<64x1x1x64xf16>)
    -> (tensor<3x16x16x64xf16> {conv.strides = array<i64: 2000000000, 1024, 64, 1>}) {
  %y = conv.forward %x, %w window = #window layouts = #layouts
      : tensor<3x16x16x64xf16>, tensor<64x1x1x64xf16> -> tensor<3x16x16x64xf16>
  return %y : tensor<3x16x16x64xf16>
}

// -----

// More than 2^31 positions: warpgroups count rows in 32 bits.
// CHECK-LABEL: gpu.func @rows
// CHECK-NOT:     wgmma
// CHECK:       func.func @rows
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">
func.func @rows(%x: tensor<8200x512x512x1xf16>, %w: tensor<1x3x3x1xf16>) -> tensor<8200x512x512x1xf16> {
  %y = conv.forward %x, %w window = #window layouts = #layouts
      : tensor<8200x512x512x1xf16>, tensor<1x3x3x1xf16> -> tensor<8200x512x512x1xf16>
  return %y : tensor<8200x512x512x1xf16>
}

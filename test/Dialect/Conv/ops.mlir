// RUN: conv-opt %s --verify-roundtrip | FileCheck %s

// The usual layouts, no epilogue: the result is the accumulator, converted.
// CHECK-LABEL: @forward_plain
func.func @forward_plain(%x: tensor<1x8x8x4xf16>, %w: tensor<16x3x3x4xf16>) -> tensor<1x8x8x16xf32> {
  // CHECK: conv.forward %{{.*}}, %{{.*}} window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
  // CHECK-SAME: layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x8x8x4xf16>, tensor<16x3x3x4xf16> -> tensor<1x8x8x16xf32>
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x4xf16>, tensor<16x3x3x4xf16> -> tensor<1x8x8x16xf32>
  return %y : tensor<1x8x8x16xf32>
}

// CHECK-LABEL: @forward_promoted
func.func @forward_promoted(%x: tensor<1x8x8x4xf8E4M3FN>, %w: tensor<16x1x1x4xf8E5M2>) -> tensor<1x8x8x16xf32> {
  // CHECK: layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = promoted :
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = promoted
      : tensor<1x8x8x4xf8E4M3FN>, tensor<16x1x1x4xf8E5M2> -> tensor<1x8x8x16xf32>
  return %y : tensor<1x8x8x16xf32>
}

// Products of 16-bit operands are exact as they are; asking for that changes nothing.
// CHECK-LABEL: @forward_exact
func.func @forward_exact(%x: tensor<1x8x8x4xf16>, %w: tensor<16x1x1x4xf16>) -> tensor<1x8x8x16xf32> {
  // CHECK: layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = exact :
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = exact
      : tensor<1x8x8x4xf16>, tensor<16x1x1x4xf16> -> tensor<1x8x8x16xf32>
  return %y : tensor<1x8x8x16xf32>
}

// Strides, dilations and padding differ per dimension and side.
// CHECK-LABEL: @forward_window
func.func @forward_window(%x: tensor<2x9x13x3xf32>, %w: tensor<5x3x2x3xf32>) -> tensor<2x4x12x5xf32> {
  // CHECK: strides = [2, 1], dilations = [2, 3], low = [1, 0], high = [2, 2]
  %y = conv.forward %x, %w
      window = <strides = [2, 1], dilations = [2, 3], low = [1, 0], high = [2, 2]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<2x9x13x3xf32>, tensor<5x3x2x3xf32> -> tensor<2x4x12x5xf32>
  return %y : tensor<2x4x12x5xf32>
}

// An epilogue with one element per channel and one of the output's shape.
// CHECK-LABEL: @forward_epilogue
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x8x8x4xbf16>, %[[W:[^:]+]]: tensor<16x3x3x4xbf16>, %[[BIAS:[^:]+]]: tensor<16xf32>, %[[RES:[^:]+]]: tensor
func.func @forward_epilogue(%x: tensor<1x8x8x4xbf16>, %w: tensor<16x3x3x4xbf16>, %bias: tensor<16xf32>,
                        %residual: tensor<1x6x6x16xbf16>) -> tensor<1x6x6x16xbf16> {
  // CHECK: conv.forward %[[X]], %[[W]]
  // CHECK-SAME: epilogue(%[[BIAS]] : tensor<16xf32>, %[[RES]] : tensor<1x6x6x16xbf16>) {
  // CHECK-NEXT: ^bb0(%[[ACC:.+]]: f32, %[[B:.+]]: f32, %[[R:.+]]: bf16):
  // CHECK-NEXT: arith.addf %[[ACC]], %[[B]]
  // CHECK: conv.yield %{{.+}} : bf16
  // CHECK-NEXT: } {note = "kept"} :
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      epilogue(%bias : tensor<16xf32>, %residual : tensor<1x6x6x16xbf16>) {
      ^bb0(%acc: f32, %b: f32, %r: bf16):
        %0 = arith.addf %acc, %b : f32
        %1 = arith.extf %r : bf16 to f32
        %2 = arith.addf %0, %1 : f32
        %3 = math.tanh %2 : f32
        %4 = arith.truncf %3 : f32 to bf16
        conv.yield %4 : bf16
      } {note = "kept"} : tensor<1x8x8x4xbf16>, tensor<16x3x3x4xbf16> -> tensor<1x6x6x16xbf16>
  return %y : tensor<1x6x6x16xbf16>
}

// An epilogue may have no operand.
// CHECK-LABEL: @forward_epilogue_without_operands
func.func @forward_epilogue_without_operands(%x: tensor<1x1x1x1xf32>, %w: tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32> {
  // CHECK: epilogue() {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      epilogue() {
      ^bb0(%acc: f32):
        %0 = math.absf %acc : f32
        conv.yield %0 : f32
      } : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  return %y : tensor<1x1x1x1xf32>
}

// Groups within C and K; one dimension; i8 is accumulated in i32.
// CHECK-LABEL: @forward_groups_1d
func.func @forward_groups_1d(%x: tensor<2x8x20xi8>, %w: tensor<12x2x3xi8>) -> tensor<2x12x18xi32> {
  // CHECK: layouts = <"NCW", "KCS", "NKQ"> groups = 4 :
  %y = conv.forward %x, %w
      window = <strides = [1], dilations = [1], low = [0], high = [0]>
      layouts = <"NCW", "KCS", "NKQ"> groups = 4
      : tensor<2x8x20xi8>, tensor<12x2x3xi8> -> tensor<2x12x18xi32>
  return %y : tensor<2x12x18xi32>
}

// Groups as a dimension of their own; three dimensions; two kinds of fp8.
// CHECK-LABEL: @forward_group_dimension_3d
func.func @forward_group_dimension_3d(%x: tensor<1x4x5x6x2x8xf8E4M3FN>, %w: tensor<2x16x1x3x3x8xf8E5M2>)
    -> tensor<1x4x3x4x2x16xf16> {
  // CHECK: layouts = <"NDHWGC", "GKTRSC", "NZPQGK"> groups = 2 :
  %y = conv.forward %x, %w
      window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [0, 0, 0], high = [0, 0, 0]>
      layouts = <"NDHWGC", "GKTRSC", "NZPQGK"> groups = 2
      : tensor<1x4x5x6x2x8xf8E4M3FN>, tensor<2x16x1x3x3x8xf8E5M2> -> tensor<1x4x3x4x2x16xf16>
  return %y : tensor<1x4x3x4x2x16xf16>
}

// The schedule comes after the groups.
// CHECK-LABEL: @forward_schedule
func.func @forward_schedule(%x: tensor<1x8x8x32xf16>, %w: tensor<64x1x1x32xf16>) -> tensor<1x8x8x64xf16> {
  // CHECK: schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2, atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, chosen_by = heuristic>
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
                  atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, chosen_by = heuristic>
      : tensor<1x8x8x32xf16>, tensor<64x1x1x32xf16> -> tensor<1x8x8x64xf16>
  return %y : tensor<1x8x8x64xf16>
}

// Tensor maps, tiled and im2col.
// CHECK-LABEL: @tensor_map
func.func @tensor_map(%x: memref<2x8x8x64xf16>, %z: memref<128x64xf32>) -> (!llvm.ptr, !llvm.ptr, !llvm.ptr) {
  // CHECK: conv.tensor_map %{{.+}} <sizes = [64, 128], strides = [128], box = [64, 64], element_strides = [1, 1], swizzle = 128> : memref<2x8x8x64xf16> -> !llvm.ptr
  %0 = conv.tensor_map %x <sizes = [64, 128], strides = [128], box = [64, 64], element_strides = [1, 1], swizzle = 128>
      : memref<2x8x8x64xf16> -> !llvm.ptr
  // CHECK: box = [40, 64], element_strides = [1, 1], swizzle = 16>
  %3 = conv.tensor_map %x <sizes = [64, 128], strides = [128], box = [40, 64], element_strides = [1, 1], swizzle = 16>
      : memref<2x8x8x64xf16> -> !llvm.ptr
  // CHECK: lower = [-1, -1], upper = [-1, -1], swizzle = 128>
  %1 = conv.tensor_map %x <sizes = [64, 8, 8, 2], strides = [128, 1024, 8192], box = [64, 128],
      element_strides = [1, 1, 1, 1], lower = [-1, -1], upper = [-1, -1], swizzle = 128>
      : memref<2x8x8x64xf16> -> !llvm.ptr
  // CHECK: element_strides = [1, 1], swizzle = 128, arithmetic = tf32> : memref<128x64xf32> -> !llvm.ptr
  %2 = conv.tensor_map %z <sizes = [64, 128], strides = [256], box = [32, 64], element_strides = [1, 1], swizzle = 128, arithmetic = tf32>
      : memref<128x64xf32> -> !llvm.ptr
  return %0, %1, %2 : !llvm.ptr, !llvm.ptr, !llvm.ptr
}

// A layout change that pads channels.
// CHECK-LABEL: @transform
// CHECK: conv.transform %{{.+}} permutation = [0, 2, 3, 1] : tensor<2x3x8x8xf16> -> tensor<2x8x8x8xf16>
func.func @transform(%x: tensor<2x3x8x8xf16>) -> tensor<2x8x8x8xf16> {
  %y = conv.transform %x permutation = [0, 2, 3, 1] : tensor<2x3x8x8xf16> -> tensor<2x8x8x8xf16>
  return %y : tensor<2x8x8x8xf16>
}

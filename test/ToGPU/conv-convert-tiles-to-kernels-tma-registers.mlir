// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

#bf16 = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns, producer = registers>>
#i8 = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 128, stages = 4, atom = <wgmma 64 x 64 x 32>, raster = columns, producer = registers>>
#tf32 = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 32, stages = 4, atom = <wgmma 64 x 64 x 8>, raster = columns, producer = registers>>
#f32 = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 32, stages = 4, atom = <wgmma_3xtf32 64 x 64 x 8>, raster = columns, producer = registers>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// Of 45 channels, no two are adjacent in every row: each of 128 lanes loads the 8 elements of a vector one by one,
// and a vector of each of four rows of both operands. What it stores is visible to instructions before it arrives.
// CHECK-LABEL: gpu.func @odd_0(
// CHECK-SAME:    %arg0: memref<2x9x11x45xbf16
// CHECK:         nvvm.mbarrier.init %{{.+}}, %c128_i32
// CHECK:         nvvm.setmaxregister decrease 208
// CHECK-COUNT-16:  llvm.inline_asm has_side_effects asm_dialect = att "mov.b16 $0, 0;\0A@$2 ld.global.b16 $0, [$1];"
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:           llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK:           nvvm.fence.proxy
// CHECK:           nvvm.mbarrier.arrive
// CHECK:         nvvm.mbarrier.try_wait.parity
// CHECK-NOT:     nvvm.fence.proxy
// CHECK:         nvvm.wgmma.mma_async {{.+}}<row>{{.+}}<col>
// CHECK-LABEL: func.func @odd(

// In NCHW, neighbouring lanes load neighbouring positions, and i8 gets to shared memory along the reduction, the only
// way in which instructions read it.
// CHECK-LABEL: gpu.func @turned_0(
// CHECK-COUNT-16:  llvm.inline_asm has_side_effects asm_dialect = att "mov.b16 $0, 0;\0A@$2 ld.global.b8 $0, [$1];"
// CHECK:           llvm.store {{.+}} : vector<4xi32>, !llvm.ptr<3>
// CHECK:         nvvm.wgmma.mma_async {{.+}}<row>{{.+}}<col>
// CHECK-LABEL: func.func @turned(

// f32 is rounded to tf32 on its way. Of 18 channels, two are adjacent.
// CHECK-LABEL: gpu.func @rounded_0(
// CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "{{.*}}@$3 ld.global.v2.b32 {$0, $1}, [$2];"
// CHECK:         nvvm.convert.float.to.tf32
// CHECK-LABEL: func.func @rounded(

// Lanes store both parts of the right operand, as converters do, and fill their stage, too.
// CHECK-LABEL: gpu.func @split_0(
// CHECK-COUNT-6: nvvm.mbarrier.init %{{.+}}, %c128_i32
// CHECK:         nvvm.setmaxregister decrease
// CHECK:         nvvm.fence.proxy
// CHECK-COUNT-2: nvvm.mbarrier.arrive
// CHECK-NOT:     nvvm.mbarrier.arrive
// CHECK:         nvvm.setmaxregister increase
// CHECK-LABEL: func.func @split(
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @odd(%x: tensor<2x9x11x45xbf16>, %w: tensor<77x1x1x45xbf16>) -> tensor<2x9x11x77xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #bf16
        : tensor<2x9x11x45xbf16>, tensor<77x1x1x45xbf16> -> tensor<2x9x11x77xbf16>
    return %y : tensor<2x9x11x77xbf16>
  }
  func.func @turned(%x: tensor<2x45x9x11xi8>, %w: tensor<77x45x1x1xi8>) -> tensor<2x77x9x11xi32> {
    %y = conv.forward %x, %w window = #window layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #i8
        : tensor<2x45x9x11xi8>, tensor<77x45x1x1xi8> -> tensor<2x77x9x11xi32>
    return %y : tensor<2x77x9x11xi32>
  }
  func.func @rounded(%x: tensor<2x9x11x18xf32>, %w: tensor<77x1x1x18xf32>) -> tensor<2x9x11x77xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32 schedule = #tf32
        : tensor<2x9x11x18xf32>, tensor<77x1x1x18xf32> -> tensor<2x9x11x77xf32>
    return %y : tensor<2x9x11x77xf32>
  }
  func.func @split(%x: tensor<2x9x11x225xf32>, %w: tensor<77x1x1x225xf32>) -> tensor<2x9x11x77xf32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #f32
        : tensor<2x9x11x225xf32>, tensor<77x1x1x225xf32> -> tensor<2x9x11x77xf32>
    return %y : tensor<2x9x11x77xf32>
  }
}

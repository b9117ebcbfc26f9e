// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --cse | FileCheck %s

// Before a kernel waits for the previous one, one lane of each workgroup that
// starts at once prefetches a slice of the operands, with 3 MiB in all. The
// smaller operand comes first.

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
#taps = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#tma = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 128], subgroup = [64, 128], gemm_k = 64, stages = 4, atom = <wgmma 64 x 128 x 16>, raster = columns>>
#slices = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 128], subgroup = [64, 128], gemm_k = 64, stages = 4, atom = <wgmma 64 x 128 x 16>, raster = columns>, splits = 2>
#transformed = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, layouts = <"NHWC", "KRSC", "NKPQ">>
#line = #conv.schedule<kernel = #conv.line_buffer<workgroup = [256, 8], subgroup = [128, 8], gemm_k = 64, stages = 4, atom = <wgmma 64 x 8 x 16>, raster = columns>>
#padded = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 8], subgroup = [64, 8], gemm_k = 64, stages = 7, atom = <wgmma 64 x 8 x 16>, raster = columns>, layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8>
#direct = #conv.schedule<kernel = #conv.direct<workgroup = [2, 16], subgroup = [1, 16], gemm_k = 16, stages = 1, atom = <mma_sync 16 x 8 x 16>, main_loop = direct_matrix, raster = columns>>

// The filter's 32768 bytes are 128 slices; of 16 MiB of images, 132 slices
// start within the first 3 MiB less the filter.
// CHECK-LABEL: gpu.func @whole_0(
// CHECK-SAME:    %[[W:[^:]*]]: memref<128x1x1x128xf16, #gpu.address_space<global>>, %[[X:[^:]*]]: memref<64x32x32x128xf16, #gpu.address_space<global>>)
// CHECK:         %[[BLOCK:.*]] = gpu.block_id x
// CHECK:         %[[NUMBER:.*]] = arith.index_cast %[[BLOCK]]
// CHECK:         %[[LANE:.*]] = arith.cmpi eq, %{{.*}}, %c32_i32
// CHECK:         %[[RUNS:.*]] = arith.cmpi ult, %[[NUMBER]], %c132_i32
// CHECK:         arith.andi %[[LANE]], %[[RUNS]]
// CHECK:         arith.cmpi ult, %[[NUMBER]], %c128_i32
// CHECK:         arith.muli %[[NUMBER]], %c256_i32
// CHECK:         %[[START:.*]] = conv.address %[[W]]
// CHECK:         %[[ADDRESS:.*]] = llvm.getelementptr %[[START]]
// CHECK:         %[[ALIGNED:.*]] = llvm.intr.ptrmask %[[ADDRESS]], %c-16_i64
// CHECK:         nvvm.cp.async.bulk.prefetch %[[ALIGNED]]
// The last slice is shorter.
// CHECK:         %[[SIZE:.*]] = arith.select %{{.*}}, %c10880_i32, %c23680_i32
// CHECK:         conv.address %[[X]]
// CHECK:         nvvm.cp.async.bulk.prefetch %{{.*}}, %[[SIZE]]
// CHECK-NOT:     nvvm.cp.async.bulk.prefetch
// CHECK:         nvvm.griddepcontrol wait

// Split-K slices gain nothing.
// CHECK-LABEL: gpu.func @slices_0(
// CHECK-NOT:     nvvm.cp.async.bulk.prefetch
// CHECK-LABEL: gpu.func @slices_1(
// CHECK-NOT:     nvvm.cp.async.bulk.prefetch

// A transform starts early, too. The product behind it reads what that has just
// written, and prefetches only the filter.
// CHECK-LABEL: gpu.func @transformed_0(
// CHECK-SAME:    %[[X:[^:]*]]: memref<4x64x16x16xf16,
// CHECK:         conv.address %[[X]]
// CHECK:         nvvm.cp.async.bulk.prefetch
// CHECK-NOT:     nvvm.cp.async.bulk.prefetch
// CHECK:         nvvm.griddepcontrol wait
// CHECK-LABEL: gpu.func @transformed_1(
// CHECK-SAME:    %[[W:[^:]*]]: memref<64x1x1x64xf16, #gpu.address_space<global>>)
// CHECK:         conv.address %[[W]]
// CHECK:         nvvm.cp.async.bulk.prefetch
// CHECK-NOT:     nvvm.cp.async.bulk.prefetch
// CHECK:         nvvm.griddepcontrol wait

// Kernels without warpgroups do not start early: they would crowd onto the
// units that the previous kernel leaves idle.
// CHECK-LABEL: gpu.func @depthwise_0(
// CHECK-NOT:     nvvm.cp.async.bulk.prefetch
// CHECK-NOT:     nvvm.griddepcontrol
// CHECK:         gpu.return

// A prefetch has whole units of 16 bytes. A filter of 8 bytes has none, so the
// kernel only prefetches the image.
// CHECK-LABEL: gpu.func @tiny_filter_0(
// CHECK-SAME:    %[[X:[^:]*]]: memref<64x32x32x1xf16,
// CHECK:         conv.address %[[X]]
// CHECK:         nvvm.cp.async.bulk.prefetch
// CHECK-NOT:     nvvm.cp.async.bulk.prefetch
// CHECK:         nvvm.griddepcontrol wait

// Of an image of 14 bytes, nothing is prefetched, and no lane is chosen for it;
// of a filter of 56 bytes, 48 are.
// CHECK-LABEL: gpu.func @tiny_operands_0(
// CHECK-SAME:    memref<1x1x1x7xf16,
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK-NOT:     nvvm.cp.async.bulk.prefetch
// CHECK-LABEL: gpu.func @tiny_operands_1(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4x1x1x7xf16,
// CHECK:         %[[SIZE:.*]] = arith.select %{{.*}}, %c48_i32, %c128_i32
// CHECK:         conv.address %[[W]]
// CHECK:         nvvm.cp.async.bulk.prefetch %{{.*}}, %[[SIZE]]
// CHECK-NOT:     nvvm.cp.async.bulk.prefetch
// CHECK:         nvvm.griddepcontrol wait
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @whole(%x: tensor<64x32x32x128xf16>, %w: tensor<128x1x1x128xf16>) -> tensor<64x32x32x128xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #tma
        : tensor<64x32x32x128xf16>, tensor<128x1x1x128xf16> -> tensor<64x32x32x128xf16>
    return %y : tensor<64x32x32x128xf16>
  }
  func.func @slices(%x: tensor<64x32x32x128xf16>, %w: tensor<128x1x1x128xf16>) -> tensor<64x32x32x128xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #slices
        : tensor<64x32x32x128xf16>, tensor<128x1x1x128xf16> -> tensor<64x32x32x128xf16>
    return %y : tensor<64x32x32x128xf16>
  }
  func.func @transformed(%x: tensor<4x64x16x16xf16>, %w: tensor<64x1x1x64xf16>) -> tensor<4x64x16x16xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NCHW", "KRSC", "NKPQ"> schedule = #transformed
        : tensor<4x64x16x16xf16>, tensor<64x1x1x64xf16> -> tensor<4x64x16x16xf16>
    return %y : tensor<4x64x16x16xf16>
  }
  func.func @depthwise(%x: tensor<2x16x16x32xbf16>, %w: tensor<32x3x3x1xbf16>) -> tensor<2x16x16x32xbf16> {
    %y = conv.forward %x, %w window = #taps layouts = <"NHWC", "KRSC", "NPQK"> groups = 32 schedule = #direct
        : tensor<2x16x16x32xbf16>, tensor<32x3x3x1xbf16> -> tensor<2x16x16x32xbf16>
    return %y : tensor<2x16x16x32xbf16>
  }
  func.func @tiny_filter(%x: tensor<64x32x32x1xf16>, %w: tensor<4x1x1x1xf16>) -> tensor<64x32x32x4xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #line
        : tensor<64x32x32x1xf16>, tensor<4x1x1x1xf16> -> tensor<64x32x32x4xf16>
    return %y : tensor<64x32x32x4xf16>
  }
  func.func @tiny_operands(%x: tensor<1x1x1x7xf16>, %w: tensor<4x1x1x7xf16>) -> tensor<1x1x1x4xf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #padded
        : tensor<1x1x1x7xf16>, tensor<4x1x1x7xf16> -> tensor<1x1x1x4xf16>
    return %y : tensor<1x1x1x4xf16>
  }
}

// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled > %t
// RUN: conv-opt %t --conv-convert-tiles-to-kernels | FileCheck %s
// A schedule that came with other views: a row of the filter has every second tap, and no 4 bytes are adjacent.
// RUN: sed 's/d2, d3, d1)>> : tensor<64x3x3x20/d2, d3 * 2, d1)>> : tensor<64x3x3x20/' %t | not conv-opt --conv-convert-tiles-to-kernels 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: expects operands of which lanes can copy 4 adjacent bytes, but got others

#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns, producer = cp_async>>
#boxes = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// The copy engine takes no rows of 40 bytes, so all lanes of the first warpgroup copy 8 bytes at a time, zeros where a
// window is outside, and 128 arrivals fill a stage. Eight copies of a lane bring each operand's 64 rows.
// CHECK-LABEL: gpu.func @forward_0(
// CHECK-SAME:    %arg0: memref<2x9x11x20xbf16
// CHECK:         nvvm.mbarrier.init %{{.+}}, %c128_i32
// CHECK:         nvvm.setmaxregister decrease 152
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-16:  nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 8, cache = ca, %{{.+}}
// CHECK-NOT:       nvvm.cp.async.shared.global
// CHECK:           nvvm.cp.async.mbarrier.arrive %{{.+}} {noinc = true}
// What lanes wrote is read through the async proxy.
// CHECK:         nvvm.mbarrier.try_wait.parity
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK:         nvvm.wgmma.mma_async
// CHECK-LABEL: func.func @forward(

// Rows of 24 channels start inside sectors, which vectors of two rows share in the first-level cache.
// CHECK-LABEL: gpu.func @unaligned_0(
// CHECK-SAME:    %arg0: memref<2x9x11x24xbf16
// CHECK-COUNT-8: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = ca
// CHECK-NOT:     nvvm.cp.async.shared.global
// CHECK-LABEL: func.func @unaligned(

// In the gradient of the input, a row of the filter in memory has columns of the result. Their 20 columns are no boxes
// either, so lanes store whole rows from shared memory, two columns at a time.
// CHECK-LABEL: gpu.func @data_0(
// CHECK:         nvvm.wgmma.mma_async {{.+}}<row>{{.+}}<row>
// CHECK:         nvvm.stmatrix
// CHECK:         nvvm.bar.warp.sync
// CHECK:         scf.for
// CHECK:           llvm.load %{{.+}} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK-LABEL: func.func @data(

// With the producer that schedules have by default, boxes are copied.
// CHECK-LABEL: gpu.func @boxes_0(
// CHECK-SAME:    conv.tensor_map
// CHECK-NOT:     nvvm.cp.async.shared.global
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @forward(%x: tensor<2x9x11x20xbf16>, %w: tensor<64x3x3x20xbf16>) -> tensor<2x9x11x64xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x9x11x20xbf16>, tensor<64x3x3x20xbf16> -> tensor<2x9x11x64xbf16>
    return %y : tensor<2x9x11x64xbf16>
  }
  func.func @unaligned(%x: tensor<2x9x11x24xbf16>, %w: tensor<64x1x1x24xbf16>) -> tensor<2x9x11x64xbf16> {
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x9x11x24xbf16>, tensor<64x1x1x24xbf16> -> tensor<2x9x11x64xbf16>
    return %y : tensor<2x9x11x64xbf16>
  }
  func.func @data(%dy: tensor<2x9x11x64xbf16>, %w: tensor<64x3x3x20xbf16>) -> tensor<2x9x11x20xbf16> {
    %dx = conv.backward_data %dy, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x9x11x64xbf16>, tensor<64x3x3x20xbf16> -> tensor<2x9x11x20xbf16>
    return %dx : tensor<2x9x11x20xbf16>
  }
  func.func @boxes(%x: tensor<2x9x11x32xbf16>, %w: tensor<64x3x3x32xbf16>) -> tensor<2x9x11x64xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #boxes
        : tensor<2x9x11x32xbf16>, tensor<64x3x3x32xbf16> -> tensor<2x9x11x64xbf16>
    return %y : tensor<2x9x11x64xbf16>
  }
}

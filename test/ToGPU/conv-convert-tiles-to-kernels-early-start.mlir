// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s
// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled | sed 's/ {conv.launch = [^}]*}//' > %t.plain
// RUN: conv-opt %t.plain --conv-convert-tiles-to-kernels | FileCheck %s --check-prefix=PLAIN
// RUN: sed 's/conv.scatter .*>> /&{conv.launch = #conv.launch<next = at_end, prefetches = true>} /' %t.plain | conv-opt --conv-convert-tiles-to-kernels | FileCheck %s --check-prefix=OBEYS

// Split-K products, and the kernels that add their slices, let the next kernel
// start while they run if each has a quarter of the 132 units at most.
#few = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 16>
#more = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 64>
#staged = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [32, 32], subgroup = [16, 32], gemm_k = 32, stages = 2, atom = <mma_sync 16 x 8 x 16>, main_loop = register_staged, raster = columns>, splits = 16>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// CHECK-LABEL: gpu.func @few_0(
// CHECK:         nvvm.griddepcontrol launch_dependents
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK-LABEL: gpu.func @few_1(
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
// CHECK-NEXT:    nvvm.griddepcontrol wait

// CHECK-LABEL: gpu.func @more_0(
// CHECK-NOT:     nvvm.griddepcontrol launch_dependents
// CHECK:         nvvm.griddepcontrol wait
// CHECK-NOT:     nvvm.griddepcontrol
// CHECK-LABEL: gpu.func @more_1(
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK-NOT:     nvvm.griddepcontrol

// Without warpgroups, neither starts early.
// CHECK-LABEL: gpu.func @staged_0(
// CHECK-NOT:     nvvm.griddepcontrol
// CHECK-LABEL: gpu.func @staged_1(
// CHECK-NOT:     nvvm.griddepcontrol
// CHECK-LABEL: func.func @staged(

// The kernels do what their `conv.launch` says, of whatever family they are.
// PLAIN-NOT: nvvm.griddepcontrol
// OBEYS-NOT: nvvm.griddepcontrol launch_dependents
// OBEYS-LABEL: gpu.func @few_0(
// OBEYS:         nvvm.cp.async.bulk.prefetch
// OBEYS:         nvvm.griddepcontrol wait
// OBEYS-LABEL: gpu.func @staged_0(
// OBEYS:         nvvm.cp.async.bulk.prefetch
// OBEYS:         nvvm.griddepcontrol wait
// OBEYS-LABEL: gpu.func @staged_1(
// OBEYS:         nvvm.griddepcontrol wait
// OBEYS-NOT: nvvm.griddepcontrol launch_dependents
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @few(%x: tensor<16x32x32x64xbf16>, %dy: tensor<16x32x32x64xbf16>) -> tensor<64x1x1x64xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #few
        : tensor<16x32x32x64xbf16>, tensor<16x32x32x64xbf16> -> tensor<64x1x1x64xbf16>
    return %dw : tensor<64x1x1x64xbf16>
  }
  func.func @more(%x: tensor<16x32x32x64xbf16>, %dy: tensor<16x32x32x64xbf16>) -> tensor<64x1x1x64xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #more
        : tensor<16x32x32x64xbf16>, tensor<16x32x32x64xbf16> -> tensor<64x1x1x64xbf16>
    return %dw : tensor<64x1x1x64xbf16>
  }
  func.func @staged(%x: tensor<16x32x32x64xbf16>, %dy: tensor<16x32x32x64xbf16>) -> tensor<64x1x1x64xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #staged
        : tensor<16x32x32x64xbf16>, tensor<16x32x32x64xbf16> -> tensor<64x1x1x64xbf16>
    return %dw : tensor<64x1x1x64xbf16>
  }
}

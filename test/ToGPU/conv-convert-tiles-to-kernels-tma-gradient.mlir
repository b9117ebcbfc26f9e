// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// The gradient of a 3x3 filter from 64 to 128 channels over 4 x 14 x 14 pixels, in two parts of seven rows. Both operands
// have the reduction, pixels, outermost in shared memory; the sums of a part are stored by lanes, in f32.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 192], subgroup = [64, 192], gemm_k = 64, stages = 4, atom = <wgmma 64 x 192 x 16>, raster = columns>, splits = 2>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK:       gpu.func @g_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[PARTS:.+]]: memref<2x128x576xf32, {{.+}}>) kernel
// Parts are added by a kernel that starts at once: the six workgroups leave enough units.
// CHECK:         nvvm.griddepcontrol launch_dependents
// CHECK-NEXT:    nvvm.griddepcontrol wait
// A step: two boxes of 64 channels of the result's gradient, three of 64 channels of the images at a tap each.
// CHECK:         nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}]
// CHECK-COUNT-3: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] im2col[%{{.+}}, %{{.+}}]
// CHECK:         nvvm.wgmma.mma_async {{.+}} A[<bf16>, <one>, <col>], B[<bf16>, <one>, <row>]
// CHECK:         conv.guarded_store %{{.+}}, %[[PARTS]]{{.*}} : vector<2xf32>
// CHECK:       gpu.func @g_1(
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK:       func.func @g(%[[ARG0:.+]]: memref<{{.+}}>, %[[ARG1:.+]]: memref<{{.+}}>, %[[ARG2:.+]]: memref<{{.+}}>, %[[ARG3:.+]]: memref<?xi8
// The 98 pixels of seven rows lie after each other; an image has two parts.
// CHECK:         conv.tensor_map %[[ARG1]] <sizes = [128, 98, 8], strides = [256, 25088], box = [64, 64, 1], element_strides = [1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map %[[ARG0]] <sizes = [64, 14, 14, 4], strides = [128, 1792, 25088], box = [64, 64], element_strides = [1, 1, 1, 1], lower = [-1, -1], upper = [-1, -1], swizzle = 128>
// One tile of rows times three of columns times two parts; then the kernel that adds the parts.
// CHECK:         %[[GRID:.+]] = arith.constant 6 : index
// CHECK:         gpu.launch_func @g_kernels::@g_0 blocks in (%[[GRID]],
// CHECK:         gpu.launch_func @g_kernels::@g_1

// 192 workgroups and those that add their parts start each other by ending.
// CHECK:       gpu.func @large_0(
// CHECK-NOT:     nvvm.griddepcontrol launch_dependents
// CHECK:         nvvm.griddepcontrol wait
// CHECK-NOT:     nvvm.griddepcontrol
// CHECK:       gpu.func @large_1(
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK-NOT:     nvvm.griddepcontrol
// CHECK:       func.func @large(
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @g(%x: tensor<4x14x14x64xbf16>, %dy: tensor<4x14x14x128xbf16>) -> tensor<128x3x3x64xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<4x14x14x64xbf16>, tensor<4x14x14x128xbf16> -> tensor<128x3x3x64xbf16>
    return %dw : tensor<128x3x3x64xbf16>
  }

  func.func @large(%x: tensor<4x14x14x512xbf16>, %dy: tensor<4x14x14x512xbf16>) -> tensor<512x3x3x512xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<4x14x14x512xbf16>, tensor<4x14x14x512xbf16> -> tensor<512x3x3x512xbf16>
    return %dw : tensor<512x3x3x512xbf16>
  }
}

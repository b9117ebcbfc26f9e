// RUN: conv-opt %s --split-input-file --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// A 3x3 convolution of 8 groups of 56 channels to 56. Tiles are two halo tiles of 16 x 16 positions of one group; those of all
// groups follow each other, since they share lines of memory. Maps of images and result have a dimension for groups, so
// that 64 channels end with their group; so does the filter's innermost dimension.
// CHECK-LABEL: gpu.module @forward_kernels
// CHECK:       gpu.func @forward_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// CHECK:         nvvm.elect.sync
// CHECK:         scf.for %[[TILE:[^ ]+]] =
// CHECK:           arith.remui %[[TILE]], %c8_i32
// CHECK-COUNT-2:   nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK:           nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK:       func.func @forward
// CHECK:         conv.tensor_map %{{.+}} <sizes = [56, 28, 28, 2, 8], strides = [896, 25088, 702464, 112], box = [64, 18, 18, 1, 1], element_strides = [1, 1, 1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map %{{.+}} <sizes = [56, 3, 3, 448], strides = [112, 336, 1008], box = [64, 1, 1, 64], element_strides = [1, 1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map %{{.+}} <sizes = [56, 28, 28, 2, 8], strides = [896, 25088, 702464, 112], box = [64, 8, 8, 1, 1], element_strides = [1, 1, 1, 1, 1], swizzle = 128>
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [512, 64], subgroup = [256, 64], gemm_k = 64, stages = 5, atom = <wgmma 64 x 64 x 16>, raster = columns, halo_tile = [16, 16]>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @forward(%x: tensor<2x28x28x448xbf16>, %w: tensor<448x3x3x56xbf16>) -> tensor<2x28x28x448xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 schedule = #schedule epilogue() {
    ^bb0(%acc: f32):
      %0 = arith.truncf %acc : f32 to bf16
      conv.yield %0 : bf16
    } : tensor<2x28x28x448xbf16>, tensor<448x3x3x56xbf16> -> tensor<2x28x28x448xbf16>
    return %y : tensor<2x28x28x448xbf16>
  }
}

// -----

// The gradient of its input. An im2col box goes on with the channels of the next group, which are multiplied by zeros: rows
// of the filter, which are channels of the reduction, have a dimension for groups.
// CHECK-LABEL: gpu.module @backward_data_kernels
// CHECK:       gpu.func @backward_data_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[DX:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// CHECK:         %[[GROUP:.+]] = arith.muli %{{.+}}, %c56_i32{{.*}}
// CHECK:         %[[CHANNEL:.+]] = arith.addi %{{.+}}, %[[GROUP]]
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%[[CHANNEL]], %{{.+}}, %{{.+}}, %{{.+}}] im2col
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[W]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %[[DX]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK:       func.func @backward_data
// CHECK:         conv.tensor_map %{{.+}} <sizes = [448, 28, 28, 2], strides = [896, 25088, 702464], box = [64, 128], element_strides = [1, 1, 1, 1], lower = [-1, -1], upper = [-1, -1], swizzle = 128>
// CHECK:         conv.tensor_map %{{.+}} <sizes = [24, 3, 3, 56, 8], strides = [48, 144, 432, 24192], box = [64, 1, 1, 64, 1], element_strides = [1, 1, 1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map %{{.+}} <sizes = [24, 1568, 8], strides = [384, 48], box = [32, 64, 1], element_strides = [1, 1, 1], swizzle = 64>
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [128, 32], subgroup = [64, 32], gemm_k = 64, stages = 7, atom = <wgmma 64 x 32 x 16>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @backward_data(%dy: tensor<2x28x28x448xbf16>, %w: tensor<448x3x3x24xbf16>) -> tensor<2x28x28x192xbf16> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 schedule = #schedule
        : tensor<2x28x28x448xbf16>, tensor<448x3x3x24xbf16> -> tensor<2x28x28x192xbf16>
    return %dx : tensor<2x28x28x192xbf16>
  }
}

// -----

// With strides, results are positions of a window, whose copies have no dimension left for groups: chunks of whole groups
// are copied, as far as there are columns. Groups of 16 channels are one run of a row: each step is one instruction.
// CHECK-LABEL: gpu.module @strided_kernels
// CHECK:       gpu.func @strided_0(
// CHECK:         nvvm.elect.sync
// CHECK:         } else {
// CHECK:         nvvm.wgmma.mma_async {{.+}} D[<f32>, <zero>]
// CHECK-NOT:     nvvm.wgmma.mma_async
// CHECK:         nvvm.wgmma.commit.group
// CHECK:         %[[IS_USED:.+]] = arith.cmpi ult, %{{.+}}, %c192_i32{{.*}}
// CHECK:         scf.if %[[IS_USED]] {
// CHECK-NEXT:      nvvm.cp.async.bulk.tensor.global.shared.cta {{.+}} {mode = #nvvm.tma_store_mode<im2col>}
// CHECK:       func.func @strided
// CHECK:         conv.tensor_map %{{.+}} <sizes = [32, 20, 20, 2]
// CHECK:         conv.tensor_map %{{.+}} <sizes = [192, 2, 2, 16, 2]
// CHECK-COUNT-4: conv.tensor_map %{{.+}} <sizes = [384, 40, 40, 2]
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 128], subgroup = [64, 128], gemm_k = 64, stages = 7, atom = <wgmma 64 x 128 x 16>, raster = columns>>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @strided(%dy: tensor<2x20x20x32xf16>, %w: tensor<32x2x2x192xf16>) -> tensor<2x40x40x384xf16> {
    %dx = conv.backward_data %dy, %w
        window = <strides = [2, 2], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #schedule
        : tensor<2x20x20x32xf16>, tensor<32x2x2x192xf16> -> tensor<2x40x40x384xf16>
    return %dx : tensor<2x40x40x384xf16>
  }
}

// -----

// The gradient of a filter in four parts of each group. Rows of the tile are 64 channels of the result's gradient, the last
// ones of the next group, which are not stored.
// CHECK-LABEL: gpu.module @backward_weight_kernels
// CHECK:       gpu.func @backward_weight_0(%[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[PARTS:.+]]: memref<32x56x576xf32, {{.+}}>) kernel
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] :
// CHECK:         conv.guarded_store %{{.+}}, %[[PARTS]]
// CHECK:       gpu.func @backward_weight_1
// CHECK:       func.func @backward_weight
// CHECK:         conv.tensor_map %{{.+}} <sizes = [448, 28, 28, 4], strides = [896, 25088, 702464], box = [64, 8, 8, 1], element_strides = [1, 1, 1, 1], swizzle = 128>
// CHECK:         conv.tensor_map %{{.+}} <sizes = [24, 28, 28, 4, 8], strides = [384, 10752, 301056, 48], box = [64, 10, 8, 1, 1], element_strides = [1, 1, 1, 1, 1], swizzle = 128>
// Three lines of taps of 8 groups in four parts.
// CHECK:         %[[GRID:.+]] = arith.constant 96 : index
// CHECK:         gpu.launch_func @backward_weight_kernels::@backward_weight_0 blocks in (%[[GRID]],
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 192], subgroup = [64, 192], gemm_k = 64, stages = 8, atom = <wgmma 64 x 192 x 16>, raster = columns, halo_tile = [8, 8]>, splits = 4>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @backward_weight(%x: tensor<4x28x28x192xbf16>, %dy: tensor<4x28x28x448xbf16>) -> tensor<448x3x3x24xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 schedule = #schedule
        : tensor<4x28x28x192xbf16>, tensor<4x28x28x448xbf16> -> tensor<448x3x3x24xbf16>
    return %dw : tensor<448x3x3x24xbf16>
  }
}

// -----

// Without parts, the result of a group are rows of their own.
// CHECK-LABEL: gpu.module @rows_kernels
// CHECK:       func.func @rows
// CHECK:         conv.tensor_map %{{.+}} <sizes = [320, 392, 1]
// CHECK:         conv.tensor_map %{{.+}} <sizes = [512, 14, 14, 2]
// CHECK:         conv.tensor_map %{{.+}} <sizes = [576, 40, 8], strides = [1152, 46080], box = [64, 64, 1], element_strides = [1, 1, 1], swizzle = 128>
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 8, atom = <wgmma 64 x 64 x 16>, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @rows(%x: tensor<2x14x14x512xbf16>, %dy: tensor<2x14x14x320xbf16>) -> tensor<320x3x3x64xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> groups = 8 schedule = #schedule
        : tensor<2x14x14x512xbf16>, tensor<2x14x14x320xbf16> -> tensor<320x3x3x64xbf16>
    return %dw : tensor<320x3x3x64xbf16>
  }
}

// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --canonicalize --cse | FileCheck %s

// Split-K slices of several digits: neither 6 images nor 4 lines nor 15 pixels divide into 8 slices, but 2 of images times 4 of
// lines are as long as each other. A slice has a line of each of three images, 24 segments in all: slice (s, t) has segment
// (3 * s + i) * 4 + t of image i.
#images = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 8>
// Positions innermost: 2 slices of images times 7 of 64 positions, each of which starts a row of a tile.
#rows = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 14, layouts = <"NCW", "KSC", "NKQ">>
// 4 slices of one image each, times 7: only the slice moves along images.
#single = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 4, atom = <wgmma 64 x 64 x 16>, raster = columns>, splits = 28, layouts = <"NCW", "KSC", "NKQ">>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// CHECK-LABEL: gpu.func @images_0(
// CHECK-SAME:    %[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}: memref<8x64x64xf32,
// CHECK-DAG:     %[[C0:.+]] = arith.constant 0 : i32
// CHECK-DAG:     %[[C3:.+]] = arith.constant 3 : i32
// CHECK-DAG:     %[[C4:.+]] = arith.constant 4 : i32
// CHECK:         scf.for %[[SLICE:.+]] = %{{.+}} to
// CHECK:           scf.for %[[I:.+]] = %[[C0]] to %[[C3]]
// CHECK:             %[[T:.+]] = arith.remui %[[SLICE]], %[[C4]]
// CHECK:             %[[S:.+]] = arith.divui %[[SLICE]], %[[C4]]
// CHECK:             %[[FIRST:.+]] = arith.muli %[[S]], %[[C3]]
// CHECK:             %[[IMAGE:.+]] = arith.addi %[[FIRST]], %[[I]]
// CHECK:             %[[LINES:.+]] = arith.muli %[[IMAGE]], %[[C4]]
// CHECK:             %[[SEGMENT:.+]] = arith.addi %[[LINES]], %[[T]]
// CHECK:             nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%[[C0]], %[[C0]], %[[SEGMENT]]]
// CHECK-LABEL: func.func @images(
// CHECK:         conv.tensor_map %{{.+}} <sizes = [64, 15, 24],

// CHECK-LABEL: gpu.func @rows_0(
// CHECK-SAME:    %[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %{{.+}}: memref<14x64x64xf32,
// CHECK-DAG:     %[[C2:.+]] = arith.constant 2 : i32
// CHECK-DAG:     %[[C7:.+]] = arith.constant 7 : i32
// CHECK-DAG:     %[[C64:.+]] = arith.constant 64 : i32
// CHECK:         scf.for %[[SLICE:.+]] = %{{.+}} to
// CHECK:           scf.for %[[I:.+]] = %{{.+}} to
// CHECK:             %[[T:.+]] = arith.remui %[[SLICE]], %[[C7]]
// CHECK:             %[[S:.+]] = arith.divui %[[SLICE]], %[[C7]]
// CHECK:             %[[POSITION:.+]] = arith.muli %[[T]], %[[C64]]
// CHECK:             %[[FIRST:.+]] = arith.muli %[[S]], %[[C2]]
// CHECK:             %[[IMAGE:.+]] = arith.addi %[[FIRST]], %{{.+}}
// CHECK:             nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%[[POSITION]], %{{.+}}, %[[IMAGE]]]
// CHECK:             nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]], %{{.+}}, box[%[[POSITION]], %{{.+}}, %[[IMAGE]]]

// CHECK-LABEL: gpu.func @single_0(
// CHECK-SAME:    %[[DY:[^:]+]]: !llvm.ptr {conv.tensor_map},
// CHECK-DAG:     %[[C7:.+]] = arith.constant 7 : i32
// CHECK-DAG:     %[[C64:.+]] = arith.constant 64 : i32
// CHECK:         scf.for %[[SLICE:.+]] = %{{.+}} to
// CHECK:             %[[T:.+]] = arith.remui %[[SLICE]], %[[C7]]
// CHECK:             %[[IMAGE:.+]] = arith.divui %[[SLICE]], %[[C7]]
// CHECK:             %[[POSITION:.+]] = arith.muli %[[T]], %[[C64]]
// CHECK:             nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[DY]], %{{.+}}, box[%[[POSITION]], %{{.+}}, %[[IMAGE]]]
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @images(%x: tensor<6x4x15x64xbf16>, %dy: tensor<6x4x15x64xbf16>) -> tensor<64x1x1x64xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #images
        : tensor<6x4x15x64xbf16>, tensor<6x4x15x64xbf16> -> tensor<64x1x1x64xbf16>
    return %dw : tensor<64x1x1x64xbf16>
  }

  func.func @rows(%x: tensor<4x64x14x32xbf16>, %dy: tensor<4x64x14x32xbf16>) -> tensor<64x64x1x1xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #rows
        : tensor<4x64x14x32xbf16>, tensor<4x64x14x32xbf16> -> tensor<64x64x1x1xbf16>
    return %dw : tensor<64x64x1x1xbf16>
  }

  func.func @single(%x: tensor<4x64x14x32xbf16>, %dy: tensor<4x64x14x32xbf16>) -> tensor<64x64x1x1xbf16> {
    %dw = conv.backward_weight %x, %dy window = #window layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #single
        : tensor<4x64x14x32xbf16>, tensor<4x64x14x32xbf16> -> tensor<64x64x1x1xbf16>
    return %dw : tensor<64x64x1x1xbf16>
  }
}

// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels -split-input-file | FileCheck %s

// A residual lies in memory as the result does, so copies of the same boxes bring it to where results leave from: for
// each of two consumers, two chunks of 64 columns for both of its atoms.

// CHECK-LABEL: gpu.func @f_0
// CHECK-SAME:      %[[BIAS:[a-z0-9]+]]: memref<128xf32
// CHECK-SAME:      %[[RESIDUAL:[a-z0-9]+]]: !llvm.ptr {conv.tensor_map}
// CHECK-SAME:      %[[RESULT:[a-z0-9]+]]: !llvm.ptr {conv.tensor_map}

// Behind the barriers of 3 stages, one lane fills each of 8 chunks, and 4 warps empty it.
// CHECK-COUNT-3: nvvm.mbarrier.init %{{.+}}, %c1_i32
// CHECK-COUNT-3: nvvm.mbarrier.init %{{.+}}, %c8_i32
// CHECK-COUNT-8: nvvm.mbarrier.init %{{.+}}, %c1_i32
// CHECK-COUNT-8: nvvm.mbarrier.init %{{.+}}, %c4_i32

// The producer is in the first warp, and the epilogue warp of a consumer in one of the next ones.
// CHECK:         nvvm.setmaxregister decrease 40
// CHECK:         nvvm.elect.sync
// CHECK:         arith.cmpi ult, %{{.+}}, %c2_i32
// CHECK:         nvvm.elect.sync
// CHECK:         scf.for

// Once the results of a tile are where the residual was, and if there was a tile, they leave.
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:           scf.if
// CHECK:             nvvm.cp.async.bulk.tensor.global.shared.cta %[[RESULT]]
// CHECK:             nvvm.cp.async.bulk.commit.group

// What left one chunk before makes room for the residual of the next tile.
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:           nvvm.cp.async.bulk.tensor.global.shared.cta %[[RESULT]]
// CHECK:           nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK:           nvvm.mbarrier.arrive.expect_tx %{{.+}}, %c8192_i32
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[RESIDUAL]]
// CHECK:           nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:           nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[RESIDUAL]]
// CHECK:           scf.yield

// The results of the last tile.
// CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.global.shared.cta %[[RESULT]]

// A consumer's lanes load the bias ahead of the products, and its residual from where they put the results.
// CHECK:         nvvm.setmaxregister increase 232
// CHECK:           conv.guarded_load %[[BIAS]]
// CHECK:           nvvm.wgmma.mma_async
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK:           nvvm.ldmatrix
// CHECK:           nvvm.stmatrix
// CHECK:           nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK:           nvvm.bar.warp.sync
// CHECK:           nvvm.mbarrier.arrive
// CHECK-NOT:       nvvm.cp.async.bulk
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<32x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>, %bias: tensor<128xf32>,
      %residual: tensor<32x28x28x128xbf16>) -> tensor<32x28x28x128xbf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.warpgroup_gemm<workgroup = [256, 128], subgroup = [128, 128], gemm_k = 64, stages = 3,
                    atom = <wgmma 64 x 128 x 16>, raster = columns>>
        epilogue(%bias : tensor<128xf32>, %residual : tensor<32x28x28x128xbf16>) {
    ^bb0(%sum: f32, %b: f32, %r: bf16):
      %0 = arith.addf %sum, %b : f32
      %1 = arith.extf %r : bf16 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.truncf %2 : f32 to bf16
      conv.yield %3 : bf16
    } : tensor<32x28x28x64xbf16>, tensor<128x3x3x64xbf16> -> tensor<32x28x28x128xbf16>
    return %y : tensor<32x28x28x128xbf16>
  }
}

// -----

// With one more stage there is no room for both atoms of a consumer, and lanes load the residual.

// CHECK-LABEL: gpu.func @stages_0
// CHECK-SAME:      %[[RESIDUAL:[a-z0-9]+]]: memref<32x28x28x128xbf16
// CHECK-NOT:     nvvm.ldmatrix
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @stages(%x: tensor<32x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>,
      %residual: tensor<32x28x28x128xbf16>) -> tensor<32x28x28x128xbf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.warpgroup_gemm<workgroup = [256, 128], subgroup = [128, 128], gemm_k = 64, stages = 4,
                    atom = <wgmma 64 x 128 x 16>, raster = columns>>
        epilogue(%residual : tensor<32x28x28x128xbf16>) {
    ^bb0(%sum: f32, %r: bf16):
      %0 = arith.extf %r : bf16 to f32
      %1 = arith.addf %sum, %0 : f32
      %2 = arith.truncf %1 : f32 to bf16
      conv.yield %2 : bf16
    } : tensor<32x28x28x64xbf16>, tensor<128x3x3x64xbf16> -> tensor<32x28x28x128xbf16>
    return %y : tensor<32x28x28x128xbf16>
  }
}

// -----

// So they do with an operand of another type. Of two that lie as the result does, the first one is copied.

// CHECK-LABEL: gpu.func @operands_0
// CHECK-SAME:      memref<32x28x28x64xf32
// CHECK-SAME:      !llvm.ptr {conv.tensor_map}
// CHECK-SAME:      memref<32x28x28x64xbf16
// CHECK-SAME:      !llvm.ptr {conv.tensor_map}
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @operands(%x: tensor<32x28x28x64xbf16>, %w: tensor<64x1x1x64xbf16>, %other: tensor<32x28x28x64xf32>,
      %first: tensor<32x28x28x64xbf16>, %second: tensor<32x28x28x64xbf16>) -> tensor<32x28x28x64xbf16> {
    %y = conv.forward %x, %w
        window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK">
        schedule = <kernel = #conv.warpgroup_gemm<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64, stages = 3,
                    atom = <wgmma 64 x 64 x 16>, raster = columns>>
        epilogue(%other : tensor<32x28x28x64xf32>, %first : tensor<32x28x28x64xbf16>,
             %second : tensor<32x28x28x64xbf16>) {
    ^bb0(%sum: f32, %o: f32, %a: bf16, %b: bf16):
      %0 = arith.addf %sum, %o : f32
      %1 = arith.extf %a : bf16 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.extf %b : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.truncf %4 : f32 to bf16
      conv.yield %5 : bf16
    } : tensor<32x28x28x64xbf16>, tensor<64x1x1x64xbf16> -> tensor<32x28x28x64xbf16>
    return %y : tensor<32x28x28x64xbf16>
  }
}

// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels --split-input-file | FileCheck %s

// Rows of 128 bytes have 128 elements of i8, of which an instruction takes 32. Sums are i32, those that workgroups of a
// cluster exchange too, and lanes store the result: a share of 16 columns is shorter than a swizzled row.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 32], subgroup = [64, 32], gemm_k = 128, stages = 4, atom = <wgmma 64 x 32 x 32>, raster = columns, cluster = 2>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK:       gpu.func @f_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[SCALE:.+]]: memref<32xf32, {{.+}}>, %[[Y:.+]]: memref<1x8x8x32xi8, {{.+}}>) kernel
// CHECK:         nvvm.wgmma.fence.aligned
// CHECK:         nvvm.wgmma.mma_async {{.+}} <m = 64, n = 32, k = 32>, D[<s32>, <zero>, <wrapped>], A[<s8>, <one>, <row>], B[<s8>, <one>, <col>] : !llvm.struct<(i32, {{.+}}
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.+}} <m = 64, n = 32, k = 32>, D[<s32>, <one>, <wrapped>], A[<s8>, <one>, <row>], B[<s8>, <one>, <col>]
// CHECK:         nvvm.wgmma.commit.group.sync.aligned
// CHECK:         arith.bitcast {{.+}} : i32 to f32
// CHECK:         st.async.shared::cluster
// CHECK:         arith.addi {{.+}} : vector<4xi32>
// CHECK:         conv.guarded_store {{.+}}, %[[Y]]{{.*}} : vector<2xi8>
// CHECK:         conv.tensor_map {{.+}} <sizes = [144, 8, 8, 1], strides = [144, 1152, 9216], box = [128, 64], element_strides = [1, 1, 1, 1], lower = [-1, -1], upper = [-1, -1], swizzle = 128>
// CHECK:         conv.tensor_map {{.+}} <sizes = [144, 3, 3, 32], strides = [144, 432, 1296], box = [128, 1, 1, 32], element_strides = [1, 1, 1, 1], swizzle = 128>
// CHECK-NOT:     conv.tensor_map
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<1x8x8x144xi8>, %w: tensor<32x3x3x144xi8>, %scale: tensor<32xf32>) -> tensor<1x8x8x32xi8> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        epilogue(%scale : tensor<32xf32>) {
        ^bb0(%sum: i32, %s: f32):
          %0 = arith.sitofp %sum : i32 to f32
          %1 = arith.mulf %0, %s : f32
          %2 = math.roundeven %1 : f32
          %low = arith.constant -128.0 : f32
          %3 = arith.maximumf %2, %low : f32
          %high = arith.constant 127.0 : f32
          %4 = arith.minimumf %3, %high : f32
          %5 = arith.fptosi %4 : f32 to i8
          conv.yield %5 : i8
        } : tensor<1x8x8x144xi8>, tensor<32x3x3x144xi8> -> tensor<1x8x8x32xi8>
    return %y : tensor<1x8x8x32xi8>
  }
}

// -----

// Sums of i32 are results: of 64 columns, a lane stages 32 at a time, pair by pair, since they have four bytes each.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 128, stages = 4, atom = <wgmma 64 x 64 x 32>, raster = columns>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>

// CHECK-LABEL:    gpu.func @i32_0(
// CHECK-SAME:       {{.+}}: !llvm.ptr {conv.tensor_map}, {{.+}}: !llvm.ptr {conv.tensor_map}, %[[Y:[^ :]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// CHECK:            nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-8:    llvm.store {{.+}} : i64, !llvm.ptr<3>
// CHECK:            nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK:            nvvm.cp.async.bulk.commit.group
// CHECK:            nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-COUNT-8:    llvm.store {{.+}} : i64, !llvm.ptr<3>
// CHECK:            nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK:            conv.tensor_map {{.+}} <sizes = [64, 64], strides = [256], box = [32, 64], element_strides = [1, 1], swizzle = 128> : memref<1x8x8x64xi32,
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @i32(%x: tensor<1x8x8x144xi8>, %w: tensor<64x3x3x144xi8>) -> tensor<1x8x8x64xi32> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<1x8x8x144xi8>, tensor<64x3x3x144xi8> -> tensor<1x8x8x64xi32>
    return %y : tensor<1x8x8x64xi32>
  }
}

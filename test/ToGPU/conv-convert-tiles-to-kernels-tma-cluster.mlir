// RUN: conv-opt %s --conv-lower-to-linalg --conv-lower-to-tiled --conv-convert-tiles-to-kernels | FileCheck %s

// A 1x1 convolution of 2 x 7 x 7 pixels with 448 channels to 64: two tiles, whose seven steps are shared by two workgroups.
#schedule = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 64, stages = 3, atom = <wgmma 64 x 64 x 16>, raster = columns, cluster = 2>>
#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>

// CHECK:       gpu.func @f_0(%[[X:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[W:[^:]+]]: !llvm.ptr {conv.tensor_map}, %[[Y:[^:]+]]: !llvm.ptr {conv.tensor_map}{{.*}}) kernel
// The number in the cluster; then barriers of three stages, and one that expects a share of 64 x 32 sums.
// CHECK:         %[[RANK:.+]] = arith.remui %{{.+}}, %c2_i32
// CHECK-COUNT-7: nvvm.mbarrier.init
// CHECK:         %[[BYTES:.+]] = arith.constant 8192 : i32
// CHECK:         nvvm.mbarrier.arrive.expect_tx %{{.+}}, %[[BYTES]]
// CHECK:         gpu.barrier
// The producer copies steps from 7 rank / 2 to 7 (rank + 1) / 2.
// CHECK:         scf.if
// CHECK:           nvvm.elect.sync
// CHECK:             %[[SCALED:.+]] = arith.muli %[[RANK]], %c7_i32
// CHECK:             %[[FIRST:.+]] = arith.divui %[[SCALED]], %c2_i32
// CHECK:             %[[LOWER:.+]] = arith.muli %[[FIRST]], %c64_i32
// CHECK:               scf.for %{{.+}} = %[[LOWER]] to
// CHECK:                 nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[X]]
// The consumer waits until operands are no longer read, keeps one share, sends the other, and adds up both.
// CHECK:         } else {
// CHECK:           nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:           nvvm.cluster.arrive.relaxed
// CHECK-NEXT:      nvvm.cluster.wait
// CHECK:           scf.if
// CHECK-COUNT-4:     llvm.store %{{.+}} : vector<4xf32>, !llvm.ptr<3>
// CHECK:           } else {
// CHECK-COUNT-2:     nvvm.mapa %{{.+}}, %c0_i32
// CHECK-COUNT-4:     llvm.inline_asm {{.*}}"st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32
// CHECK:           scf.if
// CHECK-COUNT-4:     llvm.store %{{.+}} : vector<4xf32>, !llvm.ptr<3>
// CHECK:           } else {
// CHECK-COUNT-2:     nvvm.mapa %{{.+}}, %c1_i32
// CHECK-COUNT-4:     llvm.inline_asm {{.*}}"st.async
// CHECK:           nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-4:   arith.addf %{{.+}}, %{{.+}} : vector<4xf32>
// It stores 32 columns.
// CHECK-COUNT-2:   nvvm.stmatrix
// CHECK-NOT:       nvvm.stmatrix
// CHECK:           nvvm.cp.async.bulk.tensor.global.shared.cta %[[Y]]
// CHECK:         conv.tensor_map %{{.+}} <sizes = [64, 98], strides = [128], box = [32, 64], element_strides = [1, 1], swizzle = 64>
// CHECK:         gpu.launch_func @f_kernels::@f_0 clusters in (%[[CLUSTER:.+]], %{{.+}}, %{{.+}}) blocks in (%[[GRID:.+]], %{{.+}}, %{{.+}}) threads
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @f(%x: tensor<2x7x7x448xbf16>, %w: tensor<64x1x1x448xbf16>) -> tensor<2x7x7x64xbf16> {
    %y = conv.forward %x, %w window = #window layouts = <"NHWC", "KRSC", "NPQK"> schedule = #schedule
        : tensor<2x7x7x448xbf16>, tensor<64x1x1x448xbf16> -> tensor<2x7x7x64xbf16>
    return %y : tensor<2x7x7x64xbf16>
  }
}

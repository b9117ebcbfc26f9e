// RUN: conv-compile %s --target=gfx942 --stop-after=gpu | FileCheck %s
// RUN: conv-compile %s --target=host --stop-after=gpu | FileCheck %s --check-prefix=HOST
// RUN: conv-compile %s --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX

// 300 tokens of 5 sequences, in runs of blocks: two workgroups, each of whose work-items bisects the 6 starts in 3 steps. Whether
// there is a token before is in the workspace, a byte for each token. A load that no start is at is guarded.
// CHECK:       gpu.func @packed_0(%[[STARTS:.+]]: memref<6xi32, {{.*}}>, %[[COUNTS:.+]]: memref<512xi8, {{.*}}>) kernel
// CHECK:         %[[TOKENS:.+]] = arith.constant 512 : i64
// CHECK:         %[[END:.+]] = arith.minsi {{.*}}, %[[TOKENS]]
// CHECK:         scf.for %[[TOKEN:.+]] = %{{.+}} to %[[END]]
// CHECK:           scf.for {{.*}} to %c3_i64 step {{.*}} iter_args(
// CHECK:             %[[GUARD:.+]] = arith.cmpi ult
// CHECK:             conv.guarded_load %[[STARTS]][%{{.+}}] if %[[GUARD]]
// CHECK:             arith.cmpi sle, %{{.+}}, %[[TOKEN]]
// CHECK:           arith.minsi
// CHECK:           conv.guarded_store %{{.+}}, %[[COUNTS]]
// CHECK:       gpu.func @packed_1(
// CHECK:       func.func @packed(
// CHECK-SAME:    conv.workspace_bytes = 512
// CHECK:         %[[VIEW:.+]] = memref.view {{.*}} to memref<512xi8
// CHECK:         gpu.launch_func @packed_kernels::@packed_0 blocks in (%c2, %c1, %c1) threads in (%c256, %c1, %c1) args(%{{.+}} : memref<6xi32, {{.*}}>, %[[VIEW]] :
// CHECK:         gpu.launch_func @packed_kernels::@packed_1 {{.*}}%[[VIEW]] :

// One work-item has all tokens of its workgroup.
// HOST:        gpu.func @packed_0({{.*}}known_block_size = array<i32: 1, 1, 1>
// HOST:          conv.guarded_load

// PTX:         .entry packed_0(
// PTX:           ld.{{.*}}global
// PTX:         .entry packed_1(
func.func @packed(%x: tensor<1x300x8xf16>, %k: tensor<1x300x4x8xf16>, %s: tensor<6xi32>) -> tensor<1x300x8xf16> {
  %y = conv.dynamic_forward %x, %k cu_seqlens(%s : tensor<6xi32>) order = BTWG
      : tensor<1x300x8xf16>, tensor<1x300x4x8xf16> -> tensor<1x300x8xf16>
  return %y : tensor<1x300x8xf16>
}

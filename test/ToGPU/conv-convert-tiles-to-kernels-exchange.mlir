// RUN: conv-compile %s --target=sm_90a --stop-after=gpu | FileCheck %s
// RUN: conv-compile %s --target=gfx942 --stop-after=gpu | FileCheck %s --check-prefix=SMALL
// RUN: conv-compile %s --target=host --stop-after=gpu | FileCheck %s --check-prefix=HOST

// Eight channels of three taps are three vectors of a work-item. 256 work-items write theirs side by side to shared memory and each
// stores those that follow its neighbours': of work-item n / 3, vector n % 3. Two buffers take turns.
// CHECK:       gpu.func @gradient_0({{.*}}) workgroup(%[[A:.+]] : memref<6144xbf16, {{.*}}>, %[[B:.+]] : memref<6144xbf16, {{.*}}>) kernel
// CHECK-COUNT-3: vector.store {{.*}}, %[[A]]
// CHECK:         gpu.barrier
// CHECK:         vector.load %[[A]]
// CHECK:         arith.divui %{{.+}}, %c3_i32
// CHECK:         arith.remui %{{.+}}, %c3_i32
// CHECK-COUNT-3: conv.guarded_store
// CHECK-COUNT-3: vector.store {{.*}}, %[[B]]
// CHECK:         gpu.barrier

// Where two buffers would leave room for few workgroups, there is one, and work-items meet twice.
// SMALL:       gpu.func @gradient_0({{.*}}) workgroup(%[[A:[^ ]+]] : memref<6144xbf16, {{[^>]*>}}>) kernel
// SMALL-COUNT-3: vector.store {{.*}}, %[[A]]
// SMALL:         gpu.barrier
// SMALL-COUNT-3: vector.load %[[A]]
// SMALL:         gpu.barrier

// HOST-NOT:    gpu.barrier
func.func @gradient(%x: tensor<2x64x512xbf16>, %dy: tensor<2x64x512xbf16>) -> tensor<2x64x512x3xbf16> {
  %dk = conv.dynamic_backward_kernel %x, %dy order = BTGW
      : tensor<2x64x512xbf16>, tensor<2x64x512xbf16> -> tensor<2x64x512x3xbf16>
  return %dk : tensor<2x64x512x3xbf16>
}

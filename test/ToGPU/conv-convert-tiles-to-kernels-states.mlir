// RUN: conv-opt %s --split-input-file --conv-convert-tiles-to-kernels | FileCheck %s

// The new state is in the buffer of the old one: one argument, which the kernel reads before it writes. Eight channels of states of
// three tokens are three accesses of 16 bytes.
// CHECK-LABEL: gpu.func @decode_0
// CHECK-SAME:    %[[X:.+]]: memref<2x16x1xf16, {{.*}}>, %[[W:.+]]: memref<16x4xf16, {{.*}}>, %[[S:.+]]: memref<2x16x3xf16, {{.*}}>, %[[Y:.+]]: memref<2x16x1xf16, {{.*}}>)
// CHECK-COUNT-3: conv.guarded_load %[[S]]{{.*}} -> vector<8xf16>
// CHECK:         conv.guarded_load %[[X]]{{.*}} -> vector<8xf16>
// CHECK-COUNT-4: conv.guarded_load %[[W]]{{.*}} -> vector<8xf16>
// CHECK:         math.fma
// CHECK:         conv.guarded_store {{.*}}, %[[Y]]
// CHECK-COUNT-3: conv.guarded_store {{.*}}, %[[S]]{{.*}} : vector<8xf16>
// CHECK-NOT:     conv.guarded_store
// CHECK-LABEL: func.func @decode
// CHECK-SAME:    memref<2x16x3xf16, {{.*}}> {conv.name = "state"}, %{{.*}}: memref<2x16x1xf16, {{.*}}> {conv.name = "output"})
// CHECK-NOT:     conv.in_place
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @decode(%x: tensor<2x16x1xf16>, %w: tensor<16x4xf16>, %s: tensor<2x16x3xf16> {conv.name = "state", conv.in_place = 1})
      -> (tensor<2x16x1xf16> {conv.name = "output"}, tensor<2x16x3xf16>) {
    %y, %n = conv.causal_update %x, %w, %s
        : tensor<2x16x1xf16>, tensor<16x4xf16>, tensor<2x16x3xf16> -> tensor<2x16x1xf16>, tensor<2x16x3xf16>
    return %y, %n : tensor<2x16x1xf16>, tensor<2x16x3xf16>
  }
}

// -----

// Places in a ring are known on the device; channels that follow each other are one access for each token.
// CHECK-LABEL: gpu.func @ring_0
// CHECK:         arith.remsi
// CHECK-COUNT-3: conv.guarded_load {{.*}} -> vector<8xf16>
// CHECK:         conv.guarded_store {{.*}} : vector<8xf16>, memref<2x8x1xf16
// CHECK:         conv.guarded_store {{.*}} : vector<8xf16>, memref<40xf16
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @ring(%x: tensor<2x8x1xf16>, %w: tensor<8x2xf16>, %s: tensor<2x8x2xf16> {conv.in_place = 1, conv.strides = array<i64: 24, 1, 8>},
                  %p: tensor<2xi32>) -> (tensor<2x8x1xf16>, tensor<2x8x2xf16>) {
    %y, %n = conv.causal_update %x, %w, %s positions(%p : tensor<2xi32>)
        : tensor<2x8x1xf16>, tensor<8x2xf16>, tensor<2x8x2xf16> -> tensor<2x8x1xf16>, tensor<2x8x2xf16>
    return %y, %n : tensor<2x8x1xf16>, tensor<2x8x2xf16>
  }
}

// -----

// On an NVIDIA GPU, it starts before the kernel in front of it has ended, and waits.
// CHECK-LABEL: gpu.func @final_0
// CHECK:         griddepcontrol launch_dependents
// CHECK:         griddepcontrol wait
// CHECK:         conv.guarded_load
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @final(%x: tensor<1x9x8xf16>, %c: tensor<3xi64>) -> tensor<2x3x8xf16> {
    %r = conv.final_state %x cu_seqlens(%c : tensor<3xi64>) {conv.launch = #conv.launch<next = at_once>}
        : tensor<1x9x8xf16> -> tensor<2x3x8xf16>
    return %r : tensor<2x3x8xf16>
  }
}

// -----

// While a decoding step waits, it fetches the cache lines that start in its tokens and states: one prefetch for each, whose elements
// follow each other.
// CHECK-LABEL: gpu.func @early_0
// CHECK:         griddepcontrol launch_dependents
// CHECK-NOT:     conv.guarded_load
// CHECK-COUNT-2: nvvm.prefetch level = L2
// CHECK-NOT:     nvvm.prefetch
// CHECK:         griddepcontrol wait
// CHECK:         conv.guarded_load
// CHECK:         math.fma
// CHECK:         conv.guarded_store
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @early(%x: tensor<2x16x1xf16>, %w: tensor<16x4xf16>, %s: tensor<2x16x3xf16> {conv.in_place = 1})
      -> (tensor<2x16x1xf16>, tensor<2x16x3xf16>) {
    %y, %n = conv.causal_update %x, %w, %s {conv.launch = #conv.launch<next = at_once, prefetches = true>}
        : tensor<2x16x1xf16>, tensor<16x4xf16>, tensor<2x16x3xf16> -> tensor<2x16x1xf16>, tensor<2x16x3xf16>
    return %y, %n : tensor<2x16x1xf16>, tensor<2x16x3xf16>
  }
}

// -----

// One whose work-items need so many registers that the workgroups of two steps have no place together does not fetch, and the next
// kernel starts after its loads.
// CHECK-LABEL: gpu.func @late_0
// CHECK-NOT:     launch_dependents
// CHECK-NOT:     nvvm.prefetch
// CHECK:         griddepcontrol wait
// CHECK:         conv.guarded_load
// CHECK:         griddepcontrol launch_dependents
// CHECK-NOT:     conv.guarded_load
// CHECK:         math.fma
// CHECK:         conv.guarded_store
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @late(%x: tensor<256x4096x1xf16>, %w: tensor<4096x4xf16>, %s: tensor<256x4096x3xf16> {conv.in_place = 1})
      -> (tensor<256x4096x1xf16>, tensor<256x4096x3xf16>) {
    %y, %n = conv.causal_update %x, %w, %s {conv.launch = #conv.launch<next = after_loads>}
        : tensor<256x4096x1xf16>, tensor<4096x4xf16>, tensor<256x4096x3xf16> -> tensor<256x4096x1xf16>, tensor<256x4096x3xf16>
    return %y, %n : tensor<256x4096x1xf16>, tensor<256x4096x3xf16>
  }
}

// -----

// One that finds its states by indices does not: it would load these first.
// CHECK-LABEL: gpu.func @indexed_0
// CHECK-NOT:     nvvm.prefetch
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @indexed(%x: tensor<2x16x1xf16>, %w: tensor<16x4xf16>, %s: tensor<4x16x3xf16> {conv.in_place = 1}, %i: tensor<2xi32>)
      -> (tensor<2x16x1xf16>, tensor<4x16x3xf16>) {
    %y, %n = conv.causal_update %x, %w, %s indices(%i : tensor<2xi32>)
        : tensor<2x16x1xf16>, tensor<16x4xf16>, tensor<4x16x3xf16> -> tensor<2x16x1xf16>, tensor<4x16x3xf16>
    return %y, %n : tensor<2x16x1xf16>, tensor<4x16x3xf16>
  }
}

// RUN: conv-opt %s --pass-pipeline='builtin.module(gpu.module(conv-convert-kernels-to-host))' --split-input-file --verify-diagnostics | FileCheck %s

// A kernel is a function of the list of parameters and the workgroup; private
// memory is on its stack. The processor's name is beside it.
// CHECK:       llvm.mlir.global external constant @conv_cpu("x86-64-v3\00")
// CHECK:       llvm.func @store(%[[PARAMETERS:.+]]: !llvm.ptr, %[[WORKGROUP:.+]]: !llvm.ptr) attributes {gpu.kernel}
// CHECK:         %[[SLOT:.+]] = llvm.getelementptr %[[PARAMETERS]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK:         %[[VALUE:.+]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[X:.+]] = llvm.load %[[VALUE]] : !llvm.ptr -> !llvm.ptr
// CHECK:         llvm.alloca %{{.+}} x f32 {alignment = 64 : i64}
// CHECK:         %[[DIM:.+]] = llvm.getelementptr %[[WORKGROUP]][1] : (!llvm.ptr) -> !llvm.ptr, i32
// CHECK:         %[[ID:.+]] = llvm.load %[[DIM]] : !llvm.ptr -> i32
// CHECK:         llvm.zext %[[ID]] : i32 to i64
// CHECK:         llvm.store %{{.+}}, %{{.+}} {alignment = 4 : i64} : vector<1xf32>, !llvm.ptr
// CHECK:         llvm.return
module attributes {conv.target = #conv.target<"host">} {
  gpu.module @kernels {
    gpu.func @store(%x: memref<8xf32, #gpu.address_space<global>>) private(%t: memref<4xf32, #gpu.address_space<private>>) kernel {
      %i = gpu.block_id y
      %c = arith.constant dense<1.0> : vector<1xf32>
      vector.store %c, %x[%i] : memref<8xf32, #gpu.address_space<global>>, vector<1xf32>
      vector.store %c, %t[%i] : memref<4xf32, #gpu.address_space<private>>, vector<1xf32>
      gpu.return
    }
  }
}

// -----

// What activations are made of is arithmetic, and what LLVM has an intrinsic for is no call.
// CHECK-NOT:     llvm.func @{{.*}}f(
// CHECK:       llvm.func @math
// CHECK:         llvm.intr.roundeven({{.*}}) : (vector<2xf32>) -> vector<2xf32>
// CHECK-COUNT-8: llvm.intr.fma({{.*}}) : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>
// CHECK:         llvm.fptosi {{.*}} : vector<2xf32> to vector<2xi32>
// CHECK-NOT:     llvm.intr.exp
// CHECK:         llvm.intr.log({{.*}}) : (vector<2xf32>) -> vector<2xf32>
// CHECK:         llvm.intr.copysign({{.*}}) : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
// CHECK:         llvm.intr.copysign({{.*}}) : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
// CHECK:         llvm.intr.copysign({{.*}}) : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
// CHECK-NOT:     llvm.intr.{{exp|tanh}}
// CHECK-NOT:     llvm.call
module attributes {conv.target = #conv.target<"host">} {
  gpu.module @kernels {
    gpu.func @math(%x: memref<8xf32, #gpu.address_space<global>>) kernel {
      %i = gpu.block_id x
      %v = vector.load %x[%i] : memref<8xf32, #gpu.address_space<global>>, vector<2xf32>
      %e = math.exp %v : vector<2xf32>
      %l = math.log %e : vector<2xf32>
      %f = math.erf %l : vector<2xf32>
      %t = math.tanh %f : vector<2xf32>
      %m = math.expm1 %t : vector<2xf32>
      vector.store %m, %x[%i] : memref<8xf32, #gpu.address_space<global>>, vector<2xf32>
      gpu.return
    }
  }
}

// -----

// Of other types, expm1 is a call: exp(x) - 1 cancels near zero. So is each element of a function that LLVM does not know.
// CHECK-DAG:   llvm.func @expm1(f64) -> f64
// CHECK-DAG:   llvm.func @cbrtf(f32) -> f32
// CHECK:       llvm.func @calls
// CHECK-NOT:     llvm.intr.exp
// CHECK-COUNT-2: llvm.call @expm1
// CHECK-COUNT-2: llvm.call @cbrtf
module attributes {conv.target = #conv.target<"host">} {
  gpu.module @kernels {
    gpu.func @calls(%x: memref<8xf64, #gpu.address_space<global>>, %y: memref<8xf32, #gpu.address_space<global>>) kernel {
      %i = gpu.block_id x
      %v = vector.load %x[%i] : memref<8xf64, #gpu.address_space<global>>, vector<2xf64>
      %e = math.expm1 %v : vector<2xf64>
      vector.store %e, %x[%i] : memref<8xf64, #gpu.address_space<global>>, vector<2xf64>
      %w = vector.load %y[%i] : memref<8xf32, #gpu.address_space<global>>, vector<2xf32>
      %c = math.cbrt %w : vector<2xf32>
      vector.store %c, %y[%i] : memref<8xf32, #gpu.address_space<global>>, vector<2xf32>
      gpu.return
    }
  }
}

// -----

// bf16 is loaded, moved and stored as i16, with the bits of its constants.
// CHECK-LABEL: llvm.func @bits
// CHECK-NOT:     bf16
// CHECK-DAG:     llvm.mlir.constant(dense<16256> : vector<4xi16>) : vector<4xi16>
// CHECK-DAG:     llvm.mlir.constant(-16384 : i16) : i16
// CHECK:         llvm.shufflevector {{.*}} : vector<4xi16>
// CHECK:         llvm.store {{.*}} : vector<4xi16>, !llvm.ptr
// CHECK-NOT:     bf16
// CHECK:         llvm.return
module attributes {conv.target = #conv.target<"host">} {
  gpu.module @kernels {
    gpu.func @bits(%x: memref<8xbf16, #gpu.address_space<global>>) kernel {
      %i = gpu.block_id x
      %one = arith.constant dense<1.0> : vector<4xbf16>
      %last = arith.constant -2.0 : bf16
      %v = vector.load %x[%i] : memref<8xbf16, #gpu.address_space<global>>, vector<4xbf16>
      %s = vector.shuffle %v, %one [0, 4, 1, 5] : vector<4xbf16>, vector<4xbf16>
      %r = vector.insert %last, %s [3] : bf16 into vector<4xbf16>
      vector.store %r, %x[%i] : memref<8xbf16, #gpu.address_space<global>>, vector<4xbf16>
      gpu.return
    }
  }
}

// -----

// The host has no shared memory.
module attributes {conv.target = #conv.target<"host">} {
  gpu.module @kernels {
    // expected-error @below {{failed to legalize operation 'gpu.func'}}
    gpu.func @shared() workgroup(%t: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
      gpu.return
    }
  }
}

// -----

// Nor has it work-items.
module attributes {conv.target = #conv.target<"host">} {
  gpu.module @kernels {
    gpu.func @barrier() kernel {
      // expected-error @below {{failed to legalize operation 'gpu.barrier'}}
      gpu.barrier
      gpu.return
    }
  }
}

// -----

// Pairs of bf16 are multiplied by an instruction with operands of LLVM's type; the processor's name has its feature.
// CHECK:       llvm.mlir.global external constant @conv_cpu("x86-64-v4+avx512bf16\00")
// CHECK-LABEL: llvm.func @pairs
// CHECK:         %[[BITS:.+]] = llvm.load {{.*}} -> vector<32xi16>
// CHECK:         %[[PAIRS:.+]] = llvm.bitcast %[[BITS]] : vector<32xi16> to vector<32xbf16>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.+}}, %[[PAIRS]], %{{.+}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
module attributes {conv.target = #conv.target<"host_v4_bf16">} {
  gpu.module @kernels {
    gpu.func @pairs(%x: memref<32xbf16, #gpu.address_space<global>>, %y: memref<16xf32, #gpu.address_space<global>>) kernel {
      %i = gpu.block_id x
      %a = vector.load %x[%i] : memref<32xbf16, #gpu.address_space<global>>, vector<32xbf16>
      %s = vector.load %y[%i] : memref<16xf32, #gpu.address_space<global>>, vector<16xf32>
      %d = x86vector.avx512.dot %s, %a, %a : vector<32xbf16> -> vector<16xf32>
      vector.store %d, %y[%i] : memref<16xf32, #gpu.address_space<global>>, vector<16xf32>
      gpu.return
    }
  }
}

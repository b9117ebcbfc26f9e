// RUN: conv-opt %s --pass-pipeline='builtin.module(gpu.module(conv-convert-kernels-to-nvvm,canonicalize))' --split-input-file --verify-diagnostics | FileCheck %s

// A load reads the first elements where its guard is false, and gives zero.
// CHECK-LABEL: llvm.func @load
// CHECK-SAME:      (%[[X:[^:]+]]: !llvm.ptr<1>, %{{.+}}: !llvm.ptr<1>, %[[OFFSET:[^:]+]]: i32, %[[GUARD:[^:]+]]: i1)
// CHECK-DAG:     %[[FIRST:.+]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-DAG:     %[[ZERO:.+]] = llvm.mlir.constant(dense<0> : vector<4xi32>)
// CHECK:         %[[SAFE:.+]] = llvm.select %[[GUARD]], %[[OFFSET]], %[[FIRST]]
// CHECK:         %[[ADDRESS:.+]] = llvm.getelementptr %[[X]][%[[SAFE]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
// CHECK:         %[[LOADED:.+]] = llvm.load %[[ADDRESS]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK:         %[[VALUE:.+]] = llvm.select %[[GUARD]], %[[LOADED]], %[[ZERO]]
// CHECK:         llvm.store %[[VALUE]], %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @load(%x: memref<64xf16, #gpu.address_space<global>>, %y: memref<64xf16, #gpu.address_space<global>>, %i: i32, %guard: i1) kernel {
      %true = arith.constant true
      %v = conv.guarded_load %x[%i] if %guard : memref<64xf16, #gpu.address_space<global>>, i32 -> vector<8xf16>
      conv.guarded_store %v, %y[%i] if %true : vector<8xf16>, memref<64xf16, #gpu.address_space<global>>, i32
      gpu.return
    }
  }
}

// -----

// A copy whose guard is false has a source of no bytes, at an address that
// exists. Copies of 16 bytes pass by the first-level cache, unless they are to
// stay there.
// CHECK-LABEL: llvm.func @copy
// CHECK-SAME:      (%[[X:[^:]+]]: !llvm.ptr<1>, %[[OFFSET:[^:]+]]: i32, %[[GUARD:[^:]+]]: i1)
// CHECK-DAG:     %[[NONE:.+]] = llvm.mlir.constant(0 : i32) : i32
// CHECK-DAG:     %[[FOUR:.+]] = llvm.mlir.constant(4 : i32) : i32
// CHECK:         %[[SAFE:.+]] = llvm.select %[[GUARD]], %[[OFFSET]], %[[NONE]]
// CHECK:         %[[FROM:.+]] = llvm.getelementptr %[[X]][%[[SAFE]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
// CHECK:         %[[BYTES:.+]] = llvm.select %[[GUARD]], %[[FOUR]], %[[NONE]]
// CHECK:         nvvm.cp.async.shared.global %{{.+}}, %[[FROM]], 4, cache = ca, %[[BYTES]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK:         nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK:         nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
module attributes {conv.target = #conv.target<"sm_80">} {
  gpu.module @kernels {
    gpu.func @copy(%x: memref<64xf16, #gpu.address_space<global>>, %i: i32, %guard: i1) workgroup(%m: memref<64xf16, #gpu.address_space<workgroup>>) kernel {
      %true = arith.constant true
      %j = arith.constant 8 : index
      conv.guarded_copy 2 of %x[%i], %m[%j] if %guard : memref<64xf16, #gpu.address_space<global>>, i32, memref<64xf16, #gpu.address_space<workgroup>>
      conv.guarded_copy 8 of %x[%i], %m[%j] if %true : memref<64xf16, #gpu.address_space<global>>, i32, memref<64xf16, #gpu.address_space<workgroup>>
      conv.guarded_copy cached 8 of %x[%i], %m[%j] if %true : memref<64xf16, #gpu.address_space<global>>, i32, memref<64xf16, #gpu.address_space<workgroup>>
      gpu.return
    }
  }
}

// -----

// Transposed fragments of two runs of positions are two registers.
// CHECK-LABEL: llvm.func @transposed
// CHECK:         nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 2 : i32
// CHECK-SAME:      (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @transposed(%y: memref<4xbf16, #gpu.address_space<global>>, %o: i32, %i: index) workgroup(%m: memref<256xbf16, #gpu.address_space<workgroup>>) kernel {
      %true = arith.constant true
      %runs = nvgpu.ldmatrix %m[%i] {numTiles = 2 : i32, transpose = true} : memref<256xbf16, #gpu.address_space<workgroup>> -> vector<2x2xbf16>
      %run = vector.extract %runs[1] : vector<2xbf16> from vector<2x2xbf16>
      conv.guarded_store %run, %y[%o] if %true : vector<2xbf16>, memref<4xbf16, #gpu.address_space<global>>, i32
      gpu.return
    }
  }
}

// -----

// Shared memory is aligned for 16-byte accesses, whatever its elements are, and
// the size of the workgroup reaches PTX.
// CHECK:       llvm.mlir.global internal @{{.+}}() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f16>
// CHECK-LABEL: llvm.func @shared
// CHECK-SAME:      nvvm.kernel
// CHECK-SAME:      nvvm.maxntid = array<i32: 128, 1, 1>
// CHECK:         nvvm.barrier
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @shared() workgroup(%m: memref<64xf16, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %i = arith.constant 0 : index
      %v = arith.constant dense<0.0> : vector<8xf16>
      vector.store %v, %m[%i] : memref<64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      gpu.barrier
      gpu.return
    }
  }
}

// -----

// Functions that PTX lacks are called in libdevice.
// CHECK-LABEL: llvm.func @epilogue
// CHECK-DAG:     llvm.call @__nv_expf
// CHECK-DAG:     llvm.call @__nv_tanhf
// CHECK-DAG:     llvm.call @__nv_erff
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @epilogue(%x: f32, %m: memref<3xf32>) kernel {
      %a = math.exp %x : f32
      %b = math.tanh %x : f32
      %c = math.erf %x : f32
      %v = vector.from_elements %a, %b, %c : vector<3xf32>
      %i = arith.constant 0 : index
      vector.store %v, %m[%i] : memref<3xf32>, vector<3xf32>
      gpu.return
    }
  }
}

// -----

// Square roots are rounded correctly: by an instruction, not by libdevice.
// CHECK-LABEL: llvm.func @root
// CHECK:         llvm.intr.sqrt(%{{.+}}) : (vector<4xf32>) -> vector<4xf32>
// CHECK:         llvm.intr.sqrt(%{{.+}}) : (f32) -> f32
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @root(%a: vector<4xf32>, %b: f32, %m: memref<8xf32>) kernel {
      %roots = math.sqrt %a : vector<4xf32>
      %root = math.sqrt %b : f32
      %i = arith.constant 0 : index
      %j = arith.constant 4 : index
      vector.store %roots, %m[%i] : memref<8xf32>, vector<4xf32>
      memref.store %root, %m[%j] : memref<8xf32>
      gpu.return
    }
  }
}

// -----

// Atoms must be instructions before.
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @atom(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<4xf32>, %m: memref<4xf32>) kernel {
      // expected-error @below {{failed to legalize operation 'conv.mma'}}
      %0 = conv.mma <mma_sync 16 x 8 x 16> %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<4xf32>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<4xf32>, vector<4xf32>
      gpu.return
    }
  }
}

// -----

module attributes {conv.target = #conv.target<"gfx942">} {
  // expected-error @below {{expects an NVIDIA chip as conv.target, but got gfx942}}
  gpu.module @kernels {
  }
}

// -----

// The address of a buffer, for instructions that take it.
// CHECK-LABEL: llvm.func @address
// CHECK-SAME:      (%[[X:[^:]+]]: !llvm.ptr<1>)
// CHECK:         llvm.load volatile %[[X]] : !llvm.ptr<1> -> i32
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @address(%x: memref<64xf16, #gpu.address_space<global>>) kernel {
      %pointer = conv.address %x : memref<64xf16, #gpu.address_space<global>> -> !llvm.ptr<1>
      %v = llvm.load volatile %pointer : !llvm.ptr<1> -> i32
      gpu.return
    }
  }
}

// -----

// Products of f32 take no function of libdevice; other functions do.
// CHECK-LABEL: llvm.func @fma
// CHECK:         llvm.intr.fma({{.*}}) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// CHECK:         llvm.call @__nv_expf
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @fma(%a: vector<4xf32>, %b: f32, %y: memref<64xf32, #gpu.address_space<global>>, %i: i32) kernel {
      %true = arith.constant true
      %product = math.fma %a, %a, %a : vector<4xf32>
      %e = math.exp %b : f32
      %v = vector.broadcast %e : f32 to vector<4xf32>
      %sum = arith.addf %product, %v : vector<4xf32>
      conv.guarded_store %sum, %y[%i] if %true : vector<4xf32>, memref<64xf32, #gpu.address_space<global>>, i32
      gpu.return
    }
  }
}

// -----

// Subgroups have no priorities here.
// CHECK-LABEL: @priority
// CHECK-NOT:     set_priority
// CHECK:         llvm.return
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @priority() kernel {
      conv.set_priority 2
      gpu.return
    }
  }
}

// RUN: conv-opt %s --pass-pipeline='builtin.module(gpu.module(conv-convert-kernel-ops-to-nvvm))' --split-input-file | FileCheck %s

// Registers of mma.sync alternate between rows 0 and 8; fragments have one row
// after the other.
// CHECK-LABEL: gpu.func @mma_sync_f16
// CHECK-SAME:      %[[A:.+]]: vector<8xf16>, %[[B:.+]]: vector<4xf16>, %[[C:.+]]: vector<4xf32>
// CHECK:         %[[C3:.+]] = vector.extract %[[C]][3]
// CHECK:         %[[A0:.+]] = vector.extract_strided_slice %[[A]] {offsets = [0], sizes = [2]
// CHECK:         %[[A1:.+]] = vector.extract_strided_slice %[[A]] {offsets = [4], sizes = [2]
// CHECK:         %[[A2:.+]] = vector.extract_strided_slice %[[A]] {offsets = [2], sizes = [2]
// CHECK:         %[[A3:.+]] = vector.extract_strided_slice %[[A]] {offsets = [6], sizes = [2]
// CHECK:         %[[B0:.+]] = vector.extract_strided_slice %[[B]] {offsets = [0], sizes = [2]
// CHECK:         %[[B1:.+]] = vector.extract_strided_slice %[[B]] {offsets = [2], sizes = [2]
// CHECK:         %[[D:.+]] = nvvm.mma.sync A[%[[A0]], %[[A1]], %[[A2]], %[[A3]]] B[%[[B0]], %[[B1]]] C[{{.*}}, %[[C3]]]
// CHECK-SAME:        layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>
// CHECK:         %[[D0:.+]] = llvm.extractvalue %[[D]][0]
// CHECK:         vector.from_elements %[[D0]]
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @mma_sync_f16(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<4xf32>, %m: memref<4xf32>) kernel {
      %0 = conv.mma <mma_sync 16 x 8 x 16> %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<4xf32>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<4xf32>, vector<4xf32>
      gpu.return
    }
  }
}

// -----

// A register has two bf16 or four i8, as an integer.
// CHECK-LABEL: gpu.func @mma_sync_bf16
// CHECK:         %[[PAIR:.+]] = vector.extract_strided_slice %{{.+}} : vector<8xbf16> to vector<2xbf16>
// CHECK:         %[[BITS:.+]] = vector.bitcast %[[PAIR]] : vector<2xbf16> to vector<1xi32>
// CHECK:         %[[A0:.+]] = vector.extract %[[BITS]][0] : i32 from vector<1xi32>
// CHECK:         nvvm.mma.sync A[%[[A0]],
// CHECK-SAME:        multiplicandAPtxType = #nvvm.mma_type<bf16>
module attributes {conv.target = #conv.target<"sm_80">} {
  gpu.module @kernels {
    gpu.func @mma_sync_bf16(%a: vector<8xbf16>, %b: vector<4xbf16>, %c: vector<4xf32>, %m: memref<4xf32>) kernel {
      %0 = conv.mma <mma_sync 16 x 8 x 16> %a, %b, %c : vector<8xbf16>, vector<4xbf16>, vector<4xf32>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<4xf32>, vector<4xf32>
      gpu.return
    }
  }
}

// -----

// 8-bit floats of two formats: four to a register.
// CHECK-LABEL: gpu.func @mma_sync_float8
// CHECK:         %[[QUAD:.+]] = vector.extract_strided_slice %{{.+}} : vector<16xf8E4M3FN> to vector<4xf8E4M3FN>
// CHECK:         %[[BITS:.+]] = vector.bitcast %[[QUAD]] : vector<4xf8E4M3FN> to vector<1xi32>
// CHECK:         %[[A0:.+]] = vector.extract %[[BITS]][0] : i32 from vector<1xi32>
// CHECK:         %[[D:.+]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"(%[[A0]],
// CHECK-SAME:        (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK:         llvm.extractvalue %[[D]][3]
module attributes {conv.target = #conv.target<"sm_90">} {
  gpu.module @kernels {
    gpu.func @mma_sync_float8(%a: vector<16xf8E4M3FN>, %b: vector<8xf8E5M2>, %c: vector<4xf32>, %m: memref<4xf32>) kernel {
      %0 = conv.mma <mma_sync 16 x 8 x 32> %a, %b, %c : vector<16xf8E4M3FN>, vector<8xf8E5M2>, vector<4xf32>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<4xf32>, vector<4xf32>
      gpu.return
    }
  }
}

// -----

// CHECK-LABEL: gpu.func @mma_sync_i8
// CHECK:         vector.extract_strided_slice %{{.+}} {offsets = [0], sizes = [4]
// CHECK:         vector.extract_strided_slice %{{.+}} {offsets = [8], sizes = [4]
// CHECK:         vector.extract_strided_slice %{{.+}} {offsets = [4], sizes = [4]
// CHECK:         vector.extract_strided_slice %{{.+}} {offsets = [12], sizes = [4]
// CHECK:         nvvm.mma.sync
// CHECK-SAME:        intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>
// CHECK-SAME:        multiplicandAPtxType = #nvvm.mma_type<s8>
// CHECK-SAME:        shape = #nvvm.shape<m = 16, n = 8, k = 32>
module attributes {conv.target = #conv.target<"sm_80">} {
  gpu.module @kernels {
    gpu.func @mma_sync_i8(%a: vector<16xi8>, %b: vector<8xi8>, %c: vector<4xi32>, %m: memref<4xi32>) kernel {
      %0 = conv.mma <mma_sync 16 x 8 x 32> %a, %b, %c : vector<16xi8>, vector<8xi8>, vector<4xi32>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<4xi32>, vector<4xi32>
      gpu.return
    }
  }
}

// -----

// The instruction would ignore the lower bits of an f32 that is not rounded.
// CHECK-LABEL: gpu.func @mma_sync_tf32
// CHECK-SAME:      %[[A:.+]]: vector<4xf32>, %[[B:.+]]: vector<2xf32>,
// CHECK:         %[[E0:.+]] = vector.extract %[[A]][0]
// CHECK:         %[[A0:.+]] = nvvm.convert.float.to.tf32 %[[E0]] {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK:         vector.extract %[[A]][2]
// CHECK:         vector.extract %[[A]][1]
// CHECK:         vector.extract %[[A]][3]
// CHECK:         nvvm.mma.sync A[%[[A0]],
// CHECK-SAME:        multiplicandAPtxType = #nvvm.mma_type<tf32>
// CHECK-SAME:        shape = #nvvm.shape<m = 16, n = 8, k = 8>
module attributes {conv.target = #conv.target<"sm_80">} {
  gpu.module @kernels {
    gpu.func @mma_sync_tf32(%a: vector<4xf32>, %b: vector<2xf32>, %c: vector<4xf32>, %m: memref<4xf32>) kernel {
      %0 = conv.mma <mma_sync 16 x 8 x 8> %a, %b, %c : vector<4xf32>, vector<2xf32>, vector<4xf32>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<4xf32>, vector<4xf32>
      gpu.return
    }
  }
}

// -----

// Without a matrix instruction: one vector of multiply-adds for each k.
// CHECK-LABEL: gpu.func @fma
// CHECK-COUNT-4: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT:     math.fma
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @fma(%a: vector<64xf32>, %b: vector<4xf32>, %c: vector<16xf32>, %m: memref<16xf32>) kernel {
      %0 = conv.mma <fma 16 x 32 x 4> %a, %b, %c : vector<64xf32>, vector<4xf32>, vector<16xf32>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<16xf32>, vector<16xf32>
      gpu.return
    }
  }
}

// -----

// A guarded store is put under a branch; one that is always done is left alone.
// CHECK-LABEL: gpu.func @stores
// CHECK:         scf.if %{{.+}} {
// CHECK-NEXT:      %[[TRUE:.+]] = arith.constant true
// CHECK-NEXT:      conv.guarded_store %{{.+}}, %{{.+}}[%{{.+}}] if %[[TRUE]]
// CHECK-NEXT:    }
// CHECK-NEXT:    conv.guarded_store
// CHECK-NEXT:    gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @stores(%v: vector<8xf16>, %m: memref<64xf16>, %j: i32, %guard: i1) kernel {
      %true = arith.constant true
      conv.guarded_store %v, %m[%j] if %guard : vector<8xf16>, memref<64xf16>, i32
      conv.guarded_store %v, %m[%j] if %true : vector<8xf16>, memref<64xf16>, i32
      gpu.return
    }
  }
}

// -----

// Each element as div.rn.f32 divides, and one branch for the vector.
// CHECK-LABEL: gpu.func @quotients
// CHECK-SAME:      %[[X:.+]]: vector<2xf32>, %[[Y:.+]]: vector<2xf32>
// CHECK:         %[[A:.+]] = vector.extract %[[X]][0]
// CHECK:         %[[B:.+]] = vector.extract %[[Y]][0]
// CHECK-DAG:     %[[N:.+]] = arith.negf %[[B]]
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.0
// CHECK:         %[[R0:.+]] = nvvm.rcp.approx.ftz.f %[[B]]
// CHECK:         %[[E:.+]] = math.fma %[[N]], %[[R0]], %[[ONE]]
// CHECK:         %[[R:.+]] = math.fma %[[R0]], %[[E]], %[[R0]]
// CHECK:         %[[Q0:.+]] = arith.mulf %[[A]], %[[R]]
// CHECK:         %[[D0:.+]] = math.fma %[[N]], %[[Q0]], %[[A]]
// CHECK:         %[[Q1:.+]] = math.fma %[[D0]], %[[R]], %[[Q0]]
// CHECK:         %[[D1:.+]] = math.fma %[[N]], %[[Q1]], %[[A]]
// CHECK:         %[[Q2:.+]] = math.fma %[[D1]], %[[R]], %[[Q1]]
// CHECK:         %[[ABS:.+]] = math.absf %[[A]]
// CHECK:         arith.cmpf oge, %[[ABS]]
// CHECK:         math.absf %[[Q2]]
// CHECK:         arith.cmpf oge
// CHECK:         math.absf %[[B]]
// CHECK:         arith.cmpf ole
// CHECK-COUNT-3: arith.cmpf
// CHECK:         %[[SAFE:.+]] = arith.andi
// CHECK:         %[[Q:.+]]:2 = scf.if %[[SAFE]] -> (f32, f32) {
// CHECK:           scf.yield %[[Q2]], %{{.+}}
// CHECK:         } else {
// CHECK-COUNT-2:   arith.divf {{.*}} : f32
// CHECK:         vector.from_elements %[[Q]]#0, %[[Q]]#1
// CHECK:         arith.divf {{.*}} : f32
// CHECK:         arith.divf {{.*}} : vector<2xf16>
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @quotients(%x: vector<2xf32>, %y: vector<2xf32>, %a: f32, %h: vector<2xf16>,
        %m: memref<4xf32>, %n: memref<4xf16>) kernel {
      %0 = arith.divf %x, %y : vector<2xf32>
      %1 = arith.divf %a, %a : f32
      %2 = arith.divf %h, %h : vector<2xf16>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<4xf32>, vector<2xf32>
      memref.store %1, %m[%i] : memref<4xf32>
      vector.store %2, %n[%i] : memref<4xf16>, vector<2xf16>
      gpu.return
    }
  }
}

// -----

// Scalar quotients that do not depend on each other share a branch, and what they divide comes first. By 1 + exp(x), a quotient has
// one correction and one condition. One that depends on another has its own.
// CHECK-LABEL: gpu.func @logistic
// CHECK-SAME:      %[[X:.+]]: f32, %[[Y:.+]]: f32
// CHECK-DAG:     %[[EX:.+]] = math.exp %[[X]]
// CHECK-DAG:     %[[EY:.+]] = math.exp %[[Y]]
// CHECK-DAG:     %[[DX:.+]] = arith.addf %{{.+}}, %[[EX]]
// CHECK-DAG:     %[[DY:.+]] = arith.addf %[[EY]], %{{.+}}
// CHECK:         %[[R:.+]] = nvvm.rcp.approx.ftz.f %[[DX]]
// CHECK:         %[[Q0:.+]] = arith.mulf %[[X]], %[[R]]
// CHECK:         %[[D:.+]] = math.fma %{{.+}}, %[[Q0]], %[[X]]
// CHECK:         %[[Q1:.+]] = math.fma %[[D]], %[[R]], %[[Q0]]
// CHECK:         nvvm.rcp.approx.ftz.f %[[DY]]
// CHECK:         arith.andi
// CHECK:         scf.if %{{.+}} -> (f32, f32) {
// CHECK-NEXT:      scf.yield %[[Q1]], %{{.+}}
// CHECK-NEXT:    } else {
// CHECK-COUNT-2:   arith.divf
// CHECK:         memref.store
// CHECK:         arith.divf
// CHECK-NOT:     arith.divf
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @logistic(%x: f32, %y: f32, %m: memref<4xf32>) kernel {
      %i = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      %0 = math.exp %x : f32
      %1 = arith.addf %one, %0 : f32
      %2 = arith.divf %x, %1 : f32
      memref.store %2, %m[%i] : memref<4xf32>
      %3 = math.exp %y : f32
      %4 = arith.addf %3, %one : f32
      %5 = arith.divf %y, %4 : f32
      %6 = arith.divf %5, %2 : f32
      memref.store %6, %m[%i] : memref<4xf32>
      gpu.return
    }
  }
}

// -----

// A quotient that may be a product with a reciprocal has no branch, and by 1 + exp(x) no exponential but a power of two. Its divisor is
// a sixteenth, so that the reciprocal is a normal number.
// CHECK-LABEL: gpu.func @approximate
// CHECK-SAME:      %[[X:.+]]: f32, %[[V:.+]]: vector<2xf32>
// CHECK:         %[[T:.+]] = arith.mulf %[[X]], %{{.+}}
// CHECK:         %[[P:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[T]])
// CHECK:         %[[S:.+]] = arith.constant 6.250000e-02
// CHECK:         %[[D:.+]] = math.fma %[[P]], %[[S]], %[[S]]
// CHECK:         %[[R:.+]] = nvvm.rcp.approx.ftz.f %[[D]]
// CHECK:         %[[I:.+]] = arith.mulf %[[R]], %[[S]]
// CHECK:         arith.mulf %[[X]], %[[I]]
// CHECK:         %[[E:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[X]])
// CHECK:         %[[Q:.+]] = nvvm.rcp.approx.ftz.f %[[E]]
// CHECK:         arith.mulf %{{.+}}, %[[Q]]
// CHECK-COUNT-2: nvvm.rcp.approx.ftz.f
// CHECK-NOT:     arith.divf
// CHECK-NOT:     scf.if
// CHECK:         gpu.return
module attributes {conv.target = #conv.target<"sm_90a">} {
  gpu.module @kernels {
    gpu.func @approximate(%x: f32, %v: vector<2xf32>, %m: memref<4xf32>) kernel {
      %i = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      %0 = math.exp %x fastmath<afn> : f32
      %1 = arith.addf %one, %0 : f32
      %2 = arith.divf %x, %1 fastmath<arcp> : f32
      memref.store %2, %m[%i] : memref<4xf32>
      %3 = math.exp2 %x fastmath<afn> : f32
      %4 = arith.divf %one, %3 fastmath<arcp> : f32
      memref.store %4, %m[%i] : memref<4xf32>
      %5 = arith.divf %v, %v fastmath<arcp> : vector<2xf32>
      vector.store %5, %m[%i] : memref<4xf32>, vector<2xf32>
      gpu.return
    }
  }
}

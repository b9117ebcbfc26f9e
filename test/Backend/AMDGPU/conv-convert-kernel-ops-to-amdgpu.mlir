// RUN: conv-opt %s --pass-pipeline='builtin.module(gpu.module(conv-convert-kernel-ops-to-amdgpu))' --split-input-file | FileCheck %s

// MFMA and the scalar operands of its f32 form.
// CHECK-LABEL: gpu.func @mfma
// CHECK:         amdgpu.mfma 32x32x8 %{{.+}} * %{{.+}} + %{{.+}} : vector<4xf16>, vector<4xf16>, vector<16xf32>
// CHECK:         %[[A:.+]] = vector.extract %{{.+}}[0] : f32 from vector<1xf32>
// CHECK:         %[[B:.+]] = vector.extract %{{.+}}[0] : f32 from vector<1xf32>
// CHECK:         amdgpu.mfma 16x16x4 %[[A]] * %[[B]] + %{{.+}} : f32, f32, vector<4xf32>
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @mfma(%a: vector<4xf16>, %c: vector<16xf32>, %d: vector<1xf32>, %e: vector<4xf32>, %m: memref<16xf32>, %n: memref<4xf32>) kernel {
      %0 = conv.mma <mfma 32 x 32 x 8> %a, %a, %c : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %1 = conv.mma <mfma 16 x 16 x 4> %d, %d, %e : vector<1xf32>, vector<1xf32>, vector<4xf32>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<16xf32>, vector<16xf32>
      vector.store %1, %n[%i] : memref<4xf32>, vector<4xf32>
      gpu.return
    }
  }
}

// -----

// Integers, 8-bit floats of two formats, and f32 of which the instruction keeps
// fewer bits.
// CHECK-LABEL: gpu.func @mfma_types
// CHECK:         amdgpu.mfma 32x32x16 %{{.+}} * %{{.+}} + %{{.+}} : vector<8xi8>, vector<8xi8>, vector<16xi32>
// CHECK:         amdgpu.mfma 32x32x16 %{{.+}} * %{{.+}} + %{{.+}} : vector<8xf8E4M3FNUZ>, vector<8xf8E5M2FNUZ>, vector<16xf32>
// CHECK:         amdgpu.mfma 32x32x4 %{{.+}} * %{{.+}} + %{{.+}} {reducePrecision} {{.*}}: vector<2xf32>, vector<2xf32>, vector<16xf32>
// CHECK:         amdgpu.mfma 32x32x2 %{{.+}} * %{{.+}} + %{{.+}} blgp = none : f32, f32, vector<16xf32>
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @mfma_types(%a: vector<8xi8>, %b: vector<8xf8E4M3FNUZ>, %c: vector<8xf8E5M2FNUZ>, %d: vector<2xf32>, %e: vector<1xf32>,
                         %i: vector<16xi32>, %f: vector<16xf32>, %m: memref<16xi32>, %n: memref<16xf32>) kernel {
      %zero = arith.constant 0 : index
      %0 = conv.mma <mfma 32 x 32 x 16> %a, %a, %i : vector<8xi8>, vector<8xi8>, vector<16xi32>
      %1 = conv.mma <mfma 32 x 32 x 16> %b, %c, %f : vector<8xf8E4M3FNUZ>, vector<8xf8E5M2FNUZ>, vector<16xf32>
      %2 = conv.mma <mfma 32 x 32 x 4> %d, %d, %1 : vector<2xf32>, vector<2xf32>, vector<16xf32>
      %3 = conv.mma <mfma 32 x 32 x 2> %e, %e, %2 : vector<1xf32>, vector<1xf32>, vector<16xf32>
      vector.store %0, %m[%zero] : memref<16xi32>, vector<16xi32>
      vector.store %3, %n[%zero] : memref<16xf32>, vector<16xf32>
      gpu.return
    }
  }
}

// -----

// CHECK-LABEL: gpu.func @wmma_types
// CHECK:         amdgpu.wmma 16x16x16 %{{.+}} * %{{.+}} + %{{.+}} : vector<8xi8>, vector<8xi8>, vector<8xi32>
// CHECK:         amdgpu.wmma 16x16x16 %{{.+}} * %{{.+}} + %{{.+}} : vector<8xf8E5M2>, vector<8xf8E4M3FN>, vector<8xf32>
module attributes {conv.target = #conv.target<"gfx1201">} {
  gpu.module @kernels {
    gpu.func @wmma_types(%a: vector<8xi8>, %b: vector<8xf8E5M2>, %c: vector<8xf8E4M3FN>,
                         %i: vector<8xi32>, %f: vector<8xf32>, %m: memref<8xi32>, %n: memref<8xf32>) kernel {
      %zero = arith.constant 0 : index
      %0 = conv.mma <wmma 16 x 16 x 16> %a, %a, %i : vector<8xi8>, vector<8xi8>, vector<8xi32>
      %1 = conv.mma <wmma 16 x 16 x 16> %b, %c, %f : vector<8xf8E5M2>, vector<8xf8E4M3FN>, vector<8xf32>
      vector.store %0, %m[%zero] : memref<8xi32>, vector<8xi32>
      vector.store %1, %n[%zero] : memref<8xf32>, vector<8xf32>
      gpu.return
    }
  }
}

// -----

// Without a matrix instruction: as many vectors of multiply-adds as there are
// values of k. Neighbouring sums take different ones, so that two are issued at
// once.
// CHECK-LABEL: gpu.func @fma
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [0, 5, 10, 15, 16, 21,
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [0, 1, 2, 3, 0, 1,
// CHECK:         math.fma {{.*}} : vector<16xf32>
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [1, 6, 11, 12, 17, 22,
// CHECK:         vector.shuffle %{{.+}}, %{{.+}} [1, 2, 3, 0, 1, 2,
// CHECK-COUNT-3: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT:     math.fma
module attributes {conv.target = #conv.target<"gfx1100">} {
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

// Stores beyond 2 GiB are guarded by a branch, others are left alone.
// CHECK-LABEL: gpu.func @stores
// CHECK:         scf.if %[[GUARD:.+]] {
// CHECK:           %[[TRUE:.+]] = arith.constant true
// CHECK:           conv.guarded_store %{{.+}}, %{{.+}}[%{{.+}}] if %[[TRUE]] : vector<1xf16>, memref<1073741824xf16>, i64
// CHECK:         conv.guarded_store %{{.+}}, %{{.+}}[%{{.+}}] if %[[GUARD]] : vector<1xf16>, memref<16xf16>, i32
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @stores(%v: vector<1xf16>, %large: memref<1073741824xf16>, %small: memref<16xf16>, %i: i64, %j: i32, %guard: i1) kernel {
      conv.guarded_store %v, %large[%i] if %guard : vector<1xf16>, memref<1073741824xf16>, i64
      conv.guarded_store %v, %small[%j] if %guard : vector<1xf16>, memref<16xf16>, i32
      gpu.return
    }
  }
}

// -----

// A barrier is for shared memory, and a fence without matrix instructions
// before it only keeps instructions apart.
// CHECK-LABEL: gpu.func @barrier
// CHECK-NEXT:    llvm.fence syncscope("workgroup") release {llvm.mmra = #[[LOCAL:.+]]}
// CHECK-NEXT:    rocdl.s.barrier
// CHECK-NEXT:    llvm.fence syncscope("workgroup") acquire {llvm.mmra = #[[LOCAL]]}
// CHECK-NEXT:    amdgpu.sched_barrier allow = <none>
// CHECK-NEXT:    gpu.return
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @barrier() kernel {
      gpu.barrier
      conv.schedule_fence
      gpu.return
    }
  }
}

// -----

// Four matrix instructions with two reads before the first one, and one after
// the second: it is read after them. Matrix instructions may follow a fence.
// CHECK-LABEL: gpu.func @interleave
// CHECK-COUNT-4: amdgpu.mfma
// CHECK-NEXT:    rocdl.sched.group.barrier 256, 2, 0
// CHECK-NEXT:    rocdl.sched.group.barrier 8, 2, 0
// CHECK-NEXT:    rocdl.sched.group.barrier 256, 1, 0
// CHECK-NEXT:    rocdl.sched.group.barrier 8, 2, 0
// CHECK-NEXT:    amdgpu.sched_barrier allow = <mfma_wmma>
// All reads before the first matrix instruction: there is nothing to order.
// CHECK:         amdgpu.mfma
// CHECK-NEXT:    amdgpu.sched_barrier allow = <mfma_wmma>
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @interleave(%m: memref<12xf16, #gpu.address_space<workgroup>>, %c: vector<16xf32>, %y: memref<16xf32>) kernel {
      %i = arith.constant 0 : index
      %j = arith.constant 4 : index
      %k = arith.constant 8 : index
      %a = vector.load %m[%i] : memref<12xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %b = vector.load %m[%j] : memref<12xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %0 = conv.mma <mfma 32 x 32 x 8> %a, %b, %c : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %1 = conv.mma <mfma 32 x 32 x 8> %b, %a, %0 : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %d = vector.load %m[%k] : memref<12xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %2 = conv.mma <mfma 32 x 32 x 8> %a, %d, %1 : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %3 = conv.mma <mfma 32 x 32 x 8> %b, %d, %2 : vector<4xf16>, vector<4xf16>, vector<16xf32>
      conv.schedule_fence
      %e = vector.load %m[%i] : memref<12xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %4 = conv.mma <mfma 32 x 32 x 8> %e, %e, %3 : vector<4xf16>, vector<4xf16>, vector<16xf32>
      conv.schedule_fence
      vector.store %4, %y[%i] : memref<16xf32>, vector<16xf32>
      gpu.return
    }
  }
}

// -----

// Five rounds of two reads and one matrix instruction: each of them is not
// enough to hide the next reads, so reads are three rounds ahead.
// CHECK-LABEL: gpu.func @early_reads
// CHECK-COUNT-5: amdgpu.mfma
// CHECK-NEXT:    rocdl.sched.group.barrier 256, 8, 0
// CHECK-NEXT:    rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT:    rocdl.sched.group.barrier 256, 2, 0
// CHECK-COUNT-4: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT:    amdgpu.sched_barrier allow = <mfma_wmma>
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @early_reads(%m: memref<8xf16, #gpu.address_space<workgroup>>, %c: vector<16xf32>, %y: memref<16xf32>) kernel {
      %i = arith.constant 0 : index
      %j = arith.constant 4 : index
      %a0 = vector.load %m[%i] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %b0 = vector.load %m[%j] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %0 = conv.mma <mfma 32 x 32 x 8> %a0, %b0, %c : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %a1 = vector.load %m[%i] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %b1 = vector.load %m[%j] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %1 = conv.mma <mfma 32 x 32 x 8> %a1, %b1, %0 : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %a2 = vector.load %m[%i] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %b2 = vector.load %m[%j] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %2 = conv.mma <mfma 32 x 32 x 8> %a2, %b2, %1 : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %a3 = vector.load %m[%i] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %b3 = vector.load %m[%j] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %3 = conv.mma <mfma 32 x 32 x 8> %a3, %b3, %2 : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %a4 = vector.load %m[%i] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %b4 = vector.load %m[%j] : memref<8xf16, #gpu.address_space<workgroup>>, vector<4xf16>
      %4 = conv.mma <mfma 32 x 32 x 8> %a4, %b4, %3 : vector<4xf16>, vector<4xf16>, vector<16xf32>
      conv.schedule_fence
      vector.store %4, %y[%i] : memref<16xf32>, vector<16xf32>
      gpu.return
    }
  }
}

// -----

// More accesses than turns between two products: two of them are a group.
// CHECK-LABEL: gpu.func @many_accesses
// CHECK-COUNT-2: amdgpu.mfma
// CHECK-COUNT-9: rocdl.sched.group.barrier 512, 2, 0
// CHECK-NEXT:    rocdl.sched.group.barrier 8, 1, 0
// CHECK-COUNT-8: rocdl.sched.group.barrier 512, 2, 0
// CHECK-NEXT:    rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT:    amdgpu.sched_barrier allow = <none>
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @many_accesses(%m: memref<34xf16, #gpu.address_space<workgroup>>, %a: vector<4xf16>, %c: vector<16xf32>, %y: memref<16xf32>) kernel {
      %i = arith.constant 0 : index
      %e = arith.constant dense<1.0> : vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      vector.store %e, %m[%i] : memref<34xf16, #gpu.address_space<workgroup>>, vector<1xf16>
      %0 = conv.mma <mfma 32 x 32 x 8> %a, %a, %c : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %1 = conv.mma <mfma 32 x 32 x 8> %a, %a, %0 : vector<4xf16>, vector<4xf16>, vector<16xf32>
      conv.schedule_fence
      vector.store %1, %y[%i] : memref<16xf32>, vector<16xf32>
      gpu.return
    }
  }
}

// -----

// CHECK-LABEL: gpu.func @priority
// CHECK:         rocdl.s.setprio 2
// CHECK-NOT:     conv.set_priority
module attributes {conv.target = #conv.target<"gfx1201">} {
  gpu.module @kernels {
    gpu.func @priority() kernel {
      conv.set_priority 2
      gpu.return
    }
  }
}

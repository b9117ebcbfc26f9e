// RUN: split-file %s %t
// RUN: conv-opt %t/gfx942.mlir --conv-run-backend=stage=llvm | FileCheck %s --check-prefix=AMDGPU
// RUN: conv-opt %t/host.mlir --conv-run-backend=stage=llvm | FileCheck %s --check-prefix=HOST
// RUN: conv-opt %t/host.mlir --conv-lower-to-llvm --conv-lower-to-binary | FileCheck %s --check-prefix=BINARY
// RUN: conv-opt %t/gfx942.mlir --conv-lower-to-llvm --conv-lower-to-binary | FileCheck %s --check-prefix=HSACO
// RUN: not conv-opt %t/host.mlir --conv-run-backend=stage=late 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not conv-opt %t/none.mlir --conv-run-backend=stage=llvm 2>&1 | FileCheck %s --check-prefix=NONE

// The same flags lower a kernel as its target's back end does.
// AMDGPU: llvm.func @kernel(%{{.+}}: !llvm.ptr<1>
// AMDGPU: rocdl.workgroup.id.x
// HOST:   llvm.func @kernel(%{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr)
// BINARY: gpu.binary @kernels [#gpu.object<#conv.target<"host">
// HSACO:  gpu.binary @kernels [#gpu.object<#rocdl.target<
// STAGE:  expects a stage of llvm or binary, but got "late"
// NONE:   expects conv.target, but got none

//--- gfx942.mlir
module attributes {conv.target = #conv.target<"gfx942">, gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%x: memref<8xf32, #gpu.address_space<global>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.block_id x
      %c = arith.constant dense<1.0> : vector<1xf32>
      vector.store %c, %x[%i] : memref<8xf32, #gpu.address_space<global>>, vector<1xf32>
      gpu.return
    }
  }
}

//--- host.mlir
module attributes {conv.target = #conv.target<"host">, gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%x: memref<8xf32, #gpu.address_space<global>>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %i = gpu.block_id x
      %c = arith.constant dense<1.0> : vector<1xf32>
      vector.store %c, %x[%i] : memref<8xf32, #gpu.address_space<global>>, vector<1xf32>
      gpu.return
    }
  }
}

//--- none.mlir
module {
}

// RUN: split-file %s %t
// RUN: conv-opt %t/kernel.mlir --conv-serialize-amdgpu | FileCheck %s
// RUN: conv-opt %t/host.mlir --conv-serialize-amdgpu --verify-diagnostics
// RUN: conv-opt %t/none.mlir --conv-serialize-amdgpu --verify-diagnostics

// A kernel becomes a code object with its metadata; another back end's module,
// or one without a target, is refused.
// CHECK: gpu.binary @kernels
// CHECK-SAME: #gpu.kernel_metadata<"empty"
// CHECK-SAME: bin = "\7FELF

//--- kernel.mlir
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    llvm.func @empty() attributes {gpu.kernel, rocdl.kernel} {
      llvm.return
    }
  }
}

//--- host.mlir
// expected-error @below {{expects an AMD chip as conv.target}}
module attributes {conv.target = #conv.target<"host">} {
  gpu.module @kernels {
  }
}

//--- none.mlir
// expected-error @below {{expects an AMD chip as conv.target}}
module {
  gpu.module @kernels {
  }
}

// RUN: split-file %s %t
// RUN: conv-opt %t/empty.mlir --conv-serialize-host | FileCheck %s
// RUN: conv-opt %t/missing.mlir --conv-serialize-host --verify-diagnostics
// RUN: conv-opt %t/target.mlir --conv-serialize-host --verify-diagnostics

// The binary is an ELF file (7F 45 4C 46) for the host.
// CHECK-NOT:   gpu.module
// CHECK:       gpu.binary @kernels [#gpu.object<#conv.target<"host">, bin = "\7FELF

//--- empty.mlir
module attributes {conv.target = #conv.target<"host">, gpu.container_module} {
  gpu.module @kernels {
    llvm.func @empty(%parameters: !llvm.ptr, %workgroup: !llvm.ptr) attributes {gpu.kernel} {
      llvm.return
    }
  }
}

// A function that only LLVM's runtime library has.
//--- missing.mlir
module attributes {conv.target = #conv.target<"host">, gpu.container_module} {
  // expected-error @below {{needs function '__truncdfhf2', which the host does not have}}
  gpu.module @kernels {
    llvm.func @narrow(%parameters: !llvm.ptr, %workgroup: !llvm.ptr) attributes {gpu.kernel} {
      %0 = llvm.load %parameters : !llvm.ptr -> f64
      %1 = llvm.fptrunc %0 : f64 to f16
      llvm.store %1, %parameters : f16, !llvm.ptr
      llvm.return
    }
  }
}

//--- target.mlir
// expected-error @below {{expects the host as conv.target}}
module attributes {conv.target = #conv.target<"gfx942">} {
}

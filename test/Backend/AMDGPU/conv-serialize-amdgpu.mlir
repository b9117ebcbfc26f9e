// RUN: split-file %s %t
// RUN: conv-opt %t/kernel.mlir --conv-serialize-amdgpu | FileCheck %s
// RUN: conv-opt %t/host.mlir --conv-serialize-amdgpu --verify-diagnostics
// RUN: conv-opt %t/none.mlir --conv-serialize-amdgpu --verify-diagnostics

// RUN: conv-opt %t/shared.mlir --conv-serialize-amdgpu --verify-diagnostics

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

//--- shared.mlir
// What LLVM's code generator refuses is an error at the module.
module attributes {conv.target = #conv.target<"gfx942">} {
  // expected-error @below {{LLVM cannot compile it: }}
  // expected-error @below {{cannot be compiled}}
  gpu.module @kernels {
    llvm.mlir.global private @too_large() {addr_space = 3 : i32} : !llvm.array<100000 x i8>
    llvm.func @kernel(%value: i8) attributes {gpu.kernel, rocdl.kernel} {
      %address = llvm.mlir.addressof @too_large : !llvm.ptr<3>
      llvm.store volatile %value, %address : i8, !llvm.ptr<3>
      llvm.return
    }
  }
}

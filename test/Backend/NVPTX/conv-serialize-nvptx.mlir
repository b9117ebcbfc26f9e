// RUN: conv-opt %s --conv-serialize-nvptx="toolkit=/nonexistent" --split-input-file --verify-diagnostics

// Without NVIDIA's assembler there is no code; the message says where it was
// looked for.
module attributes {gpu.container_module, conv.target = #conv.target<"sm_90a">} {
  // expected-error @below {{no CUDA toolkit: expects ptxas, but there is none at /nonexistent/bin/ptxas}}
  gpu.module @kernels {
    llvm.func @empty() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
}

// -----

// An epilogue that needs libdevice fails before that.
module attributes {gpu.container_module, conv.target = #conv.target<"sm_90a">} {
  // expected-error @below {{no CUDA toolkit: expects nvvm/libdevice/libdevice.10.bc for functions of the epilogue, but found none}}
  gpu.module @kernels {
    llvm.func @__nv_expf(f32) -> f32
    llvm.func @epilogue(%x: f32, %y: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.call @__nv_expf(%x) : (f32) -> f32
      llvm.store %0, %y : f32, !llvm.ptr<1>
      llvm.return
    }
  }
}

// -----

// expected-error @below {{expects an NVIDIA chip as conv.target}}
module attributes {gpu.container_module, conv.target = #conv.target<"gfx942">} {
}

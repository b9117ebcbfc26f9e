// RUN: conv-opt %s --pass-pipeline='builtin.module(gpu.module(conv-convert-kernel-ops-to-amdgpu))' --split-input-file --verify-diagnostics

// Instructions are those of the target.
module attributes {conv.target = #conv.target<"host">} {
  // expected-error @below {{expects an AMD chip as conv.target, but got host}}
  gpu.module @kernels {
  }
}

// -----

// expected-error @below {{expects an AMD chip as conv.target, but got none}}
gpu.module @kernels {
}

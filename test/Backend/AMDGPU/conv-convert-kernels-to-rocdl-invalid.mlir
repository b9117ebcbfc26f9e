// RUN: conv-opt %s --pass-pipeline='builtin.module(gpu.module(conv-convert-kernels-to-rocdl))' --split-input-file --verify-diagnostics

// Whatever has no pattern fails here; upstream's pass would print and go on.
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    gpu.func @leftover(%a: vector<4xf16>, %c: vector<16xf32>, %m: memref<16xf32>) kernel {
      // expected-error @below {{failed to legalize operation 'conv.mma'}}
      %0 = conv.mma <mfma 32 x 32 x 8> %a, %a, %c : vector<4xf16>, vector<4xf16>, vector<16xf32>
      %i = arith.constant 0 : index
      vector.store %0, %m[%i] : memref<16xf32>, vector<16xf32>
      gpu.return
    }
  }
}

// -----

module attributes {conv.target = #conv.target<"host">} {
  // expected-error @below {{expects an AMD chip as conv.target}}
  gpu.module @kernels {
  }
}

// RUN: conv-opt %s --conv-convert-tiles-to-kernels --split-input-file --verify-diagnostics

// Results that no convolution computes have no kernel.
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @returns_argument(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @below {{expects result 0 to be computed by a convolution}}
    return %x : tensor<8xf32>
  }
}

// -----

// A nest that tiling did not make.
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @no_schedule(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-error @below {{expects a conv.schedule}}
    %y = scf.forall (%i, %j) = (0, 0) to (8, 8) step (4, 4) shared_outs(%o = %x) -> tensor<8x8xf32> {
      %t = tensor.extract_slice %x[%i, %j] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t into %o[%i, %j] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
      }
    }
    return %y : tensor<8x8xf32>
  }
}

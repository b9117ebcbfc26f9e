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
#rows = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, n) -> (m, n)>>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @no_schedule(%x: tensor<1x8x8xf32>) -> tensor<8x8xf32> {
    %empty = tensor.empty() : tensor<8x8xf32>
    // expected-error @below {{expects a conv.schedule}}
    %t = scf.forall (%g, %i, %j) = (0, 0, 0) to (1, 8, 8) step (1, 4, 4) shared_outs(%o = %x) -> tensor<1x8x8xf32> {
      %t = tensor.extract_slice %x[%g, %i, %j] [1, 4, 4] [1, 1, 1] : tensor<1x8x8xf32> to tensor<1x4x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t into %o[%g, %i, %j] [1, 4, 4] [1, 1, 1] : tensor<1x4x4xf32> into tensor<1x8x8xf32>
      }
    }
    %y = conv.scatter %t into %empty view = #rows : tensor<1x8x8xf32> into tensor<8x8xf32>
    return %y : tensor<8x8xf32>
  }
}

// -----

// An argument is not written.
#rows = #conv.view<batch = [1], rows = [8], columns = [8], map = affine_map<(g, m, n) -> (m, n)>>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @scatter_into_argument(%t: tensor<1x8x8xf32>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-error @below {{expects to fill a tensor.empty, possibly with other scatters}}
    %y = conv.scatter %t into %x view = #rows : tensor<1x8x8xf32> into tensor<8x8xf32>
    return %y : tensor<8x8xf32>
  }
}

// -----

// A declaration has no launches.
module attributes {conv.target = #conv.target<"gfx942">} {
  // expected-error @below {{expects a body of one block, but got 0}}
  func.func private @declaration(%x: tensor<8xf32>) -> tensor<8xf32>
}

// -----

// Several blocks.
module attributes {conv.target = #conv.target<"gfx942">} {
  // expected-error @below {{expects a body of one block, but got 2}}
  func.func @two_blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
    cf.br ^next
  ^next:
    return %x : tensor<8xf32>
  }
}

// -----

// Numbers have no buffer.
module attributes {conv.target = #conv.target<"gfx942">} {
  // expected-error @below {{expects arguments and results that are tensors of static shape, but got 'index'}}
  func.func @index_argument(%x: tensor<8xf32>, %i: index) {
    return
  }
}

// -----

module attributes {conv.target = #conv.target<"gfx942">} {
  // expected-error @below {{expects arguments and results that are tensors of static shape, but got 'tensor<?xf32>'}}
  func.func @dynamic_result(%x: tensor<8xf32>) -> tensor<?xf32> {
    %y = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
    return %y : tensor<?xf32>
  }
}

// -----

// What is computed between nests would be lost.
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @other_op(%x: tensor<8xf32>) {
    // expected-error @below {{expects only scf.forall, conv.scatter, conv.count_neighbours, ops on states, reshapes, tensor.empty, constants and return in a function of tiles}}
    %y = arith.addf %x, %x : tensor<8xf32>
    return
  }
}

// -----

module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @no_result(%x: tensor<8xf32>) {
    // expected-error @below {{expects results that are tensors of static shape}}
    scf.forall (%i) in (8) {
    }
    return
  }
}

// -----

// Counts of what nothing computes.
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @neighbours_of_nothing() {
    %s = tensor.empty() : tensor<3xi32>
    // expected-error @below {{expects cu_seqlens that are an argument or computed by a kernel}}
    %n = conv.count_neighbours before %s limit = 1 : tensor<3xi32> -> tensor<8xi32>
    return
  }
}

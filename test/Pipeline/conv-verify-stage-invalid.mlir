// RUN: split-file %s %t
// RUN: conv-opt %t/conv.mlir --conv-verify-stage=stage=conv --verify-diagnostics
// RUN: conv-opt %t/linalg.mlir --conv-verify-stage=stage=linalg --verify-diagnostics
// RUN: conv-opt %t/epilogue.mlir --conv-verify-stage=stage=linalg --verify-diagnostics
// RUN: conv-opt %t/tiled.mlir --conv-verify-stage=stage=tiled --verify-diagnostics
// RUN: conv-opt %t/gpu.mlir --conv-verify-stage=stage=gpu --verify-diagnostics
// RUN: conv-opt %t/llvm.mlir --conv-verify-stage=stage=llvm --verify-diagnostics
// RUN: conv-opt %t/binary.mlir --conv-verify-stage=stage=binary --verify-diagnostics
// RUN: conv-opt %t/cast.mlir --conv-verify-stage=stage=llvm --verify-diagnostics
// RUN: not conv-opt %t/binary.mlir --conv-verify-stage=stage=late 2>&1 | FileCheck %s

// One broken promise for each stage, a cast, and a stage that does not exist.
// CHECK: expects a stage of conv, linalg, tiled, gpu, llvm or binary, but got "late"

//--- conv.mlir
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @f(%x: tensor<1x8x8x16xf16>, %w: tensor<32x1x1x16xf16>) -> tensor<1x8x8x32xf32> {
    // expected-error @below {{expects a schedule after the conv stage, but got none}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK">
        : tensor<1x8x8x16xf16>, tensor<32x1x1x16xf16> -> tensor<1x8x8x32xf32>
    return %y : tensor<1x8x8x32xf32>
  }
}

//--- linalg.mlir
func.func @f(%x: tensor<1x8x8x16xf16>, %w: tensor<32x1x1x16xf16>) -> tensor<1x8x8x32xf32> {
  // expected-error @below {{is left after the linalg stage}}
  %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x8x8x16xf16>, tensor<32x1x1x16xf16> -> tensor<1x8x8x32xf32>
  return %y : tensor<1x8x8x32xf32>
}

//--- epilogue.mlir
#id = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expects a conv.schedule on every epilogue}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

//--- tiled.mlir
func.func @f(%x: tensor<8x8xf32>, %c: f32) -> tensor<8x8xf32> {
  // expected-error @below {{is not part of a tiled convolution}}
  %y = linalg.fill ins(%c : f32) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

//--- gpu.mlir
func.func @f(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{is not part of a list of launches}}
  %y = memref.load %x[%c0] : memref<8xf32>
  return
}

//--- llvm.mlir
module {
  gpu.module @kernels {
    llvm.func @f(%i: i32) {
      // expected-error @below {{is left in a kernel after the llvm stage}}
      %j = arith.addi %i, %i : i32
      llvm.return
    }
  }
}

//--- binary.mlir
module {
  // expected-error @below {{is left after the binary stage}}
  gpu.module @kernels {
  }
}

//--- cast.mlir
func.func @f(%i: i32) -> index {
  // expected-error @below {{is left after the llvm stage}}
  %j = builtin.unrealized_conversion_cast %i : i32 to index
  return %j : index
}

// RUN: conv-opt %s --conv-raise-tosa --verify-diagnostics

// TOSA's verifier accepts a slice that ends outside of its operand. Scattered elements of it have no numbers.
func.func @slice_outside(%x: tensor<1x4x5xf32>) -> tensor<1x4x3xf32> {
  %zeros = "tosa.const"() <{values = dense<0.0> : tensor<1x12x1xf32>}> : () -> tensor<1x12x1xf32>
  %start = tosa.const_shape {values = dense<[0, 268435456, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %size = tosa.const_shape {values = dense<[1, 4, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %shape = tosa.const_shape {values = dense<[1, 4, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %indices = "tosa.const"() <{values = dense<[[0, 3, 6, 9]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
  // expected-error@+1 {{offset 1 is out-of-bounds: 268435456 >= 4}}
  %s = tosa.slice %x, %start, %size : (tensor<1x4x5xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x4x1xf32>
  %y = tosa.scatter %zeros, %indices, %s : (tensor<1x12x1xf32>, tensor<1x4xi32>, tensor<1x4x1xf32>) -> tensor<1x12x1xf32>
  %r = tosa.reshape %y, %shape : (tensor<1x12x1xf32>, !tosa.shape<3>) -> tensor<1x4x3xf32>
  return %r : tensor<1x4x3xf32>
}

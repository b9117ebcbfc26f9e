// RUN: conv-opt %s --conv-raise-tosa --split-input-file | FileCheck %s

// Padding is top, bottom, left, right; the bias is added in f32.
// CHECK-LABEL: @bias
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x8x8x16xf16>, %[[W:[^:]+]]: tensor<32x3x3x16xf16>, %[[B:[^:]+]]: tensor<32xf16>
func.func @bias(%x: tensor<1x8x8x16xf16>, %w: tensor<32x3x3x16xf16>, %b: tensor<32xf16>) -> tensor<1x5x12x32xf16> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  // CHECK-NEXT: %[[SUM:.+]] = conv.forward %[[X]], %[[W]]
  // CHECK-SAME: window = <strides = [2, 1], dilations = [1, 1], low = [1, 2], high = [2, 4]>
  // CHECK-SAME: layouts = <"NHWC", "KRSC", "NPQK"> : {{.*}} -> tensor<1x5x12x32xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[B]] : tensor<1x5x12x32xf32>, tensor<32xf16>)
  // CHECK: arith.extf
  // CHECK-NEXT: arith.addf {{.*}} : f32
  // CHECK-NEXT: arith.truncf
  %c = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f16, dilation = array<i64: 1, 1>, pad = array<i64: 1, 2, 2, 4>,
      stride = array<i64: 2, 1>} : (tensor<1x8x8x16xf16>, tensor<32x3x3x16xf16>, tensor<32xf16>, tensor<1xf16>, tensor<1xf16>)
      -> tensor<1x5x12x32xf16>
  return %c : tensor<1x5x12x32xf16>
}

// -----

// A bias of constant zeros is nothing.
// CHECK-LABEL: @zero_bias
func.func @zero_bias(%x: tensor<1x4x4x2xf32>, %w: tensor<8x1x1x2xf32>) -> tensor<1x4x4x8xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %b = "tosa.const"() <{values = dense<0.0> : tensor<8xf32>}> : () -> tensor<8xf32>
  // CHECK-NEXT: %[[Y:.+]] = conv.forward
  // CHECK-NEXT: return %[[Y]]
  %c = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x4x4x2xf32>, tensor<8x1x1x2xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x4x4x8xf32>
  return %c : tensor<1x4x4x8xf32>
}

// -----

// A bias of one element is that of every channel.
// CHECK: #[[ONE:.+]] = affine_map<(d0, d1, d2, d3) -> (0)>
// CHECK-LABEL: @scalar_bias
// CHECK: linalg.generic {indexing_maps = [#{{.+}}, #[[ONE]], #{{.+}}]
func.func @scalar_bias(%x: tensor<1x4x4x2xf32>, %w: tensor<8x1x1x2xf32>, %b: tensor<1xf32>) -> tensor<1x4x4x8xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x4x4x2xf32>, tensor<8x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x4x4x8xf32>
  return %c : tensor<1x4x4x8xf32>
}

// -----

// Element-wise ops, casts and reshapes leave TOSA.
// CHECK-LABEL: @elementwise
// CHECK-NOT: tosa.
// CHECK: math.tanh
// CHECK: tensor.expand_shape
func.func @elementwise(%x: tensor<1x4x4x8xf16>, %r: tensor<1x1x1x8xf16>) -> tensor<1x1x4x4x8xf32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %half = "tosa.const"() <{values = dense<0.5> : tensor<1x1x1x1xf16>}> : () -> tensor<1x1x1x1xf16>
  %0 = tosa.mul %x, %half, %shift : (tensor<1x4x4x8xf16>, tensor<1x1x1x1xf16>, tensor<1xi8>) -> tensor<1x4x4x8xf16>
  %1 = tosa.add %0, %r : (tensor<1x4x4x8xf16>, tensor<1x1x1x8xf16>) -> tensor<1x4x4x8xf16>
  %2 = tosa.tanh %1 : (tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16>
  %3 = tosa.sigmoid %2 : (tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16>
  %4 = tosa.clamp %3 {min_val = 0.0 : f16, max_val = 6.0 : f16} : (tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf16>
  %5 = tosa.cast %4 : (tensor<1x4x4x8xf16>) -> tensor<1x4x4x8xf32>
  %s = tosa.const_shape {values = dense<[1, 1, 4, 4, 8]> : tensor<5xindex>} : () -> !tosa.shape<5>
  %6 = tosa.reshape %5, %s : (tensor<1x4x4x8xf32>, !tosa.shape<5>) -> tensor<1x1x4x4x8xf32>
  return %6 : tensor<1x1x4x4x8xf32>
}

// -----

// A zero point of the input is multiplied by the filter's sums, of which constant filters leave a table: here 3 of 4
// elements of all 1 at the top, where one is padding.
// CHECK-LABEL: @zero_point
func.func @zero_point(%x: tensor<1x2x1x2xi8>, %b: tensor<1xi32>) -> tensor<1x2x1x1xi32> {
  %zp = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %none = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w = "tosa.const"() <{values = dense<1> : tensor<1x2x1x2xi8>}> : () -> tensor<1x2x1x2xi8>
  // CHECK-DAG: %[[SUMS:.+]] = arith.constant dense<{{\[\[\[\[2\]\], \[\[4\]\]\]\]}}> : tensor<1x2x1x1xi32>
  // CHECK-DAG: %[[Y:.+]] = conv.forward
  // CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[SUMS]], %{{.+}} :
  // CHECK: %[[FACTOR:.+]] = arith.constant -3
  // CHECK: arith.muli %{{.+}}, %[[FACTOR]]
  %c = tosa.conv2d %x, %w, %b, %zp, %none {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x2x1x2xi8>, tensor<1x2x1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>)
      -> tensor<1x2x1x1xi32>
  return %c : tensor<1x2x1x1xi32>
}

// -----

// Other filters, and what zero points of the filter are multiplied by, are added up by convolutions with ones.
// CHECK-LABEL: @zero_points
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x4x4x2xi8>, %[[W:[^:]+]]: tensor<8x3x3x2xi8>
func.func @zero_points(%x: tensor<2x4x4x2xi8>, %w: tensor<8x3x3x2xi8>) -> tensor<2x2x2x8xi32> {
  %zp = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<8xi32>}> : () -> tensor<8xi32>
  // CHECK: %[[A:.+]] = conv.forward %[[X]], %{{.+}} : tensor<2x4x4x2xi8>, tensor<1x3x3x2xi8> -> tensor<2x2x2x1xi32>
  // CHECK: %[[B:.+]] = conv.forward %{{.+}}, %[[W]] {{.*}} : tensor<1x3x3x2xi8>, tensor<8x3x3x2xi8> -> tensor<1x1x1x8xi32>
  // CHECK: %[[COUNT:.+]] = arith.constant dense<18> : tensor<1x1x1x1xi32>
  // CHECK: %[[Y:.+]] = conv.forward %[[X]], %[[W]]
  // CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[A]], %[[B]], %[[COUNT]] :
  %c = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<2x4x4x2xi8>, tensor<8x3x3x2xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>)
      -> tensor<2x2x2x8xi32>
  return %c : tensor<2x2x2x8xi32>
}

// -----

// A channel's multiplier and shift are vectors; the product has 64 bits.
// CHECK-LABEL: @rescale
func.func @rescale(%x: tensor<1x4x4x2xi32>) -> tensor<1x4x4x2xi8> {
  %m = "tosa.const"() <{values = dense<[5, 7]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %s = "tosa.const"() <{values = dense<[30, 40]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK: linalg.generic {{.*}} ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x4x4x2xi32>, tensor<2xi32>, tensor<2xi8>)
  // CHECK: arith.muli %{{.+}}, %{{.+}} : i64
  // CHECK: arith.shrsi %{{.+}}, %{{.+}} : i64
  // CHECK: arith.trunci %{{.+}} : i64 to i8
  %r = tosa.rescale %x, %m, %s, %i, %o {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true,
      input_unsigned = false, output_unsigned = false}
      : (tensor<1x4x4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %r : tensor<1x4x4x2xi8>
}

// -----

// Left alone: a zero point that is not known, and ops that are not element-wise.
// CHECK-LABEL: @left_alone
func.func @left_alone(%x: tensor<1x4x4x2xi8>, %w: tensor<8x1x1x2xi8>, %b: tensor<8xi32>, %zp: tensor<1xi8>)
    -> tensor<1x1x4x8xi32> {
  // CHECK: tosa.conv2d
  %c = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<8x1x1x2xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>)
      -> tensor<1x4x4x8xi32>
  // CHECK: tosa.reduce_sum
  %s = tosa.reduce_sum %c {axis = 1 : i32} : (tensor<1x4x4x8xi32>) -> tensor<1x1x4x8xi32>
  return %s : tensor<1x1x4x8xi32>
}

// -----

// CHECK-LABEL: @conv3d
func.func @conv3d(%x: tensor<1x5x6x7x4xf16>, %w: tensor<8x3x3x3x4xf16>) -> tensor<1x3x4x8x8xf16> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %b = "tosa.const"() <{values = dense<0.0> : tensor<8xf16>}> : () -> tensor<8xf16>
  // CHECK: conv.forward {{.*}} low = [0, 0, 1], high = [0, 0, 2]> layouts = <"NDHWC", "KTRSC", "NZPQK">
  %c = tosa.conv3d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 0, 0, 1, 2>,
      stride = array<i64: 1, 1, 1>} : (tensor<1x5x6x7x4xf16>, tensor<8x3x3x3x4xf16>, tensor<8xf16>, tensor<1xf16>, tensor<1xf16>)
      -> tensor<1x3x4x8x8xf16>
  return %c : tensor<1x3x4x8x8xf16>
}

// -----

// The channels of a depthwise weight and its multiplier become one dimension.
// CHECK-LABEL: @depthwise
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x6x6x4xf32>, %[[W:[^:]+]]: tensor<3x3x4x2xf32>, %[[B:[^:]+]]: tensor<8xf32>
func.func @depthwise(%x: tensor<1x6x6x4xf32>, %w: tensor<3x3x4x2xf32>, %b: tensor<8xf32>) -> tensor<1x4x4x8xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  // CHECK: %[[C:.+]] = tensor.collapse_shape %[[W]] {{\[}}[0], [1], [2, 3]]
  // CHECK: %[[E:.+]] = tensor.expand_shape %[[C]] {{.*}} into tensor<3x3x8x1xf32>
  // CHECK: %[[Y:.+]] = conv.forward %[[X]], %[[E]] {{.*}} layouts = <"NHWC", "RSKC", "NPQK"> groups = 4
  // CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[B]] :
  %c = tosa.depthwise_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>,
      stride = array<i64: 1, 1>} : (tensor<1x6x6x4xf32>, tensor<3x3x4x2xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x4x4x8xf32>
  return %c : tensor<1x4x4x8xf32>
}

// -----

// A transposed convolution is a gradient: what it cuts off is padding, and what it adds after them is in the size.
// CHECK-LABEL: @transposed
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x8x8x4xf32>, %[[W:[^:]+]]: tensor<6x3x3x4xf32>, %[[B:[^:]+]]: tensor<6xf32>
func.func @transposed(%x: tensor<1x8x8x4xf32>, %w: tensor<6x3x3x4xf32>, %b: tensor<6xf32>) -> tensor<1x16x15x6xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  // CHECK: %[[Y:.+]] = conv.backward_data %[[X]], %[[W]]
  // CHECK-SAME: window = <strides = [2, 2], dilations = [1, 1], low = [1, 0], high = [0, 2]> layouts = <"NHWC", "CRSK", "NPQK">
  // CHECK: linalg.generic {{.*}} ins(%[[Y]], %[[B]] :
  %c = tosa.transpose_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, out_pad = array<i64: -1, 0, 0, -2>,
      stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>, tensor<6x3x3x4xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x16x15x6xf32>
  return %c : tensor<1x16x15x6xf32>
}

// -----

// Left alone: a transposed convolution with elements in front that no window reaches.
// CHECK-LABEL: @transposed_with_border
func.func @transposed_with_border(%x: tensor<1x8x8x4xf32>, %w: tensor<6x3x3x4xf32>, %b: tensor<6xf32>) -> tensor<1x18x17x6xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  // CHECK: tosa.transpose_conv2d
  %c = tosa.transpose_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, out_pad = array<i64: 1, 0, 0, 0>,
      stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>, tensor<6x3x3x4xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x18x17x6xf32>
  return %c : tensor<1x18x17x6xf32>
}

// -----

// The average of windows without padding is a depthwise convolution with ones, and a division.
// CHECK-LABEL: func.func @average
// CHECK:         %[[Y:.+]] = conv.forward
// CHECK:         %[[ONES:.+]] = arith.constant dense<1.000000e+00> : tensor<5x2x3x1xf32>
// CHECK:         conv.forward %[[Y]], %[[ONES]] window = <strides = [2, 2], {{.*}} layouts = <"NHWC", "KRSC", "NPQK"> groups = 5
// CHECK:         arith.constant dense<6.000000e+00>
// CHECK:         arith.divf
func.func @average(%x: tensor<1x8x9x3xf32>, %w: tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32> {
  %bias = "tosa.const"() <{values = dense<0.0> : tensor<5xf32>}> : () -> tensor<5xf32>
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %bias, %zero, %zero {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
      : (tensor<1x8x9x3xf32>, tensor<5x1x1x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x9x5xf32>
  %a = tosa.avg_pool2d %y, %zero, %zero {acc_type = f32, kernel = array<i64: 2, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x8x9x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x5xf32>
  return %a : tensor<1x4x4x5xf32>
}

// -----

// The sum of an average is in f32, since 65536 elements overflow f16, and so does their number.
// CHECK-LABEL: func.func @average_f16
// CHECK:         conv.forward {{.*}} -> tensor<1x256x256x2xf16>
// CHECK:         conv.forward {{.*}} -> tensor<1x1x1x2xf32>
// CHECK:         %[[COUNT:.+]] = arith.constant dense<6.553600e+04> : tensor<1x1x1x2xf32>
// CHECK:         %[[MEAN:.+]] = arith.divf %{{.+}}, %[[COUNT]] : tensor<1x1x1x2xf32>
// CHECK:         arith.truncf %[[MEAN]] : tensor<1x1x1x2xf32> to tensor<1x1x1x2xf16>
func.func @average_f16(%x: tensor<1x256x256x2xf16>, %w: tensor<2x1x1x2xf16>) -> tensor<1x1x1x2xf16> {
  %bias = "tosa.const"() <{values = dense<0.0> : tensor<2xf16>}> : () -> tensor<2xf16>
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf16>}> : () -> tensor<1xf16>
  %y = tosa.conv2d %x, %w, %bias, %zero, %zero {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
      : (tensor<1x256x256x2xf16>, tensor<2x1x1x2xf16>, tensor<2xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1x256x256x2xf16>
  %a = tosa.avg_pool2d %y, %zero, %zero {acc_type = f32, kernel = array<i64: 256, 256>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x256x256x2xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1x1x1x2xf16>
  return %a : tensor<1x1x1x2xf16>
}

// -----

// A bias of one element for each of two groups is no bias of all channels: each group is a convolution.
// CHECK-LABEL: func.func @bias_of_groups
// CHECK-COUNT-2: conv.forward
func.func @bias_of_groups(%x: tensor<1x2x2x4xf32>, %w: tensor<4x1x1x2xf32>, %b: tensor<2xf32>) -> tensor<1x2x2x4xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %o0 = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>
  %ox = tosa.const_shape {values = dense<[0, 0, 0, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %ow = tosa.const_shape {values = dense<[2, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %sx = tosa.const_shape {values = dense<[1, 2, 2, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %sw = tosa.const_shape {values = dense<[2, 1, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %ob0 = tosa.const_shape {values = dense<0> : tensor<1xindex>} : () -> !tosa.shape<1>
  %one = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %x0 = tosa.slice %x, %o0, %sx : (tensor<1x2x2x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x2x2xf32>
  %x1 = tosa.slice %x, %ox, %sx : (tensor<1x2x2x4xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x2x2x2xf32>
  %w0 = tosa.slice %w, %o0, %sw : (tensor<4x1x1x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x1x2xf32>
  %w1 = tosa.slice %w, %ow, %sw : (tensor<4x1x1x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x1x1x2xf32>
  %b0 = tosa.slice %b, %ob0, %one : (tensor<2xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<1xf32>
  %b1 = tosa.slice %b, %one, %one : (tensor<2xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<1xf32>
  %y0 = tosa.conv2d %x0, %w0, %b0, %zero, %zero {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
      : (tensor<1x2x2x2xf32>, tensor<2x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2x2xf32>
  %y1 = tosa.conv2d %x1, %w1, %b1, %zero, %zero {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
      : (tensor<1x2x2x2xf32>, tensor<2x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2x2xf32>
  %y = tosa.concat %y0, %y1 {axis = 3 : i32} : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x4xf32>
  return %y : tensor<1x2x2x4xf32>
}

// -----

// Indices are computed in their types: i8 wraps around, and a condition that holds is 1.
// CHECK-LABEL: func.func @indices_in_their_types
// CHECK: arith.constant dense<[1, 0, 2, 1]> : tensor<4xindex>
func.func @indices_in_their_types(%x: tensor<1x4x2xf32>) -> tensor<1x4x2xf32> {
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = "tosa.const"() <{values = dense<[[-127, -128, 127, -127]]> : tensor<1x4xi8>}> : () -> tensor<1x4xi8>
  %b = "tosa.const"() <{values = dense<[[-128, -128, 127, -128]]> : tensor<1x4xi8>}> : () -> tensor<1x4xi8>
  %c = "tosa.const"() <{values = dense<[[false, false, true, false]]> : tensor<1x4xi1>}> : () -> tensor<1x4xi1>
  %s = tosa.add %a, %b : (tensor<1x4xi8>, tensor<1x4xi8>) -> tensor<1x4xi8>
  %four = "tosa.const"() <{values = dense<[[0, 0, 3, 0]]> : tensor<1x4xi32>}> : () -> tensor<1x4xi32>
  %w = tosa.cast %s : (tensor<1x4xi8>) -> tensor<1x4xi32>
  %d = tosa.cast %c : (tensor<1x4xi1>) -> tensor<1x4xi32>
  %t = tosa.add %w, %d : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
  %i = tosa.add %t, %four : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
  %shape = tosa.const_shape {values = dense<[1, 4, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %g = tosa.gather %x, %i : (tensor<1x4x2xf32>, tensor<1x4xi32>) -> tensor<1x4x2xf32>
  %r = tosa.reshape %g, %shape : (tensor<1x4x2xf32>, !tosa.shape<3>) -> tensor<1x4x2xf32>
  return %r : tensor<1x4x2xf32>
}

// -----

// A tensor that is moved by its own elements: they are the indices, not its places.
// CHECK-LABEL: func.func @moved_by_itself
// CHECK: arith.constant dense<[2, 0, 3, 1]> : tensor<4xindex>
func.func @moved_by_itself() -> tensor<1x4x1xi32> {
  %v = "tosa.const"() <{values = dense<[[[2], [0], [3], [1]]]> : tensor<1x4x1xi32>}> : () -> tensor<1x4x1xi32>
  %flat = tosa.const_shape {values = dense<[1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %shape = tosa.const_shape {values = dense<[1, 4, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %i = tosa.reshape %v, %flat : (tensor<1x4x1xi32>, !tosa.shape<2>) -> tensor<1x4xi32>
  %g = tosa.gather %v, %i : (tensor<1x4x1xi32>, tensor<1x4xi32>) -> tensor<1x4x1xi32>
  %r = tosa.reshape %g, %shape : (tensor<1x4x1xi32>, !tosa.shape<3>) -> tensor<1x4x1xi32>
  return %r : tensor<1x4x1xi32>
}

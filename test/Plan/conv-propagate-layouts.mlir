// RUN: conv-opt %s --split-input-file --conv-propagate-layouts | FileCheck %s

#same = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#schedule = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, layouts = <"NHWC", "KRSC", "NPQK">>
#all = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
module attributes {conv.target = #conv.target<"gfx942">} {
// The kernel before the convolution writes the order of the schedule, and reads its operands as before.
// CHECK-DAG: #[[TURNED:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
// CHECK-DAG: #[[CHANNEL:.+]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-DAG: #[[ALL:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @forward(
// CHECK:         %[[A:.+]] = linalg.generic {indexing_maps = [#[[TURNED]], #[[CHANNEL]], #[[ALL]]]
// CHECK-SAME:      ins(%{{.+}}, %{{.+}} : tensor<1x16x8x7xf32>, tensor<16xf32>) outs(%{{.+}} : tensor<1x8x7x16xf16>)
// CHECK:         conv.forward %[[A]], %{{.+}} layouts = <"NHWC", "KCRS", "NKPQ">
func.func @forward(%x: tensor<1x16x8x7xf32>, %scale: tensor<16xf32>, %w: tensor<32x16x3x3xf16>) -> tensor<1x32x8x7xf16> {
  %e = tensor.empty() : tensor<1x16x8x7xf16>
  %a = linalg.generic {indexing_maps = [#all, #channel, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %scale : tensor<1x16x8x7xf32>, tensor<16xf32>) outs(%e : tensor<1x16x8x7xf16>) {
  ^bb0(%v: f32, %s: f32, %o: f16):
    %m = arith.mulf %v, %s : f32
    %t = arith.truncf %m : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1x16x8x7xf16>
  %y = conv.forward %a, %w window = #same layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #schedule
      : tensor<1x16x8x7xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x8x7xf16>
  return %y : tensor<1x32x8x7xf16>
}

// The gradient of a result, and standardised weights, are operands as well.
// CHECK-LABEL: func.func @gradient(
// CHECK-COUNT-2: linalg.generic {indexing_maps = [#[[TURNED]], #[[ALL]]]
// CHECK:         conv.backward_data %{{.+}} layouts = <"NCHW", "KRSC", "NPQK">
func.func @gradient(%x: tensor<1x32x8x7xf16>, %v: tensor<32x16x3x3xf16>) -> tensor<1x16x8x7xf16> {
  %e = tensor.empty() : tensor<1x32x8x7xf16>
  %dy = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x32x8x7xf16>) outs(%e : tensor<1x32x8x7xf16>) {
  ^bb0(%a: f16, %o: f16):
    %n = arith.negf %a : f16
    linalg.yield %n : f16
  } -> tensor<1x32x8x7xf16>
  %f = tensor.empty() : tensor<32x16x3x3xf16>
  %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<32x16x3x3xf16>) outs(%f : tensor<32x16x3x3xf16>) {
  ^bb0(%a: f16, %o: f16):
    %n = arith.negf %a : f16
    linalg.yield %n : f16
  } -> tensor<32x16x3x3xf16>
  %dx = conv.backward_data %dy, %w window = #same layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #schedule
      : tensor<1x32x8x7xf16>, tensor<32x16x3x3xf16> -> tensor<1x16x8x7xf16>
  return %dx : tensor<1x16x8x7xf16>
}

// An operand of the epilogue keeps the order of the result.
// CHECK-LABEL: func.func @residual(
// CHECK:         %[[R:.+]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]]]
// CHECK:         conv.forward %{{.+}}, %{{.+}} layouts = <"NCHW", "KCRS", "NKPQ"> {{.*}} epilogue(%[[R]] : tensor<1x32x8x7xf16>)
func.func @residual(%x: tensor<1x16x8x7xf16>, %w: tensor<32x16x3x3xf16>, %z: tensor<1x32x8x7xf16>) -> tensor<1x32x8x7xf16> {
  %e = tensor.empty() : tensor<1x32x8x7xf16>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%z : tensor<1x32x8x7xf16>) outs(%e : tensor<1x32x8x7xf16>) {
  ^bb0(%a: f16, %o: f16):
    %n = arith.negf %a : f16
    linalg.yield %n : f16
  } -> tensor<1x32x8x7xf16>
  %y = conv.forward %x, %w window = #same layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #schedule epilogue(%r : tensor<1x32x8x7xf16>) {
  ^bb0(%acc: f32, %b: f16):
    %v = arith.extf %b : f16 to f32
    %s = arith.addf %acc, %v : f32
    %t = arith.truncf %s : f32 to f16
    conv.yield %t : f16
  } : tensor<1x16x8x7xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x8x7xf16>
  return %y : tensor<1x32x8x7xf16>
}

// A result with another use keeps its order, and so does an operand whose form has more channels.
// CHECK-LABEL: func.func @left_alone(
// CHECK:         conv.forward {{.*}} layouts = <"NCHW", "KCRS", "NKPQ">
// CHECK:         conv.forward {{.*}} layouts = <"NCHW", "KCRS", "NKPQ">
func.func @left_alone(%x: tensor<1x16x8x7xf16>, %w: tensor<32x16x3x3xf16>, %z: tensor<1x3x8x7xf16>, %v: tensor<32x3x3x3xf16>)
    -> (tensor<1x32x8x7xf16>, tensor<1x16x8x7xf16>, tensor<1x32x8x7xf16>) {
  %e = tensor.empty() : tensor<1x16x8x7xf16>
  %a = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x16x8x7xf16>) outs(%e : tensor<1x16x8x7xf16>) {
  ^bb0(%i: f16, %o: f16):
    %n = arith.negf %i : f16
    linalg.yield %n : f16
  } -> tensor<1x16x8x7xf16>
  %y = conv.forward %a, %w window = #same layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #schedule
      : tensor<1x16x8x7xf16>, tensor<32x16x3x3xf16> -> tensor<1x32x8x7xf16>
  %f = tensor.empty() : tensor<1x3x8x7xf16>
  %b = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%z : tensor<1x3x8x7xf16>) outs(%f : tensor<1x3x8x7xf16>) {
  ^bb0(%i: f16, %o: f16):
    %n = arith.negf %i : f16
    linalg.yield %n : f16
  } -> tensor<1x3x8x7xf16>
  %u = conv.forward %b, %v window = #same layouts = <"NCHW", "KCRS", "NKPQ">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                  atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                  layouts = <"NHWC", "KRSC", "NPQK">, channel_multiple = 8>
      : tensor<1x3x8x7xf16>, tensor<32x3x3x3xf16> -> tensor<1x32x8x7xf16>
  return %y, %a, %u : tensor<1x32x8x7xf16>, tensor<1x16x8x7xf16>, tensor<1x32x8x7xf16>
}
}

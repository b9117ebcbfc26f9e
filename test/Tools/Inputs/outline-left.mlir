// Of four convolutions, two are for this compiler: kernels have no f64, and gfx942 has no matrix instruction for these 8-bit
// floats. What counts bits stays beside the convolution.
#map = affine_map<(n, p, q, k) -> (n, p, q, k)>
func.func @main(%x: tensor<1x4x4x16xf16>, %w: tensor<16x1x1x16xf16>, %x8: tensor<1x4x4x16xf8E4M3FN>,
    %w8: tensor<16x1x1x16xf8E4M3FN>, %x64: tensor<1x4x4x2xf64>, %w64: tensor<1x1x2x4xf64>)
    -> (tensor<1x4x4x16xi32>, tensor<1x4x4x16xf32>, tensor<1x4x4x4xf64>, tensor<1x4x4x16xf32>) {
  %a = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x16xf16>, tensor<16x1x1x16xf16> -> tensor<1x4x4x16xf32>
  %e = tensor.empty() : tensor<1x4x4x16xi32>
  %count = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<1x4x4x16xf32>) outs(%e : tensor<1x4x4x16xi32>) {
  ^bb0(%in: f32, %out: i32):
    %bits = arith.bitcast %in : f32 to i32
    %number = math.ctpop %bits : i32
    linalg.yield %number : i32
  } -> tensor<1x4x4x16xi32>
  %b = conv.forward %x8, %w8
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x16xf8E4M3FN>, tensor<16x1x1x16xf8E4M3FN> -> tensor<1x4x4x16xf32>
  %zero = arith.constant 0.0 : f64
  %e64 = tensor.empty() : tensor<1x4x4x4xf64>
  %i64 = linalg.fill ins(%zero : f64) outs(%e64 : tensor<1x4x4x4xf64>) -> tensor<1x4x4x4xf64>
  %c = linalg.conv_2d_nhwc_hwcf ins(%x64, %w64 : tensor<1x4x4x2xf64>, tensor<1x1x2x4xf64>)
      outs(%i64 : tensor<1x4x4x4xf64>) -> tensor<1x4x4x4xf64>
  %d = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x16xf16>, tensor<16x1x1x16xf16> -> tensor<1x4x4x16xf32>
  return %count, %b, %c, %d : tensor<1x4x4x16xi32>, tensor<1x4x4x16xf32>, tensor<1x4x4x4xf64>, tensor<1x4x4x16xf32>
}

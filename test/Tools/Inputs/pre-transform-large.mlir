#same = #conv.window<strides = [1, 1], dilations = [1, 1], low = [3, 3], high = [3, 3]>
#all = affine_map<(n, p, q, k) -> (n, p, q, k)>

// An activation before a convolution of a size and a window where every GPU's schedule reads channels last: filter, activation and product are three launches.
func.func @large(%x: tensor<64x64x56x56xf16>, %w: tensor<64x64x7x7xf16>) -> tensor<64x64x56x56xf16> {
  %e = tensor.empty() : tensor<64x64x56x56xf16>
  %zero = arith.constant 0.0 : f16
  %a = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<64x64x56x56xf16>) outs(%e : tensor<64x64x56x56xf16>) {
  ^bb0(%v: f16, %o: f16):
    %m = arith.maximumf %v, %zero : f16
    linalg.yield %m : f16
  } -> tensor<64x64x56x56xf16>
  %y = conv.forward %a, %w window = #same layouts = <"NCHW", "KCRS", "NKPQ">
      : tensor<64x64x56x56xf16>, tensor<64x64x7x7xf16> -> tensor<64x64x56x56xf16>
  return %y : tensor<64x64x56x56xf16>
}

#same = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#all = affine_map<(n, p, q, k) -> (n, p, q, k)>

// A scale and a cast in front, of channels-first tensors that the schedule reads channels last: the kernel of the scale transposes.
func.func @pre_transform(%x: tensor<2x12x5x7xf32>, %scale: tensor<12xf32>, %w: tensor<9x12x3x3xf16>) -> tensor<2x9x5x7xf16> {
  %e = tensor.empty() : tensor<2x12x5x7xf16>
  %a = linalg.generic {indexing_maps = [#all, affine_map<(n, p, q, k) -> (p)>, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %scale : tensor<2x12x5x7xf32>, tensor<12xf32>) outs(%e : tensor<2x12x5x7xf16>) {
  ^bb0(%v: f32, %s: f32, %o: f16):
    %m = arith.mulf %v, %s : f32
    %t = arith.truncf %m : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x12x5x7xf16>
  %y = conv.forward %a, %w window = #same layouts = <"NCHW", "KCRS", "NKPQ">
      schedule = <kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 1,
                  atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, layouts = <"NHWC", "KRSC", "NKPQ">>
      : tensor<2x12x5x7xf16>, tensor<9x12x3x3xf16> -> tensor<2x9x5x7xf16>
  return %y : tensor<2x9x5x7xf16>
}

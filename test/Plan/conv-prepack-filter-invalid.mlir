// RUN: conv-opt %s --conv-prepack-filter --split-input-file --verify-diagnostics

#same = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#plain = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>>
func.func @own_form(%x: tensor<1x8x8x16xf16>, %w: tensor<8x3x3x16xf16> {conv.prepack}) -> tensor<1x8x8x8xf16> {
  // expected-error @below {{unsupported (prepack): expects a schedule with a step that reads only the filter, but got #conv.schedule<}}
  %y = conv.forward %x, %w window = #same layouts = <"NHWC", "KRSC", "NPQK"> schedule = #plain
      : tensor<1x8x8x16xf16>, tensor<8x3x3x16xf16> -> tensor<1x8x8x8xf16>
  return %y : tensor<1x8x8x8xf16>
}

// -----

// Only the images change their form: the filter is read as it is.
#same = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#images = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                         atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, layouts = <"NHWC", "KRSC", "NPQK">>
func.func @images(%x: tensor<1x16x8x8xf16>, %w: tensor<8x3x3x16xf16> {conv.prepack}) -> tensor<1x8x8x8xf16> {
  // expected-error @below {{unsupported (prepack): expects a schedule with a step that reads only the filter, but got #conv.schedule<}}
  %y = conv.forward %x, %w window = #same layouts = <"NCHW", "KRSC", "NKPQ"> schedule = #images
      : tensor<1x16x8x8xf16>, tensor<8x3x3x16xf16> -> tensor<1x8x8x8xf16>
  return %y : tensor<1x8x8x8xf16>
}

// -----

#same = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#turned = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                         atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, layouts = <"NHWC", "KRSC", "NPQK">>
// expected-error @below {{unsupported (prepack): expects an argument that is the filter of one convolution for conv.prepack, but got another one}}
func.func @no_filter(%x: tensor<1x16x8x8xf16> {conv.prepack}, %w: tensor<8x16x3x3xf16>) -> tensor<1x8x8x8xf16> {
  %y = conv.forward %x, %w window = #same layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #turned
      : tensor<1x16x8x8xf16>, tensor<8x16x3x3xf16> -> tensor<1x8x8x8xf16>
  return %y : tensor<1x8x8x8xf16>
}

// RUN: conv-opt %s --split-input-file --verify-diagnostics --conv-select-schedule

// Layouts of one dimension are for windows of one element.
#flat = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                       atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, layouts = <"NWC", "KSC", "NQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_flat_window(%x: tensor<1x8x8x8xf16>, %w: tensor<8x8x3x3xf16>) -> tensor<1x8x6x6xf16> {
    // expected-error @below {{unsupported (schedule): expects a window of one element that moves by 1, without padding, for layouts of one dimension, but got a filter of [3, 3], strides [1, 1], low [0, 0] and high [0, 0]}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #flat
        {} : tensor<1x8x8x8xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x6x6xf16>
    return %y : tensor<1x8x6x6xf16>
  }
}

// -----

// Layouts of two dimensions are for windows of one element along depth, or along lines and columns.
#merged = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                         atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, layouts = <"NHWC", "KRSC", "NPQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_merged_window(%x: tensor<1x4x8x8x8xf16>, %w: tensor<8x3x3x3x8xf16>) -> tensor<1x2x6x6x8xf16> {
    // expected-error @below {{unsupported (schedule): expects windows of one element that move by 1, without padding, along depth, or lines and columns, tensors without gaps, and not winograd, for layouts of two dimensions, but got a filter of [3, 3, 3], strides [1, 1, 1], low [0, 0, 0] and high [0, 0, 0]}}
    %y = conv.forward %x, %w window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [0, 0, 0], high = [0, 0, 0]>
        layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = #merged
        {} : tensor<1x4x8x8x8xf16>, tensor<8x3x3x3x8xf16> -> tensor<1x2x6x6x8xf16>
    return %y : tensor<1x2x6x6x8xf16>
  }
}

// -----

// Only positions that are summed up can be divided into strips, and only into lines.
#strips = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                        layouts = <"NHWC", "KRSC", "NPQK">, space_to_batch = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s25_forward(%x: tensor<1x8x8x8xf16>, %w: tensor<8x3x3x8xf16>) -> tensor<1x6x6x8xf16> {
    // expected-error @below {{unsupported (schedule): expects the gradient of a filter, with padding of zeros, for space_to_batch, but got conv.forward with padding of zeros}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #strips
        {} : tensor<1x8x8x8xf16>, tensor<8x3x3x8xf16> -> tensor<1x6x6x8xf16>
    return %y : tensor<1x6x6x8xf16>
  }
}

// -----

#strips = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                        layouts = <"NHWC", "KRSC", "NPQK">, space_to_batch = 7>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s25_lines(%x: tensor<1x8x8x8xf16>, %dy: tensor<1x6x6x8xf16>) -> tensor<8x3x3x8xf16> {
    // expected-error @below {{unsupported (schedule): expects space_to_batch to be at most 6, but got 7}}
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #strips
        {} : tensor<1x8x8x8xf16>, tensor<1x6x6x8xf16> -> tensor<8x3x3x8xf16>
    return %dw : tensor<8x3x3x8xf16>
  }
}

// -----

#strips = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                        space_to_batch = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s25_layouts(%x: tensor<1x8x8x8xf16>, %dy: tensor<1x6x6x8xf16>) -> tensor<8x3x3x8xf16> {
    // expected-error @below {{unsupported (schedule): expects layouts of more than one dimension and without G, and tensors without gaps, for space_to_batch, but got "NHWC" for "NHWC"}}
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #strips
        {} : tensor<1x8x8x8xf16>, tensor<1x6x6x8xf16> -> tensor<8x3x3x8xf16>
    return %dw : tensor<8x3x3x8xf16>
  }
}

// -----

#strips = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 16>, main_loop = register_staged, raster = columns>,
                        layouts = <"NHWC", "KRSC", "NPQK">, space_to_batch = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s25_element(%x: tensor<1x8x8x8xi8>, %dy: tensor<1x6x6x8xi8>) -> tensor<8x3x3x8xi32> {
    // expected-error @below {{unsupported (schedule): expects operands of f32, f16 or bf16 for space_to_batch, but got i8}}
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #strips
        {} : tensor<1x8x8x8xi8>, tensor<1x6x6x8xi8> -> tensor<8x3x3x8xi32>
    return %dw : tensor<8x3x3x8xi32>
  }
}

// -----

#strips = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                        layouts = <"NHWC", "KRSC", "NPQK">, im2col = 1, space_to_batch = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s25_im2col(%x: tensor<1x8x8x8xf16>, %dy: tensor<1x6x6x8xf16>) -> tensor<8x3x3x8xf16> {
    // expected-error @below {{unsupported (schedule): expects neither im2col nor winograd for space_to_batch, but got im2col}}
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #strips
        {} : tensor<1x8x8x8xf16>, tensor<1x6x6x8xf16> -> tensor<8x3x3x8xf16>
    return %dw : tensor<8x3x3x8xf16>
  }
}

// -----

#strips = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                        output_tile = [2, 2], layouts = <"NHWC", "KRSC", "NPQK">, space_to_batch = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s25_winograd(%x: tensor<1x8x8x8xf16>, %dy: tensor<1x6x6x8xf16>) -> tensor<8x3x3x8xf16> {
    // expected-error @below {{unsupported (schedule): expects neither im2col nor winograd for space_to_batch, but got output_tile}}
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #strips
        {} : tensor<1x8x8x8xf16>, tensor<1x6x6x8xf16> -> tensor<8x3x3x8xf16>
    return %dw : tensor<8x3x3x8xf16>
  }
}

// -----

#merged = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                        output_tile = [1, 2, 2], layouts = <"NHWC", "KRSC", "NPQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_merged_winograd(%x: tensor<1x4x8x8x8xf16>, %w: tensor<8x1x3x3x8xf16>) -> tensor<1x4x6x6x8xf16> {
    // expected-error @below {{unsupported (schedule): expects windows of one element that move by 1, without padding, along depth, or lines and columns, tensors without gaps, and not winograd, for layouts of two dimensions, but got a filter of [1, 3, 3], strides [1, 1, 1], low [0, 0, 0] and high [0, 0, 0], for winograd}}
    %y = conv.forward %x, %w window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [0, 0, 0], high = [0, 0, 0]>
        layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = #merged
        {} : tensor<1x4x8x8x8xf16>, tensor<8x1x3x3x8xf16> -> tensor<1x4x6x6x8xf16>
    return %y : tensor<1x4x6x6x8xf16>
  }
}

// -----

#strips = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                        layouts = <"NHWC", "KRSC", "NPQK">, space_to_batch = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s25_gaps(%x: tensor<1x8x8x8xf16> {conv.strides = array<i64: 1024, 128, 16, 1>}, %dy: tensor<1x6x6x8xf16>) -> tensor<8x3x3x8xf16> {
    // expected-error @below {{unsupported (schedule): expects layouts of more than one dimension and without G, and tensors without gaps, for space_to_batch, but got "NHWC" for "NHWC" and conv.strides}}
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #strips
        {} : tensor<1x8x8x8xf16>, tensor<1x6x6x8xf16> -> tensor<8x3x3x8xf16>
    return %dw : tensor<8x3x3x8xf16>
  }
}

// -----

#strips = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                        layouts = <"NHWGC", "GKRSC", "NPQGK">, space_to_batch = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s25_group_dimension(%x: tensor<1x8x8x2x4xf16>, %dy: tensor<1x6x6x2x4xf16>) -> tensor<2x4x3x3x4xf16> {
    // expected-error @below {{unsupported (schedule): expects layouts of more than one dimension and without G, and tensors without gaps, for space_to_batch, but got "NHWGC" for "NHWGC"}}
    %dw = conv.backward_weight %x, %dy window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWGC", "GKRSC", "NPQGK"> groups = 2 schedule = #strips
        {} : tensor<1x8x8x2x4xf16>, tensor<1x6x6x2x4xf16> -> tensor<2x4x3x3x4xf16>
    return %dw : tensor<2x4x3x3x4xf16>
  }
}

// -----

#merged = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                        atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>,
                        layouts = <"NHWC", "KRSC", "NPQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_merged_gaps(%x: tensor<1x4x8x8x8xf16> {conv.strides = array<i64: 4096, 1024, 128, 16, 1>}, %w: tensor<8x1x3x3x8xf16>) -> tensor<1x4x6x6x8xf16> {
    // expected-error @below {{unsupported (schedule): expects windows of one element that move by 1, without padding, along depth, or lines and columns, tensors without gaps, and not winograd, for layouts of two dimensions, but got a filter of [1, 3, 3], strides [1, 1, 1], low [0, 0, 0] and high [0, 0, 0], and conv.strides}}
    %y = conv.forward %x, %w window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [0, 0, 0], high = [0, 0, 0]>
        layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = #merged
        {} : tensor<1x4x8x8x8xf16>, tensor<8x1x3x3x8xf16> -> tensor<1x4x6x6x8xf16>
    return %y : tensor<1x4x6x6x8xf16>
  }
}

// -----

// A form has the letters of the convolution.
#grouped = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                          atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, layouts = <"NGHWC", "GKRSC", "NGPQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_letters(%x: tensor<1x8x8x8xf16>, %w: tensor<8x8x3x3xf16>) -> tensor<1x8x6x6xf16> {
    // expected-error @below {{unsupported (schedule): expects layouts with the letters of "NCHW", but got "NGHWC"}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #grouped
        {} : tensor<1x8x8x8xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x6x6xf16>
    return %y : tensor<1x8x6x6xf16>
  }
}

// -----

// Channels of several groups are not padded, and only whole groups are merged.
#padded = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                         atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, channel_multiple = 6>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_groups(%x: tensor<1x8x8x8xf16>, %w: tensor<8x4x3x3xf16>) -> tensor<1x8x6x6xf16> {
    // expected-error @below {{unsupported (schedule): expects channel_multiple to be 1, or the channels of a part of 2 groups of 4, but got 6}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KCRS", "NKPQ"> groups = 2 schedule = #padded
        {} : tensor<1x8x8x8xf16>, tensor<8x4x3x3xf16> -> tensor<1x8x6x6xf16>
    return %y : tensor<1x8x6x6xf16>
  }
}

// -----

// Only windows of one element over one dimension are transposed.
#transposed = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                             atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, transposed = true>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s20_window(%x: tensor<1x8x8x8xf16>, %w: tensor<8x8x3x3xf16>) -> tensor<1x8x6x6xf16> {
    // expected-error @below {{unsupported (schedule): expects one spatial dimension and a window of one element that moves by 1, without padding, for a transposed product, but got a filter of [3, 3], strides [1, 1], low [0, 0] and high [0, 0]}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #transposed
        {} : tensor<1x8x8x8xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x6x6xf16>
    return %y : tensor<1x8x6x6xf16>
  }
}

// -----

// There are two dimensions to unfold.
#unfolded = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, im2col = 3>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_im2col_dimensions(%x: tensor<1x8x8x8xf16>, %w: tensor<8x8x3x3xf16>) -> tensor<1x8x6x6xf16> {
    // expected-error @below {{unsupported (schedule): expects im2col of at most 2 dimensions, but got 3}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #unfolded
        : tensor<1x8x8x8xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x6x6xf16>
    return %y : tensor<1x8x6x6xf16>
  }
}

// -----

// Unfolded elements are channels, the innermost ones.
#unfolded = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, im2col = 2>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_im2col_order(%x: tensor<1x8x8x8xf16>, %w: tensor<8x8x3x3xf16>) -> tensor<1x8x6x6xf16> {
    // expected-error @below {{unsupported (schedule): expects channels innermost in what im2col unfolds, but got "NCHW"}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #unfolded
        : tensor<1x8x8x8xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x6x6xf16>
    return %y : tensor<1x8x6x6xf16>
  }
}

// -----

// Groups are not unfolded.
#unfolded = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, im2col = 1>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_im2col_groups(%x: tensor<1x8x8x8xf16>, %w: tensor<8x4x3x3xf16>) -> tensor<1x8x6x6xf16> {
    // expected-error @below {{unsupported (schedule): expects one group, and layouts without G, for im2col, but got 2 groups in "NCHW"}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KCRS", "NKPQ"> groups = 2 schedule = #unfolded
        : tensor<1x8x8x8xf16>, tensor<8x4x3x3xf16> -> tensor<1x8x6x6xf16>
    return %y : tensor<1x8x6x6xf16>
  }
}

// -----

// Gradients of the output that a window skips are not those of neighbours.
#unfolded = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                           atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, im2col = 2, layouts = <"NHWC", "KRSC", "NPQK">>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_im2col_strides(%dy: tensor<1x8x3x6xf16>, %w: tensor<8x8x3x3xf16>) -> tensor<1x8x8x8xf16> {
    // expected-error @below {{unsupported (schedule): expects a window that moves by 1 along the unfolded dimensions for im2col of a gradient of the output, but got strides [2, 1]}}
    %dx = conv.backward_data %dy, %w window = <strides = [2, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NCHW", "KCRS", "NKPQ"> schedule = #unfolded
        : tensor<1x8x3x6xf16>, tensor<8x8x3x3xf16> -> tensor<1x8x8x8xf16>
    return %dx : tensor<1x8x8x8xf16>
  }
}

// -----

// Only 8-bit floats are multiplied as f16.
#wide = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 64, stages = 2,
                       atom = <mfma 32 x 32 x 8>, main_loop = register_staged, raster = columns>, operand_type = f16>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s23_operands(%x: tensor<1x8x8x8xf16>, %w: tensor<8x3x3x8xf16>) -> tensor<1x6x6x8xf16> {
    // expected-error @below {{unsupported (schedule): expects operands of 8-bit floats for operand_type, but got f16}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #wide
        : tensor<1x8x8x8xf16>, tensor<8x3x3x8xf16> -> tensor<1x6x6x8xf16>
    return %y : tensor<1x6x6x8xf16>
  }
}

// -----

// 50 products are too few for parts of f32, and stay 50 where zeros are summed up with them.
#parts = #conv.schedule<kernel = #conv.warpgroup_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 32, stages = 3,
                        atom = <wgmma_3xtf32 64 x 64 x 8>, raster = columns>, channel_multiple = 4>
module attributes {conv.target = #conv.target<"sm_90a">} {
  func.func @too_short(%x: tensor<1x16x16x2xf32>, %w: tensor<64x5x5x2xf32>) -> tensor<1x12x12x64xf32> {
    // expected-error @below {{unsupported (schedule): expects f32 arithmetic and a reduction long enough for the bound of an f32 sum for #conv.atom<wgmma_3xtf32 64 x 64 x 8>, but got f32 and 50}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #parts
        : tensor<1x16x16x2xf32>, tensor<64x5x5x2xf32> -> tensor<1x12x12x64xf32>
    return %y : tensor<1x12x12x64xf32>
  }
}

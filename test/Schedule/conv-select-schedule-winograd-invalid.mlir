// RUN: conv-opt %s --split-input-file --verify-diagnostics --conv-select-schedule

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 4]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_strides(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x8xf32>) -> tensor<1x4x4x8xf32> {
    // expected-error @below {{unsupported (schedule): expects a window that moves by 1, without dilation, for winograd, but got strides [2, 2] and dilations [1, 1]}}
    %y = conv.forward %x, %w window = <strides = [2, 2], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32> -> tensor<1x4x4x8xf32>
    return %y : tensor<1x4x4x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 4]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_dilations(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x8xf32>) -> tensor<1x8x8x8xf32> {
    // expected-error @below {{unsupported (schedule): expects a window that moves by 1, without dilation, for winograd, but got strides [1, 1] and dilations [2, 2]}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [2, 2], low = [2, 2], high = [2, 2]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32> -> tensor<1x8x8x8xf32>
    return %y : tensor<1x8x8x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 4]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_groups(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x4xf32>) -> tensor<1x8x8x8xf32> {
    // expected-error @below {{unsupported (schedule): expects one group, and layouts without G, for winograd, but got 2 groups in NHWC}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> groups = 2 schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x3x3x4xf32> -> tensor<1x8x8x8xf32>
    return %y : tensor<1x8x8x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 4]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_padding(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x8xf32>) -> tensor<1x8x8x8xf32> {
    // expected-error @below {{unsupported (schedule): expects padding of zeros for winograd, but got reflect}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> padding = reflect schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32> -> tensor<1x8x8x8xf32>
    return %y : tensor<1x8x8x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 4]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_arithmetic(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x8xf32>) -> tensor<1x8x8x8xf32> {
    // expected-error @below {{unsupported (schedule): expects f32 arithmetic for winograd, but got tf32}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> arithmetic = tf32 schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32> -> tensor<1x8x8x8xf32>
    return %y : tensor<1x8x8x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 4]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_weight(%x: tensor<1x8x8x8xf32>, %w: tensor<1x5x5x8xf32>) -> tensor<8x6x6x8xf32> {
    // expected-error @below {{unsupported (schedule): expects output_tile and filter to make tiles of at most 8 elements in a dimension, but got 4 and 6}}
    %y = conv.backward_weight %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<1x5x5x8xf32> -> tensor<8x6x6x8xf32>
    return %y : tensor<8x6x6x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_rank(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x8xf32>) -> tensor<1x8x8x8xf32> {
    // expected-error @below {{unsupported (schedule): expects output_tile to have 2 sizes, but got [4]}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32> -> tensor<1x8x8x8xf32>
    return %y : tensor<1x8x8x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 7]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_size(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x8xf32>) -> tensor<1x8x8x8xf32> {
    // expected-error @below {{unsupported (schedule): expects output_tile and filter to make tiles of at most 8 elements in a dimension, but got 7 and 3}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32> -> tensor<1x8x8x8xf32>
    return %y : tensor<1x8x8x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [2, 2]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_window(%x: tensor<1x8x8x8xf32>, %w: tensor<8x1x1x8xf32>) -> tensor<1x8x8x8xf32> {
    // expected-error @below {{unsupported (schedule): expects a filter of several elements for winograd, but got [1, 1]}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x1x1x8xf32> -> tensor<1x8x8x8xf32>
    return %y : tensor<1x8x8x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 4, 4]>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s21_elements(%x: tensor<1x4x4x4x8xf32>, %w: tensor<8x3x3x3x8xf32>) -> tensor<1x4x4x4x8xf32> {
    // expected-error @below {{unsupported (schedule): expects tiles of at most 64 elements, but got 216}}
    %y = conv.forward %x, %w window = <strides = [1, 1, 1], dilations = [1, 1, 1], low = [1, 1, 1], high = [1, 1, 1]>
        layouts = <"NDHWC", "KTRSC", "NZPQK"> schedule = #winograd {} : tensor<1x4x4x4x8xf32>, tensor<8x3x3x3x8xf32> -> tensor<1x4x4x4x8xf32>
    return %y : tensor<1x4x4x4x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 4], merged_groups = 5>
// The other fields are about the products: a group for each element of a tile.
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s11_product(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x8xf32>) -> tensor<1x8x8x8xf32> {
    // expected-error @below {{unsupported (schedule): expects merged_groups to divide the 36 groups, but got 5}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32> -> tensor<1x8x8x8xf32>
    return %y : tensor<1x8x8x8xf32>
  }
}

// -----

#winograd = #conv.schedule<kernel = #conv.staged_gemm<workgroup = [64, 64], subgroup = [32, 32], gemm_k = 32, stages = 2,
    atom = <mfma 32 x 32 x 2>, main_loop = register_staged, raster = columns>, output_tile = [4, 4], layouts = <"NCHWG", "GKRSC", "NPQKG">>
module attributes {conv.target = #conv.target<"gfx942">} {
  func.func @s19_letters(%x: tensor<1x8x8x8xf32>, %w: tensor<8x3x3x8xf32>) -> tensor<1x8x8x8xf32> {
    // expected-error @below {{unsupported (schedule): expects layouts with the letters of "NHWC", but got "NCHWG"}}
    %y = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
        layouts = <"NHWC", "KRSC", "NPQK"> schedule = #winograd {} : tensor<1x8x8x8xf32>, tensor<8x3x3x8xf32> -> tensor<1x8x8x8xf32>
    return %y : tensor<1x8x8x8xf32>
  }
}

// Gaps between pixels, rows and images, and a filter whose innermost dimension is the first.

#window = #conv.window<strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
#layouts = #conv.layouts<"NHWC", "KRSC", "NPQK">

func.func @forward(%x: tensor<2x9x7x8xf16> {conv.name = "input", conv.strides = array<i64: 700, 70, 9, 1>},
                   %w: tensor<12x3x3x8xf16> {conv.name = "filter", conv.strides = array<i64: 1, 36, 12, 108>},
                   %bias: tensor<12xf16> {conv.name = "bias", conv.strides = array<i64: 3>},
                   %residual: tensor<2x9x7x12xf16> {conv.name = "residual", conv.strides = array<i64: 12, 24, 216, 1>})
    -> (tensor<2x9x7x12xf16> {conv.name = "output", conv.strides = array<i64: 2000, 200, 16, 1>}) {
  %y = conv.forward %x, %w window = #window layouts = #layouts
      epilogue(%bias : tensor<12xf16>, %residual : tensor<2x9x7x12xf16>) {
      ^bb0(%acc: f32, %b: f16, %r: f16):
        %b32 = arith.extf %b : f16 to f32
        %r32 = arith.extf %r : f16 to f32
        %s = arith.addf %acc, %b32 : f32
        %t = arith.addf %s, %r32 : f32
        %out = arith.truncf %t : f32 to f16
        conv.yield %out : f16
      } : tensor<2x9x7x8xf16>, tensor<12x3x3x8xf16> -> tensor<2x9x7x12xf16>
  return %y : tensor<2x9x7x12xf16>
}

func.func @backward_data(%dy: tensor<2x9x7x12xf16> {conv.name = "grad_output", conv.strides = array<i64: 2000, 200, 16, 1>},
                         %w: tensor<12x3x3x8xf16> {conv.name = "filter", conv.strides = array<i64: 1, 36, 12, 108>})
    -> (tensor<2x9x7x8xf16> {conv.name = "grad_input", conv.strides = array<i64: 700, 70, 9, 1>}) {
  %dx = conv.backward_data %dy, %w window = #window layouts = #layouts
      : tensor<2x9x7x12xf16>, tensor<12x3x3x8xf16> -> tensor<2x9x7x8xf16>
  return %dx : tensor<2x9x7x8xf16>
}

func.func @backward_weight(%x: tensor<2x9x7x8xf16> {conv.name = "input", conv.strides = array<i64: 700, 70, 9, 1>},
                           %dy: tensor<2x9x7x12xf16> {conv.name = "grad_output", conv.strides = array<i64: 2000, 200, 16, 1>})
    -> (tensor<12x3x3x8xf32> {conv.name = "grad_filter", conv.strides = array<i64: 1, 36, 12, 108>}) {
  %dw = conv.backward_weight %x, %dy window = #window layouts = #layouts
      : tensor<2x9x7x8xf16>, tensor<2x9x7x12xf16> -> tensor<12x3x3x8xf32>
  return %dw : tensor<12x3x3x8xf32>
}

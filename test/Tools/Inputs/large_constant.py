"""Prints a convolution whose filter is a constant of BYTES random bytes: large_constant.py BYTES."""

import random
import sys

channels = 8
filters = int(sys.argv[1]) // (3 * 3 * channels * 2)
digits = random.Random(0).randbytes(filters * 3 * 3 * channels * 2).hex()
filter_type = f"tensor<{filters}x3x3x{channels}xf16>"
print(f"""func.func @large(%x: tensor<1x4x4x{channels}xf16>) -> tensor<1x4x4x{filters}xf16> {{
  %w = arith.constant dense<"0x{digits}"> : {filter_type}
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>
      layouts = <"NHWC", "KRSC", "NPQK">
      : tensor<1x4x4x{channels}xf16>, {filter_type} -> tensor<1x4x4x{filters}xf16>
  return %y : tensor<1x4x4x{filters}xf16>
}}""")

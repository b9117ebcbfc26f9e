"""The numeric rule of docs/numerics.md, for arrays of NumPy and tensors of PyTorch."""

# Bits of the significand and the least exponent of a normal number.
_FORMATS = {"bf16": (8, -126), "f16": (11, -14), "f32": (24, -126), "tf32": (24, -126)}


def worst_error(xp, result, expected, products, dtype, bound):
    """The largest error, as a part of what is allowed: right if it is at most 1. `xp` is numpy or torch.

    `expected` is the float64 result on the stored operands, and `products` the sum of the absolute products.
    """
    digits, least = _FORMATS[dtype]
    exponent = xp.frexp(expected)[1] - 1
    exponent = xp.where(exponent < least, least, exponent)
    ulp = xp.ldexp(xp.ones_like(expected), exponent - (digits - 1))
    allowed = bound.output_ulp * ulp + bound.accumulation * 2.0**-24 * products
    error = abs(result - expected) / allowed
    # NaN is larger than everything.
    return float(xp.where(xp.isnan(error), float("inf"), error).max())

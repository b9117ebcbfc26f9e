"""The numeric rule of docs/numerics.md, for arrays of NumPy and tensors of PyTorch."""

# Bits of the significand and the least exponent of a normal number.
_FORMATS = {"bf16": (8, -126), "f16": (11, -14), "f32": (24, -126), "tf32": (24, -126)}


def worst_error(xp, result, expected, products, added, dtype, bound):
    """The largest error, as a part of what is allowed: right if it is at most 1. `xp` is numpy or torch.

    `expected` is the float64 result on the stored operands, `products` the sum of the absolute products, and `added`
    that of the absolute operands of the tail. Sums of integers have no error.
    """
    if dtype not in _FORMATS:
        return 0.0 if bool((result == expected).all()) else float("inf")
    digits, least = _FORMATS[dtype]
    exponent = xp.frexp(expected)[1] - 1
    exponent = xp.where(exponent < least, least, exponent)
    ulp = xp.ldexp(xp.ones_like(expected), exponent - (digits - 1))
    in_f32 = bound.accumulation * products + bound.operands * added + bound.constant
    allowed = bound.output_ulp * ulp + 2.0**-24 * in_f32
    error = abs(result - expected) / allowed
    # NaN is larger than everything.
    return float(xp.where(xp.isnan(error), float("inf"), error).max())

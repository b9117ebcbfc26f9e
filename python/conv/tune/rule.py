# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numeric rule of docs/numerics.md, for arrays of NumPy and tensors of PyTorch."""

from __future__ import annotations

import typing

from .._manifest import ErrorBound

# Bits of the significand and the least exponent of a normal number.
_FORMATS = {"bf16": (8, -126), "f16": (11, -14), "f32": (24, -126), "tf32": (24, -126)}


def worst_error(
    xp: typing.Any,
    result: typing.Any,
    expected: typing.Any,
    products: typing.Any,
    added: typing.Any,
    dtype: str,
    bound: ErrorBound,
) -> float:
    """The largest error as a share of the allowed one: correct if it is at most 1. `xp` is numpy or torch.

    `expected` is the float64 result on the stored operands, `products` the sum of the absolute products, `added` the sum of
    the absolute operands of the epilogue, and `dtype` the type of the result. Sums of integers have no error. What transforms of
    operands add up is not known here, and the products count in its place: the rule is wider where transforms cancel, and narrower
    elsewhere (docs/artifact.md).
    """
    if dtype not in _FORMATS:
        return 0.0 if bool((result == expected).all()) else float("inf")
    digits, least = _FORMATS[dtype]
    exponent = xp.frexp(expected)[1] - 1
    exponent = xp.where(exponent < least, least, exponent)
    ulp = xp.ldexp(xp.ones_like(expected), exponent - (digits - 1))
    allowed = bound.output_ulp * ulp + 2.0**-24 * (
        (bound.accumulation + bound.transforms) * products + bound.operands * added + bound.constant
    )
    error = abs(result - expected) / allowed
    # NaN counts as larger than everything.
    return float(xp.where(xp.isnan(error), float("inf"), error).max())

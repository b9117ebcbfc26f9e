# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions that mix neighbouring tokens of a sequence: dynamic ones, and causal ones with fixed filters."""

from __future__ import annotations

import typing

import torch

from .._dynamic import ORDERS
from . import _dynamic
from .functional import _autocast

_ACTIVATIONS = {None: "", "silu": "silu", "swish": "silu"}


def _activation(name: typing.Optional[str]) -> str:
    """The compiler's name of an activation."""
    try:
        return _ACTIVATIONS[name]
    except KeyError:
        raise NotImplementedError(f"expects activation None, 'silu' or 'swish', but got {name!r}") from None


def dynamic_conv(
    x: torch.Tensor, kernel: torch.Tensor, *, order: str = "BTGW", activation: typing.Optional[str] = None
) -> torch.Tensor:
    """A causal convolution of sequences with a kernel of W taps for each token and channel, or group of channels.

    `y[b, t, d] = activation(sum over w of kernel[b, t, d // (D / G), w] * x[b, t + w - (W - 1), d])`, where elements
    before a sequence are zero: the last tap is the token itself. Sums are in f32, and rounded once.

    Args:
        x: (B, T, D), of float32, float16 or bfloat16.
        kernel: (B, T, G, W) for order "BTGW", (B, T, W, G) for "BTWG", of the type of x. G divides D; G = D gives each
            channel its own kernel. "BTWG" is the order that memory likes better; a transposed view of either is taken as
            it is.
        order: "BTGW" or "BTWG".
        activation: None, "silu" or "swish", in the same kernel; so is its gradient.

    Returns:
        (B, T, D), contiguous. It can be differentiated, compiled, exported and batched. Operands that are not contiguous
        are copied first. Each shape is compiled once; what the compiler refuses (more than 64 taps, float64, ...) runs as
        a composition of PyTorch's operators, and `conv.torch.report` says so.

    Raises:
        ValueError: shapes, types or devices do not fit.

    Example:
        >>> x, kernel = torch.ones(1, 5, 8), torch.ones(1, 5, 8, 3)
        >>> dynamic_conv(x, kernel)[0, :, 0]
        tensor([1., 2., 3., 3., 3.])
    """
    if order not in ORDERS:
        raise ValueError(f"order: expects 'BTGW' or 'BTWG', but got {order!r}")
    x, kernel = _autocast(x, kernel)
    if x.dim() != 3 or kernel.dim() != 4:
        raise ValueError(
            f"expects x (B, T, D) and kernel ({', '.join(order)}), but got {tuple(x.shape)} and {tuple(kernel.shape)}"
        )
    if x.dtype != kernel.dtype or x.device != kernel.device or not x.is_floating_point():
        raise ValueError(
            f"expects x and kernel of one floating type on one device, but got {x.dtype} on {x.device} and "
            f"{kernel.dtype} on {kernel.device}"
        )
    groups, taps = (kernel.shape[order.index(letter)] for letter in "GW")
    if kernel.shape[:2] != x.shape[:2]:
        raise ValueError(
            f"expects kernel to have B and T of x, {tuple(x.shape[:2])}, but got {tuple(kernel.shape[:2])}"
        )
    if groups < 1 or taps < 1 or x.shape[2] % groups:
        raise ValueError(
            f"expects kernel of one or more taps, for groups that divide the {x.shape[2]} channels of x, but got {taps} "
            f"taps for {groups} groups"
        )
    return _dynamic.dynamic_conv(x, kernel, order, _activation(activation))

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many operations `torch.utils.flop_counter.FlopCounterMode` counts for the operators: those of their products and sums, as
for PyTorch's convolutions."""

from __future__ import annotations

import torch
from torch.utils.flop_counter import conv_backward_flop, conv_flop, register_flop_formula

from . import _causal, _causal_update, _dynamic, _fused  # noqa: F401 - They define the operators.

_OPS = torch.ops.conv


@register_flop_formula(_OPS.convolution, get_raw=True)
def _convolution(input, weight, bias, stride, low, high, dilation, transposed, *_, out_val, **__) -> int:  # noqa: A002
    return conv_flop(input, weight, bias, stride, low, dilation, transposed, out_val=out_val)


@register_flop_formula(_OPS.fused_convolution, get_raw=True)
def _fused_convolution(*arguments, out_val) -> int:
    return _convolution(*_fused.arguments(*arguments), out_val=out_val)


@register_flop_formula(_OPS.convolution_backward, get_raw=True)
def _convolution_backward(
    grad, input, weight, stride, low, high, dilation, transposed, output_padding, groups, mode, mask, *_, out_val, **__
) -> int:  # noqa: A002
    window = None, stride, low, dilation, transposed, output_padding, groups, mask
    return conv_backward_flop(grad, input, weight, *window, out_val=out_val)


def _products(tokens: torch.Tensor, taps: int, results: int = 1) -> int:
    """Of one product and one sum for each channel of a token and each tap, for each of the results."""
    return 2 * tokens.numel() * taps * results


@register_flop_formula(_OPS.causal_conv1d, get_raw=True)
def _causal_conv1d(x, weight, *_, out_val, **__) -> int:
    return _products(x, weight.shape[1])


@register_flop_formula(_OPS.causal_conv1d_update, get_raw=True)
def _causal_conv1d_update(x, conv_state, weight, *_, out_val) -> int:
    return _products(x, weight.shape[1])


@register_flop_formula(_OPS.causal_conv1d_backward, get_raw=True)
def _causal_conv1d_backward(grad, x, weight, *rest, out_val) -> int:
    return _products(x, weight.shape[1], sum(rest[-1][:2]))


def _taps(kernel: torch.Tensor, order: str) -> int:
    return kernel.shape[order.index("W")]


@register_flop_formula(_OPS.dynamic_conv, get_raw=True)
def _dynamic_conv(input, kernel, order, *_, out_val, **__) -> int:  # noqa: A002
    return _products(input, _taps(kernel, order))


@register_flop_formula(_OPS.dynamic_conv_backward, get_raw=True)
def _dynamic_conv_backward(grad, input, kernel, order, *rest, out_val) -> int:  # noqa: A002
    return _products(input, _taps(kernel, order), sum(rest[-1][:2]))

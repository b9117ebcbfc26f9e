# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of causal convolutions: each is one step of them, or PyTorch's way to compute that step."""

from __future__ import annotations

import typing

import torch
import torch.nn.functional as F

from .._causal import ActivationGradient
from . import _calls, _choices, _operators, _reference
from ._geometry import DATA, DTYPES, FORWARD, WEIGHT, Epilogue, OptionalTensor, Window, arrange


def do_channels_follow(x: torch.Tensor) -> bool:
    """Whether sequences (B, D, T) are channels-last in memory, without gaps."""
    return x.transpose(1, 2).is_contiguous() and not x.is_contiguous()


def empty_like(x: torch.Tensor) -> torch.Tensor:
    """Sequences (B, D, T) without values: channels-last in memory if x is, otherwise contiguous."""
    if do_channels_follow(x):
        return x.new_empty(x.transpose(1, 2).shape).transpose(1, 2)
    return x.new_empty(x.shape)


def in_order(tensor: torch.Tensor, order: str) -> torch.Tensor:
    """The tensor, or a copy, with the memory order "NCW" or "NWC"."""
    return tensor.transpose(1, 2).contiguous().transpose(1, 2) if order == "NWC" else tensor.contiguous()


def _window(channels: int, low: int, high: int) -> Window:
    return Window((1,), (low,), (high,), (1,), channels)


def _pytorch(x: torch.Tensor, weight: torch.Tensor, bias: OptionalTensor, low: int) -> torch.Tensor:
    count = low + x.shape[2] - weight.shape[2] + 1
    bias = None if bias is None else bias.to(x.dtype)
    return F.conv1d(x, weight, bias, padding=low, groups=x.shape[1])[:, :, :count]


def convolve(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: OptionalTensor,
    low: int,
    activation: str,
    result: torch.Tensor,
    key: typing.Optional[tuple] = None,
) -> torch.Tensor:
    """Convolves sequences (B, D, T), after `low` zeros, with filters (D, 1, W)."""

    def theirs() -> torch.Tensor:
        total = _pytorch(x, weight, bias, low)
        return F.silu(total) if activation else total

    epilogue = Epilogue(_operators.dtype_of(bias), False, activation)
    window = _window(x.shape[1], low, 0)
    return _operators.run(
        *(FORWARD, x, weight, result, window, _calls.promising(result, theirs), epilogue, bias), key=key, doubtful=True
    )


def gradient(
    direction: str,
    lhs: torch.Tensor,
    rhs: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    padding: typing.Tuple[int, int],
    result: torch.Tensor,
) -> torch.Tensor:
    """The gradient of sequences or filters. `x` and `weight` give the shapes of both, and the values of the known one."""
    window = _window(weight.shape[0], *padding)
    grad = lhs if direction == DATA else rhs

    def theirs() -> torch.Tensor:
        mask = [direction == DATA, direction == WEIGHT]
        return _reference.gradients(grad, x, weight, window, False, (0,), mask)[mask.index(True)]

    return _operators.run(direction, lhs, rhs, result, window, _calls.promising(result, theirs), doubtful=True)


def activation_gradient(
    x: torch.Tensor, weight: torch.Tensor, bias: OptionalTensor, grad_output: torch.Tensor, low: int
) -> torch.Tensor:
    """The gradient of the sum in front of a silu: dense, in the memory order of x."""
    given = [tensor for tensor in (x, weight, bias, grad_output) if tensor is not None]
    x, order = arrange(x)
    operands = [x, weight.contiguous(), *([] if bias is None else [bias.contiguous()]), in_order(grad_output, order)]
    result = torch.empty_like(operands[-1])

    def theirs() -> torch.Tensor:
        return torch.ops.aten.silu_backward(grad_output, _pytorch(x, weight, bias, low))

    dtypes = DTYPES[x.dtype], _operators.dtype_of(bias)

    def choose() -> _choices.Choice:
        batch, channels, size = x.shape
        problem = ActivationGradient(batch, channels, size, weight.shape[2], low, order, *dtypes)
        return _choices.choose(problem, x.device)

    choice = _calls.find((ActivationGradient, x.shape, weight.shape, low, order, *dtypes, x.device), choose)
    return _calls.start(choice, given, operands, result, _calls.promising(result, theirs), doubtful=True)

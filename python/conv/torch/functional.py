# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions of convolution, with its signatures, rules and errors."""

from __future__ import annotations

import typing

import torch
import torch.nn.functional as F

from . import _operators
from ._reference import ACTIVATIONS

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
]

Optional = typing.Optional[torch.Tensor]
Sizes = typing.Union[int, typing.Sequence[int]]


def _sizes(value: Sizes, rank: int) -> typing.Optional[typing.Tuple[int, ...]]:
    """A number for each spatial dimension; None for what PyTorch would not take."""
    if isinstance(value, (int, torch.SymInt)):
        return (value,) * rank
    values = tuple(value)
    return values * rank if len(values) == 1 else values if len(values) == rank else None


def _cast(tensor: Optional, dtype: torch.dtype) -> Optional:
    eligible = tensor is not None and tensor.is_floating_point() and tensor.dtype != torch.float64
    return tensor.to(dtype) if eligible else tensor


def _autocast(*tensors: Optional) -> typing.Tuple[Optional, ...]:
    if not torch._C._is_any_autocast_enabled():
        return tensors
    kind = tensors[0].device.type
    if kind == "meta" or not torch.is_autocast_enabled(kind):
        return tensors
    dtype = torch.get_autocast_dtype(kind)
    return tuple(_cast(tensor, dtype) for tensor in tensors)


def _is_plain(
    input: torch.Tensor, weight: torch.Tensor, bias: Optional, rank: int, transposed: bool, groups: int
) -> bool:  # noqa: A002
    """Whether these are operands of a convolution as PyTorch has it; what else there is, it answers itself."""
    if not (isinstance(input, torch.Tensor) and isinstance(weight, torch.Tensor)):
        return False
    device, taps = input.device, weight.shape
    if (
        len(taps) != rank + 2
        or input.dim() != rank + 2
        or input.dtype != weight.dtype
        or device != weight.device
        or input.layout != torch.strided
        or weight.layout != torch.strided
    ):
        return False
    if device.type not in ("cpu", "cuda", "meta") or not isinstance(groups, int) or groups < 1:
        return False
    channels, results = (taps[0], taps[1] * groups) if transposed else (taps[1] * groups, taps[0])
    if input.shape[1] != channels or taps[0] % groups:
        return False
    return bias is None or (bias.dim() == 1 and bias.shape[0] == results and bias.dtype == input.dtype)


def _same(padding: str, weight: torch.Tensor, dilation: typing.Tuple[int, ...]):
    """Padding before and after the image for "valid" and "same"."""
    total = [d * (taps - 1) if padding == "same" else 0 for taps, d in zip(weight.shape[2:], dilation)]
    low = tuple(size // 2 for size in total)
    return low, tuple(size - before for size, before in zip(total, low))


def _forward(
    rank: int, fallback, input, weight, bias, stride, padding, dilation, groups, padding_mode="zeros"
):  # noqa: A002
    input, weight, bias = _autocast(input, weight, bias)
    if isinstance(input, torch.Tensor) and input.dim() == rank + 1:
        result = _forward(
            rank, fallback, input.unsqueeze(0), weight, bias, stride, padding, dilation, groups, padding_mode
        )
        return result.squeeze(0)
    strides, dilations = _sizes(stride, rank), _sizes(dilation, rank)
    if not strides or not dilations or not _is_plain(input, weight, bias, rank, False, groups):
        return fallback(input, weight, bias, stride, padding, dilation, groups)
    if isinstance(padding, str):
        is_known = padding == "valid" or (padding == "same" and all(step == 1 for step in strides))
        low, high = _same(padding, weight, dilations) if is_known else (None, None)
    else:
        low = high = _sizes(padding, rank)
    if low is None or min((*low, *strides, *dilations)) < 0 or min((*strides, *dilations)) < 1:
        return fallback(input, weight, bias, stride, padding, dilation, groups)
    return _operators.convolution(
        input, weight, bias, strides, low, high, dilations, False, (0,) * rank, groups, padding_mode
    )


def _transpose(
    rank: int, fallback, input, weight, bias, stride, padding, output_padding, groups, dilation
):  # noqa: A002
    input, weight, bias = _autocast(input, weight, bias)
    if isinstance(input, torch.Tensor) and input.dim() == rank + 1:
        result = _transpose(
            rank, fallback, input.unsqueeze(0), weight, bias, stride, padding, output_padding, groups, dilation
        )
        return result.squeeze(0)
    strides, pads, dilations, more = (_sizes(value, rank) for value in (stride, padding, dilation, output_padding))
    is_plain = _is_plain(input, weight, bias, rank, True, groups)
    if (
        not (is_plain and strides and pads and dilations and more)
        or min((*pads, *more)) < 0
        or min((*strides, *dilations)) < 1
    ):
        return fallback(input, weight, bias, stride, padding, output_padding, groups, dilation)
    if any(extra >= max(step, d) for extra, step, d in zip(more, strides, dilations)):
        return fallback(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return _operators.convolution(input, weight, bias, strides, pads, pads, dilations, True, more, groups)


def conv1d(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: Optional = None,
    stride: Sizes = 1,
    padding: typing.Union[Sizes, str] = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> torch.Tensor:
    """As `torch.nn.functional.conv1d`."""
    return _forward(1, F.conv1d, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: Optional = None,
    stride: Sizes = 1,
    padding: typing.Union[Sizes, str] = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> torch.Tensor:
    """As `torch.nn.functional.conv2d`."""
    return _forward(2, F.conv2d, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: Optional = None,
    stride: Sizes = 1,
    padding: typing.Union[Sizes, str] = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> torch.Tensor:
    """As `torch.nn.functional.conv3d`."""
    return _forward(3, F.conv3d, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: Optional = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> torch.Tensor:
    """As `torch.nn.functional.conv_transpose1d`."""
    return _transpose(1, F.conv_transpose1d, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: Optional = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> torch.Tensor:
    """As `torch.nn.functional.conv_transpose2d`."""
    return _transpose(2, F.conv_transpose2d, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: Optional = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> torch.Tensor:
    """As `torch.nn.functional.conv_transpose3d`."""
    return _transpose(3, F.conv_transpose3d, input, weight, bias, stride, padding, output_padding, groups, dilation)


def convolution(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: Optional = None,
    residual: Optional = None,
    activation: str = "",
    *,
    alpha: float = 0.01,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
) -> torch.Tensor:
    """`activation(convolution + bias + residual)` in one kernel, for inference.

    Args:
        input: (N, C, ...) with one to three spatial dimensions.
        weight: (K, C / groups, ...).
        bias: (K).
        residual: as the result.
        activation: "relu", "relu6", "leaky_relu" (of slope `alpha`), "sigmoid", "silu", "gelu", "gelu_tanh", "tanh",
            "hardswish", "hardsigmoid", "elu" or "mish"; none if empty.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
    """
    if activation and activation not in ACTIVATIONS:
        raise ValueError(f"expects activation {', '.join(ACTIVATIONS)}, but got '{activation}'")
    rank = input.dim() - 2
    strides, pads, dilations = (_sizes(value, rank) for value in (stride, padding, dilation))
    if not _is_plain(input, weight, bias, rank, False, groups) or not (strides and pads and dilations):
        raise ValueError(
            f"expects images (N, C, ...) and filters (K, C / groups, ...) of one type, but got {tuple(input.shape)} "
            f"{input.dtype} and {tuple(weight.shape)} {weight.dtype} with {groups} groups"
        )
    return _operators.convolution(
        input,
        weight,
        bias,
        strides,
        pads,
        pads,
        dilations,
        False,
        (0,) * rank,
        groups,
        padding_mode,
        residual,
        activation,
        alpha,
    )

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own way to compute the operators: for calls without a kernel, and for gradients of gradients."""

from __future__ import annotations

import typing

import torch
import torch.nn.functional as F

from ._geometry import Window

_MODES = {"reflect": "reflect", "replicate": "replicate", "circular": "circular", "zeros": "constant"}

#: By the names of `conv-gen --activation`.
ACTIVATIONS: typing.Dict[str, typing.Callable[[torch.Tensor, float], torch.Tensor]] = {
    "relu": lambda x, _: F.relu(x),
    "relu6": lambda x, _: F.relu6(x),
    "leaky_relu": F.leaky_relu,
    "sigmoid": lambda x, _: torch.sigmoid(x),
    "silu": lambda x, _: F.silu(x),
    "gelu": lambda x, _: F.gelu(x),
    "gelu_tanh": lambda x, _: F.gelu(x, approximate="tanh"),
    "tanh": lambda x, _: torch.tanh(x),
    "hardswish": lambda x, _: F.hardswish(x),
    "hardsigmoid": lambda x, _: F.hardsigmoid(x),
    "elu": F.elu,
    "mish": lambda x, _: F.mish(x),
}


def pad(image: torch.Tensor, window: Window) -> typing.Tuple[torch.Tensor, typing.Tuple[int, ...]]:
    """The image with the padding that `aten.convolution` cannot express, and the padding that it can."""
    if window.padding_mode == "zeros" and window.low == window.high:
        return image, window.low
    return F.pad(image, _pad_sizes(window), mode=_MODES[window.padding_mode]), (0,) * len(window.low)


def _pad_sizes(window: Window) -> typing.List[int]:
    """In F.pad's order, the last dimension first."""
    return [size for pair in zip(reversed(window.low), reversed(window.high)) for size in pair]


def _pad_gradient(grad: torch.Tensor, image: torch.Tensor, window: Window) -> torch.Tensor:
    """The gradient of the image from the gradient of the padded image, by operators that need no graph of gradients: there is
    none below a dispatch mode."""
    mode, sizes = _MODES[window.padding_mode], _pad_sizes(window)
    if mode == "constant":
        return F.pad(grad, [-size for size in sizes])
    if mode != "circular":
        kind = {"reflect": "reflection", "replicate": "replication"}[mode]
        return getattr(torch.ops.aten, f"{kind}_pad{len(window.low)}d_backward")(grad, image, sizes)
    for dim, (low, high) in enumerate(zip(window.low, window.high), 2):
        size, after = image.shape[dim], (0, 0) * (grad.dim() - dim - 1)
        own = grad.narrow(dim, low, size)
        from_high = F.pad(grad.narrow(dim, low + size, high), (*after, 0, size - high))
        from_low = F.pad(grad.narrow(dim, 0, low), (*after, size - low, 0))
        grad = own + from_high + from_low
    return grad


def _complex(image, weight, bias, padding, window, output_padding):
    """By PyTorch's functions, which compute several convolutions of real numbers; its operator knows no complex ones. An
    `output_padding` is that of a transposed one."""
    rank = image.dim() - 2
    if output_padding is None:
        sizes = window.stride, padding, window.dilation, window.groups
        return getattr(torch, f"conv{rank}d")(image, weight, bias, *sizes)
    sizes = window.stride, padding, output_padding, window.groups, window.dilation
    return getattr(torch, f"conv_transpose{rank}d")(image, weight, bias, *sizes)


def convolution(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: typing.Optional[torch.Tensor],
    window: Window,
    transposed: bool,
    output_padding: typing.Sequence[int],
    residual: typing.Optional[torch.Tensor] = None,
    activation: str = "",
    alpha: float = 0.01,
) -> torch.Tensor:
    image, padding = (input, window.low) if transposed else pad(input, window)
    bias = bias if bias is None else bias.to(input.dtype)  # A folded batch norm's is f32.
    if image.is_complex():
        result = _complex(image, weight, bias, padding, window, output_padding if transposed else None)
    else:
        result = torch.ops.aten.convolution(
            image, weight, bias, window.stride, padding, window.dilation, transposed, output_padding, window.groups
        )
    if residual is not None:
        result = result + residual
    return ACTIVATIONS[activation](result, alpha) if activation else result


def gradients(
    grad_output: torch.Tensor,
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    window: Window,
    transposed: bool,
    output_padding: typing.Sequence[int],
    mask: typing.Sequence[bool],
) -> typing.Tuple[typing.Optional[torch.Tensor], typing.Optional[torch.Tensor]]:
    """The gradients of input and weight, which can be differentiated again."""
    image, padding = (input, window.low) if transposed else pad(input, window)
    grad_image, grad_weight, _ = torch.ops.aten.convolution_backward(
        grad_output,
        image,
        weight,
        None,
        window.stride,
        padding,
        window.dilation,
        transposed,
        output_padding,
        window.groups,
        [mask[0], mask[1], False],
    )
    if mask[0] and image is not input:
        grad_image = _pad_gradient(grad_image, input, window)
    return grad_image, grad_weight

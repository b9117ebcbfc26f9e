# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A convolution of tensors in PyTorch's terms, and the compiler's problem for it.

An image is (N, C, ...), a filter (K, C / groups, ...) and an output (N, K, ...), whatever their order in memory. Each
direction takes two of them and computes the third; a transposed convolution takes an output and computes an image.
"""

from __future__ import annotations

import numbers
import typing

import torch

from .._problem import Problem

OptionalTensor = typing.Optional[torch.Tensor]

FORWARD, DATA, WEIGHT = "forward", "backward_data", "backward_weight"

#: The order of each direction's operands and its result.
ROLES = {
    FORWARD: ("image", "filter", "output"),
    DATA: ("output", "filter", "image"),
    WEIGHT: ("image", "output", "filter"),
}

DTYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
_CHANNELS_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}
_ORDERS = {  # Channels first and last, by rank.
    3: ("NCW", "NWC"),
    4: ("NCHW", "NHWC"),
    5: ("NCDHW", "NDHWC"),
}


class Window(typing.NamedTuple):
    """How a filter moves over an image; a number for each spatial dimension."""

    stride: typing.Tuple[int, ...]
    low: typing.Tuple[int, ...]
    high: typing.Tuple[int, ...]
    dilation: typing.Tuple[int, ...]
    groups: int = 1
    padding_mode: str = "zeros"

    def output_size(self, image: typing.Sequence[int], filter: typing.Sequence[int]) -> typing.List[int]:  # noqa: A002
        return [
            (size + low + high - dilation * (taps - 1) - 1) // stride + 1
            for size, taps, stride, low, high, dilation in zip(
                image, filter, self.stride, self.low, self.high, self.dilation
            )
        ]

    def image_size(
        self,
        output: typing.Sequence[int],
        filter: typing.Sequence[int],  # noqa: A002
        output_padding: typing.Sequence[int],
    ) -> typing.List[int]:
        """The size of a transposed convolution's result."""
        return [
            (size - 1) * stride - low - high + dilation * (taps - 1) + 1 + more
            for size, taps, stride, low, high, dilation, more in zip(
                output, filter, self.stride, self.low, self.high, self.dilation, output_padding
            )
        ]

    def fitted(
        self, image: typing.Sequence[int], filter: typing.Sequence[int], output: typing.Sequence[int]
    ) -> Window:  # noqa: A002
        """Reduces the padding after the image where the output has fewer positions than would fit."""
        unused = [
            (size + low + high - dilation * (taps - 1) - 1) - (count - 1) * stride
            for size, taps, count, stride, low, high, dilation in zip(
                image, filter, output, self.stride, self.low, self.high, self.dilation
            )
        ]
        high = tuple(h - max(0, u - s + 1) for h, u, s in zip(self.high, unused, self.stride))
        return self._replace(high=high)


class Epilogue(typing.NamedTuple):
    """The epilogue, in this order. `bias` is the type of its elements; empty: none."""

    bias: str = ""
    residual: bool = False
    activation: str = ""
    alpha: float = 0.01


def is_channels_last(tensor: torch.Tensor) -> bool:
    """Whether PyTorch would make the result of a convolution with this operand channels-last: `suggest_memory_format` of its
    C++ tensors, which looks at the strides, also of dimensions of size 1, and allows gaps."""
    memory_format = _CHANNELS_LAST.get(tensor.dim())
    if memory_format is None or (
        tensor.is_contiguous() and not tensor.is_contiguous(memory_format=memory_format)
    ):
        return False
    shape, strides = tensor.shape, tensor.stride()
    least = strides[1]
    if least == 0:
        return False
    least *= max(shape[1], 1)
    for dimension in (*range(tensor.dim() - 1, 1, -1), 0):
        if shape[dimension] == 0 or strides[dimension] < least:
            return False
        if dimension == 0 and least == strides[1]:
            return False  # All other dimensions have size 1.
        least = strides[dimension] * shape[dimension]
    return True


def memory_format_of(*operands: torch.Tensor) -> torch.memory_format:
    """PyTorch's rule for results: channels-last if an operand is channels-last."""
    if any(map(is_channels_last, operands)):
        return _CHANNELS_LAST[operands[0].dim()]
    return torch.contiguous_format


def order_of(tensor: torch.Tensor) -> typing.Optional[str]:
    """The order of the dimensions in memory; None if the tensor has gaps or another order.

    A tensor of one channel, or of one position, has both orders: channels-last has the faster kernels.
    """
    first, last = _ORDERS[tensor.dim()]
    memory_format = _CHANNELS_LAST.get(tensor.dim())
    if memory_format is not None:
        if tensor.is_contiguous(memory_format=memory_format):
            return last
    elif tensor.transpose(1, 2).is_contiguous():
        return last
    return first if tensor.is_contiguous() else None


def arrange(tensor: torch.Tensor) -> typing.Tuple[torch.Tensor, str]:
    """The tensor, or a dense copy of it, and its memory order."""
    order = order_of(tensor)
    if order is None:
        tensor = tensor.contiguous(memory_format=memory_format_of(tensor))
        order = order_of(tensor)
    return tensor, order


def check_max_error(max_error: object) -> None:
    if not isinstance(max_error, numbers.Real) or not 0 <= max_error < float("inf"):
        raise ValueError(f"expects max_error to be finite and 0 or more, but got {max_error!r}")


def describe(
    direction: str,
    dtype: torch.dtype,
    result_dtype: torch.dtype,
    shapes: typing.Sequence[torch.Size],
    orders: typing.Sequence[str],
    window: Window,
    epilogue: Epilogue,
    tf32: bool,
    max_error: float,
) -> Problem:
    """The problem of two operands and a result; `shapes` and `orders` are those of the operands, then of the result."""
    check_max_error(max_error)
    shape = dict(zip(ROLES[direction], shapes))
    order = dict(zip(ROLES[direction], orders))
    image, taps, output = shape["image"], shape["filter"], shape["output"]
    window = window.fitted(image[2:], taps[2:], output[2:])
    problem = Problem(
        direction=direction,
        dtype=DTYPES[dtype],
        result_dtype=DTYPES[result_dtype],
        n=image[0],
        c=image[1],
        k=taps[0],
        groups=window.groups,
        input=tuple(image[2:]),
        filter=tuple(taps[2:]),
        stride=window.stride,
        dilation=window.dilation,
        low=window.low,
        high=window.high,
        padding_mode=window.padding_mode,
        input_layout=order["image"],
        filter_layout=order["filter"],
        output_layout=order["output"],
        bias=bool(epilogue.bias),
        bias_dtype=epilogue.bias,
        residual=epilogue.residual,
        activation=epilogue.activation,
        activation_alpha=epilogue.alpha,
        tf32=tf32,
        max_error=float(max_error),  # Names of functions have it, and torch.export makes it one.
    )
    return problem

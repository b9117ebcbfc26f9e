# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators `torch.ops.conv`, which functions, modules and optimised graphs call.

They are PyTorch operators like its own: `torch.compile` and `torch.export` trace through them, and autograd and vmap support
them. They compute the sum of products in f32, the epilogue in f32, and round once.
"""

from __future__ import annotations

import typing

import torch

from .._problem import Problem
from . import _calls, _choices, _reference
from ._calls import library
from ._geometry import (
    DATA,
    DTYPES,
    FORWARD,
    Epilogue,
    OptionalTensor,
    Window,
    arrange,
    describe,
    memory_format_of,
    order_of,
)

WINDOW = "int[] stride, int[] low, int[] high, int[] dilation, bool transposed, int[] output_padding, int groups"
library.define(
    f"convolution(Tensor input, Tensor weight, Tensor? bias, {WINDOW}, str padding_mode='zeros', "
    "Tensor? residual=None, str activation='', float alpha=0.01, float max_error=0.0) -> Tensor"
)


def _allows_tf32(tensor: torch.Tensor) -> bool:
    return tensor.dtype == torch.float32 and tensor.is_cuda and torch._C._get_cudnn_allow_tf32()


_OUTPUT_PADDING = "expects the output padding of a transposed convolution to be below its stride or its padding"


def dtype_of(bias: OptionalTensor) -> str:
    return "" if bias is None else DTYPES.get(bias.dtype, "f32")


def _find(
    direction: str,
    operands: typing.Sequence[torch.Tensor],
    orders: typing.Sequence[str],
    result: torch.Tensor,
    result_order: str,
    window: Window,
    epilogue: Epilogue,
    max_error: float,
) -> _choices.Choice:
    lhs, rhs = operands[:2]
    tf32 = _allows_tf32(lhs)
    key = (
        direction,
        lhs.dtype,
        lhs.shape,
        rhs.shape,
        result.shape,
        result.dtype,
        *orders,
        result_order,
        window,
        epilogue,
        tf32,
        max_error,
        lhs.device,
    )

    def choose() -> _choices.Choice:
        shapes, all_orders = (lhs.shape, rhs.shape, result.shape), (*orders, result_order)
        problem = describe(direction, lhs.dtype, result.dtype, shapes, all_orders, window, epilogue, tf32, max_error)
        if min(problem.high) < 0:
            line = _calls.report_line(direction, lhs, rhs)
            return _choices.leave(line, lhs.device, "output-padding", _OUTPUT_PADDING)
        return _choices.choose(problem, lhs.device)

    return _calls.find(key, choose)


def run(
    direction: str,
    lhs: torch.Tensor,
    rhs: torch.Tensor,
    result: torch.Tensor,
    window: Window,
    theirs: typing.Callable[[], torch.Tensor],
    epilogue: Epilogue = Epilogue(),
    bias: OptionalTensor = None,
    residual: OptionalTensor = None,
    key: typing.Optional[tuple] = None,
    max_error: float = 0.0,
    doubtful: bool = False,
) -> torch.Tensor:
    """Fills `result`, which is dense, or returns the result of `theirs`. With a `key`, later calls may take a shortcut."""
    factors = [tensor for tensor in (lhs, rhs, residual) if tensor is not None]
    refused = _calls.refuse(factors, [] if bias is None else [bias])
    if not refused and bias is not None and bias.dtype not in DTYPES:
        refused = "element-type", f"expects a bias of float32, float16 or bfloat16, but got {bias.dtype}"
    if refused:
        choice = _choices.leave(_calls.report_line(direction, lhs, rhs), lhs.device, *refused)
        choice.calls += 1
        _calls.leave(key, choice)
        return theirs()
    given = [tensor for tensor in (lhs, rhs, bias, residual) if tensor is not None]
    (lhs, lhs_order), (rhs, rhs_order) = arrange(lhs), arrange(rhs)
    result_order = order_of(result)
    operands = [lhs, rhs]
    if bias is not None:
        operands.append(bias.contiguous())
    if residual is not None:
        operands.append(residual if residual.stride() == result.stride() else torch.empty_like(result).copy_(residual))
    choice = _find(direction, operands, (lhs_order, rhs_order), result, result_order, window, epilogue, max_error)
    return _calls.start(choice, given, operands, result, theirs, key, doubtful)


def make_window(stride, low, high, dilation, groups, padding_mode) -> Window:
    return Window(tuple(stride), tuple(low), tuple(high), tuple(dilation), groups, padding_mode)


class CallArguments(typing.NamedTuple):
    """The arguments of `conv::convolution`, as in its schema."""

    input: torch.Tensor
    weight: torch.Tensor
    bias: OptionalTensor
    stride: typing.Sequence[int]
    low: typing.Sequence[int]
    high: typing.Sequence[int]
    dilation: typing.Sequence[int]
    transposed: bool
    output_padding: typing.Sequence[int]
    groups: int
    padding_mode: str = "zeros"
    residual: OptionalTensor = None
    activation: str = ""
    alpha: float = 0.01
    max_error: float = 0.0

    def operands(self) -> typing.List[torch.Tensor]:
        return [tensor for tensor in (self.input, self.weight, self.bias, self.residual) if tensor is not None]

    def window(self) -> Window:
        return make_window(self.stride, self.low, self.high, self.dilation, self.groups, self.padding_mode)

    def epilogue(self) -> Epilogue:
        return Epilogue(dtype_of(self.bias), self.residual is not None, self.activation, self.alpha)

    def direction(self) -> str:
        return DATA if self.transposed else FORWARD

    def result_shape(self) -> typing.List[int]:
        image, taps, window = self.input.shape, self.weight.shape, self.window()
        if self.transposed:
            return [image[0], taps[1] * self.groups, *window.image_size(image[2:], taps[2:], self.output_padding)]
        return [image[0], taps[0], *window.output_size(image[2:], taps[2:])]

    def has_channels(self) -> bool:
        """Whether the filter has the channels of the input, and the bias those of the result."""
        channels = self.weight.shape[0] if self.transposed else self.weight.shape[1] * self.groups
        is_bias = self.bias is None or tuple(self.bias.shape) == (self.result_shape()[1],)
        return self.input.shape[1] == channels and is_bias

    def check_residual(self) -> None:
        if self.residual is None:
            return
        shape = tuple(self.result_shape())
        if tuple(self.residual.shape) != shape:
            raise ValueError(f"expects a residual {shape}, but got {tuple(self.residual.shape)}")
        if self.residual.dtype != self.input.dtype:
            raise ValueError(f"expects a residual of {self.input.dtype}, as the input, but got {self.residual.dtype}")

    def empty_result(self) -> torch.Tensor:
        memory_format = memory_format_of(self.input, self.weight)
        return torch.empty(
            self.result_shape(), dtype=self.input.dtype, device=self.input.device, memory_format=memory_format
        )

    def reference(self) -> torch.Tensor:
        window, epilogue = self.window(), (self.residual, self.activation, self.alpha)
        return _reference.convolution(
            self.input, self.weight, self.bias, window, self.transposed, self.output_padding, *epilogue
        )


def plan(call: CallArguments, tf32: bool) -> typing.Optional[Problem]:
    """The problem that `convolution` would compile; None if PyTorch runs it. Tensors need no data."""
    result = call.empty_result()
    if _calls.refuse([call.input, call.weight]) or min(result.shape) <= 0:
        return None
    (lhs, lhs_order), (rhs, rhs_order) = arrange(call.input), arrange(call.weight)
    shapes, orders = (lhs.shape, rhs.shape, result.shape), (lhs_order, rhs_order, order_of(result))
    tf32 = tf32 and lhs.dtype == torch.float32
    what = call.window(), call.epilogue(), tf32, call.max_error
    problem = describe(call.direction(), lhs.dtype, result.dtype, shapes, orders, *what)
    return problem if min(problem.high) >= 0 else None


@torch.library.impl(library, "convolution", "CPU")
@torch.library.impl(library, "convolution", "CUDA")
def convolution_kernel(*arguments) -> torch.Tensor:
    """The kernel. Sizes are lists when they come from PyTorch's dispatcher. An f32 filter of a 16-bit image is cast, as where
    autograd sees the call."""
    (image, weight, bias), window, (transposed, output_padding, *rest) = arguments[:3], arguments[3:7], arguments[7:]
    if weight.dtype != image.dtype and weight.dtype == torch.float32:
        weight = weight.to(image.dtype)
    return convolve(image, weight, bias, *map(tuple, window), transposed, tuple(output_padding), *rest)


def identify(call: CallArguments, operands: typing.Sequence[torch.Tensor]) -> tuple:
    """What identifies calls with the same kernel; `operands` are the tensors."""
    return (
        *[(tensor.shape, tensor.stride(), tensor.dtype, tensor.device) for tensor in operands],
        call.bias is None,
        torch._C._get_cudnn_allow_tf32(),
        *call[3:11],
        *call[12:],
    )


def convolve(*arguments) -> torch.Tensor:
    call = CallArguments(*arguments)
    operands = call.operands()
    key = identify(call, operands)
    result = _calls.run_known(key, operands)
    if result is not None:
        return result
    left = _calls.find_left(key)
    if left is None:
        return compute(call, key)
    left.calls += 1
    return call.reference()


def compute(call: CallArguments, key: tuple) -> torch.Tensor:
    """The result of a call that is not known yet; later calls with the same `key` take a shortcut."""
    if min(call.result_shape()[1:]) <= 0 or not call.has_channels():  # PyTorch reports the error.
        return call.reference()
    call.check_residual()
    return run(
        call.direction(),
        call.input,
        call.weight,
        call.empty_result(),
        call.window(),
        call.reference,
        call.epilogue(),
        call.bias,
        call.residual,
        key,
        call.max_error,
    )

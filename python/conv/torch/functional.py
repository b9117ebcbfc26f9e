# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's functions of convolution, with its signatures, rules and errors."""

from __future__ import annotations

import operator
import typing

import torch
import torch.nn.functional as F
from torch.compiler import is_compiling
from torch.overrides import handle_torch_function, has_torch_function_variadic

from .._problem import spread
from . import _autograd, _calls, _choices, _native, _shortcuts
from ._geometry import DATA, FORWARD, OptionalTensor
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

Sizes = typing.Union[int, typing.Sequence[int]]


def _cast(tensor: OptionalTensor, dtype: torch.dtype) -> OptionalTensor:
    eligible = tensor is not None and tensor.is_floating_point() and tensor.dtype != torch.float64
    return tensor.to(dtype) if eligible else tensor


def _autocast_dtype(tensor: torch.Tensor) -> typing.Optional[torch.dtype]:
    """The type to which autocast casts operands on a tensor's device; None if it is disabled, or if it does not cast those of
    PyTorch's convolutions: under vmap."""
    if not torch._C._is_any_autocast_enabled() or _calls.is_in_vmap():
        return None
    kind = tensor.device.type
    return torch.get_autocast_dtype(kind) if kind != "meta" and torch.is_autocast_enabled(kind) else None


def cast_for_autocast(*tensors: OptionalTensor) -> typing.Tuple[OptionalTensor, ...]:
    """The tensors, of which the first is not None, cast to the type of autocast where it is enabled."""
    dtype = _autocast_dtype(tensors[0])
    return tuple(_cast(tensor, dtype) for tensor in tensors) if dtype else tensors


def _autocast_operands(input, weight, bias):  # noqa: A002
    """The operands, cast as autocast does, but parameters stay f32 if `_autograd.convolution` accepts f32 parameters; and
    whether they stayed f32."""
    dtype = _autocast_dtype(input)
    if dtype is None:
        return input, weight, bias, False
    parameters = (weight,) if bias is None else (weight, bias)
    is_mixed = (
        dtype in (torch.float16, torch.bfloat16)
        and input.dtype in (torch.float32, dtype)
        and all(parameter.dtype == torch.float32 for parameter in parameters)
        and _autograd.takes_mixed(input, *parameters)
        # Such weights have no version, which tells whether a copy is the weight's. Compiled code keeps no copies.
        and (torch.compiler.is_compiling() or not weight.is_inference())
    )
    if is_mixed:
        return _cast(input, dtype), weight, bias, True
    return *cast_for_autocast(input, weight, bias), False


#: Sizes below that fit the arithmetic of kernels; PyTorch's own function answers calls with larger ones.
_MOST = 1 << 31


def _as_integers(sizes: typing.Sequence[object]) -> typing.Optional[typing.Tuple[int, ...]]:
    """Integers of other types, such as NumPy's. None for what PyTorch's own function refuses: floats and bools."""
    try:
        return None if bool in map(type, sizes) else tuple(map(operator.index, sizes))
    except TypeError:
        return None


def _spread(value: Sizes, rank: int) -> typing.Optional[typing.Tuple[int, ...]]:
    """`spread` for sizes that a kernel takes; None for all others."""
    sizes = spread(value if isinstance(value, (tuple, list)) else [value], rank)
    if sizes and not all(type(size) is int or isinstance(size, torch.SymInt) for size in sizes):
        sizes = _as_integers(sizes)
    return sizes if sizes and -_MOST < min(sizes) and max(sizes) < _MOST else None


def _is_plain(
    input: torch.Tensor, weight: torch.Tensor, bias: OptionalTensor, rank: int, transposed: bool, groups: int, mixed: bool = False
) -> bool:  # noqa: A002
    """Whether these are valid operands of a convolution; PyTorch's own function answers all other calls. If types are
    `mixed`, the image and the parameters have different ones."""
    if not (isinstance(input, torch.Tensor) and isinstance(weight, torch.Tensor)):
        return False
    device, taps = input.device, weight.shape
    if (
        len(taps) != rank + 2
        or input.dim() != rank + 2
        or (input.dtype != weight.dtype and not mixed)
        or device != weight.device
        or input.layout != torch.strided
        or input.is_nested
        or weight.layout != torch.strided
    ):
        return False
    if device.type not in ("cpu", "cuda", "meta") or type(groups) is bool or not isinstance(groups, int) or groups < 1:
        return False
    channels, results = (taps[0], taps[1] * groups) if transposed else (taps[1] * groups, taps[0])
    if input.shape[1] != channels or not channels or taps[0] % groups:
        return False
    if bias is None:
        return True
    return isinstance(bias, torch.Tensor) and bias.dim() == 1 and bias.shape[0] == results and bias.dtype == weight.dtype and bias.device == device


def _same(padding: str, weight: torch.Tensor, dilation: typing.Tuple[int, ...]):
    """Padding before and after the image for "valid" and "same"."""
    total = [d * (taps - 1) if padding == "same" else 0 for taps, d in zip(weight.shape[2:], dilation)]
    low = tuple(size // 2 for size in total)
    return low, tuple(size - before for size, before in zip(total, low))


def _is_left(direction: str, input: object, weight: object) -> bool:  # noqa: A002
    """Whether these are complex numbers, which PyTorch's own function computes as several convolutions of real ones; the
    report says so."""
    if not (isinstance(input, torch.Tensor) and isinstance(weight, torch.Tensor) and input.dtype.is_complex):
        return False
    if not torch.compiler.is_compiling():
        reason = "element-type", f"expects float32, float16 or bfloat16, but got {input.dtype}"
        _choices.leave(_calls.report_line(direction, input, weight), input.device, *reason).calls += 1
    return True


def _forward(
    rank: int,
    fallback,
    input,  # noqa: A002
    weight,
    bias,
    stride,
    padding,
    dilation,
    groups,
    padding_mode="zeros",
    max_error=0.0,
    asks_library=True,
):
    given = input, weight, bias, (stride, padding, dilation, groups), (FORWARD, rank, padding_mode, max_error)
    result = _shortcuts.run(fallback, *given, asks_library)
    if result is not None:
        return result
    if _is_left(FORWARD, input, weight):
        return fallback(input, weight, bias, stride, padding, dilation, groups)
    input, weight, bias, mixed = _autocast_operands(input, weight, bias)
    if isinstance(input, torch.Tensor) and input.dim() == rank + 1:
        result = _forward(
            rank, fallback, input.unsqueeze(0), weight, bias, stride, padding, dilation, groups, padding_mode, max_error
        )
        return result.squeeze(0)
    strides, dilations = _spread(stride, rank), _spread(dilation, rank)
    if not strides or not dilations or not _is_plain(input, weight, bias, rank, False, groups, mixed):
        return fallback(input, weight, bias, stride, padding, dilation, groups)
    if isinstance(padding, str):
        is_known = padding == "valid" or (padding == "same" and all(step == 1 for step in strides))
        low, high = _same(padding, weight, dilations) if is_known else (None, None)
    else:
        low = high = _spread(padding, rank)
    if low is None or min((*low, *strides, *dilations)) < 0 or min((*strides, *dilations)) < 1:
        return fallback(input, weight, bias, stride, padding, dilation, groups)
    rest = strides, low, high, dilations, False, (0,) * rank, groups, padding_mode, None, "", 0.01, max_error
    result = _autograd.convolution(input, weight, bias, *rest)
    _shortcuts.learn(*given, rest)
    return result


def _transpose(
    rank: int, fallback, input, weight, bias, stride, padding, output_padding, groups, dilation, max_error, asks_library=True
):  # noqa: A002
    given = input, weight, bias, (stride, padding, output_padding, groups, dilation), (DATA, rank, "zeros", max_error)
    result = _shortcuts.run(fallback, *given, asks_library)
    if result is not None:
        return result
    if _is_left(DATA, input, weight):
        return fallback(input, weight, bias, stride, padding, output_padding, groups, dilation)
    input, weight, bias, mixed = _autocast_operands(input, weight, bias)
    if isinstance(input, torch.Tensor) and input.dim() == rank + 1:
        result = _transpose(
            rank, fallback, input.unsqueeze(0), weight, bias, stride, padding, output_padding, groups, dilation, max_error
        )
        return result.squeeze(0)
    strides, pads, dilations, more = (_spread(value, rank) for value in (stride, padding, dilation, output_padding))
    is_plain = _is_plain(input, weight, bias, rank, True, groups, mixed)
    if (
        not (is_plain and strides and pads and dilations and more)
        or min((*pads, *more)) < 0
        or min((*strides, *dilations)) < 1
    ):
        return fallback(input, weight, bias, stride, padding, output_padding, groups, dilation)
    if any(extra >= max(step, d) for extra, step, d in zip(more, strides, dilations)):
        return fallback(input, weight, bias, stride, padding, output_padding, groups, dilation)
    rest = strides, pads, pads, dilations, True, more, groups, "zeros", None, "", 0.01, max_error
    result = _autograd.convolution(input, weight, bias, *rest)
    _shortcuts.learn(*given, rest)
    return result


class _Forward(typing.Protocol):
    """The signature of PyTorch's convolutions, with the `max_error` of `conv.compile`, for the gradients' kernels too."""

    def __call__(
        self,
        input: torch.Tensor,  # noqa: A002
        weight: torch.Tensor,
        bias: OptionalTensor = None,
        stride: Sizes = 1,
        padding: typing.Union[Sizes, str] = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        *,
        max_error: float = 0.0,
    ) -> torch.Tensor: ...


class _Transposed(typing.Protocol):
    """The signature of PyTorch's transposed convolutions, with `max_error`."""

    def __call__(
        self,
        input: torch.Tensor,  # noqa: A002
        weight: torch.Tensor,
        bias: OptionalTensor = None,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        dilation: Sizes = 1,
        *,
        max_error: float = 0.0,
    ) -> torch.Tensor: ...


def _name(function: typing.Callable, theirs: typing.Callable) -> typing.Callable:
    """Gives a function the name of PyTorch's, and documentation that refers to it."""
    function.__name__ = function.__qualname__ = theirs.__name__
    function.__doc__ = f"As `torch.nn.functional.{theirs.__name__}`; `max_error` is that of `conv.compile`."
    return function


def _define_forward(rank: int, theirs: typing.Callable) -> _Forward:
    def convolve(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, max_error=0.0):  # noqa: A002
        # The first question of `_shortcuts.run`, without two functions of Python before it.
        if not is_compiling() and _native.forward is not None:
            sizes, others = (stride, padding, dilation, groups), (FORWARD, rank, "zeros", max_error)
            result = _native.forward(_shortcuts.native_entries, theirs, input, weight, bias, sizes, others)
            if result is not None:
                return result
        if has_torch_function_variadic(input, weight):  # Such as what torch.fx traces with: the graph keeps this call.
            tensors, options = (input, weight), (bias, stride, padding, dilation, groups)
            return handle_torch_function(convolve, tensors, *tensors, *options, max_error=max_error)
        return _forward(
            rank, theirs, input, weight, bias, stride, padding, dilation, groups, max_error=max_error, asks_library=False
        )

    return _name(convolve, theirs)


def _define_transposed(rank: int, theirs: typing.Callable) -> _Transposed:
    def convolve(
        input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, *, max_error=0.0
    ):  # noqa: A002
        if not is_compiling() and _native.forward is not None:
            sizes, others = (stride, padding, output_padding, groups, dilation), (DATA, rank, "zeros", max_error)
            result = _native.forward(_shortcuts.native_entries, theirs, input, weight, bias, sizes, others)
            if result is not None:
                return result
        if has_torch_function_variadic(input, weight):
            tensors = (input, weight)
            options = bias, stride, padding, output_padding, groups, dilation
            return handle_torch_function(convolve, tensors, *tensors, *options, max_error=max_error)
        options = stride, padding, output_padding, groups, dilation, max_error
        return _transpose(rank, theirs, input, weight, bias, *options, asks_library=False)

    return _name(convolve, theirs)


conv1d = _define_forward(1, F.conv1d)
conv2d = _define_forward(2, F.conv2d)
conv3d = _define_forward(3, F.conv3d)
conv_transpose1d = _define_transposed(1, F.conv_transpose1d)
conv_transpose2d = _define_transposed(2, F.conv_transpose2d)
conv_transpose3d = _define_transposed(3, F.conv_transpose3d)


def convolution(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: OptionalTensor = None,
    residual: OptionalTensor = None,
    activation: str = "",
    *,
    alpha: float = 0.01,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
    max_error: float = 0.0,
) -> torch.Tensor:
    """`activation(convolution + bias + residual)` in one kernel, for inference.

    Args:
        input: (N, C, ...) with one to three spatial dimensions.
        weight: (K, C / groups, ...).
        bias: (K).
        residual: of the shape and type of the result, (N, K, ...).
        activation: "relu", "relu6", "leaky_relu" (of slope `alpha`), "sigmoid", "silu", "gelu", "gelu_tanh", "tanh",
            "hardswish", "hardsigmoid", "elu" or "mish"; none if empty.
        stride, padding, dilation: one integer, or one for each spatial dimension.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        max_error: as for `conv.compile`.

    Returns:
        (N, K, ...), channels-last if PyTorch's convolution would be. The sum is in f32, and rounded once.

    Raises:
        ValueError: shapes, types, devices or names do not fit.
        NotImplementedError: in the backward pass, if there is a residual or an activation.
    """
    if activation and activation not in ACTIVATIONS:
        raise ValueError(f"expects activation {', '.join(ACTIVATIONS)}, but got '{activation}'")
    rank = input.dim() - 2
    if rank < 1 or not _is_plain(input, weight, bias, rank, False, groups):
        raise ValueError(
            f"expects images (N, C, ...) and filters (K, C / groups, ...) of one type, but got {tuple(input.shape)} "
            f"{input.dtype} and {tuple(weight.shape)} {weight.dtype} with {groups} groups"
        )
    strides, pads, dilations = (_spread(value, rank) for value in (stride, padding, dilation))
    if not (strides and pads and dilations):
        given = f"{stride}, {padding} and {dilation}"
        raise ValueError(f"expects stride, padding and dilation of one integer or {rank}, but got {given}")
    return _autograd.convolution(
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
        max_error,
    )

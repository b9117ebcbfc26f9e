# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of tensors of any framework, compiled when they are called first.

    y = conv.jit.conv2d(x, w, bias, activation="relu", padding=1)

Tensors are those that functions of artifacts take: of NumPy, PyTorch, CuPy, JAX, or with DLPack. Each problem is compiled
once, for the device where its tensors are, and found again in memory and in the cache of files (`conv.compile`).
"""

from __future__ import annotations

import threading
import typing

from . import _compiler
from ._artifact import load
from ._device import open_device
from ._frameworks import Tensor, framework_of
from ._function import Function
from ._library import bad_input
from ._problem import Problem

__all__ = ["conv1d", "conv2d", "conv3d"]

Sizes = typing.Union[int, typing.Sequence[int]]
_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
_OF_FILTER = dict(zip("NCDHW", "KCTRS"))
_OF_OUTPUT = dict(zip("NCDHW", "NKZPQ"))

_lock = threading.Lock()
_functions: typing.Dict[tuple, Function] = {}


def _sizes(name: str, value: Sizes, rank: int) -> typing.Tuple[int, ...]:
    values = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(values) != rank:
        raise bad_input(f"{name}: expects one number or {rank}, but got {values}")
    return values


def _order(name: str, layout: str, tensor: Tensor) -> str:
    """The letters of `layout` in the order of memory."""
    if len(tensor.shape) != len(layout):
        raise bad_input(f"{name}: expects {len(layout)} dimensions ({layout}), but got shape {tuple(tensor.shape)}")
    # Dimensions of one element are anywhere; those that come first in the layout stay first.
    places = sorted(range(len(layout)), key=lambda place: -tensor.strides[place] if tensor.shape[place] > 1 else 0)
    by_stride = [place for place in places if tensor.shape[place] > 1]
    order = [place for place in range(len(layout)) if tensor.shape[place] == 1] + by_stride
    step = 1
    for place in reversed(by_stride):
        if tensor.strides[place] != step:
            raise bad_input(
                f"{name}: expects a dense tensor, but got shape {tensor.shape} and strides {tensor.strides}"
            )
        step *= tensor.shape[place]
    return "".join(layout[place] for place in order)


def _translate(order: str, letters: typing.Dict[str, str]) -> str:
    return "".join(letters[letter] for letter in order)


def _make(
    rank, x, w, dtype, bias, residual, activation, alpha, window, groups, padding_mode, layout, device
) -> Function:
    orders = _order("x", layout, x), _order("w", layout, w)
    size, taps = dict(zip(layout, x.shape)), dict(zip(layout, w.shape))
    stride, padding, dilation = window
    problem = Problem(
        n=size["N"],
        c=size["C"],
        k=taps["N"],
        groups=groups,
        dtype=dtype,
        input=tuple(size[letter] for letter in _SPATIAL[rank]),
        filter=tuple(taps[letter] for letter in _SPATIAL[rank]),
        stride=stride,
        dilation=dilation,
        low=padding,
        padding_mode=padding_mode,
        input_layout=orders[0],
        filter_layout=orders[1],
        output_layout=orders[0],
        bias=bias,
        residual=residual,
        activation=activation,
        activation_alpha=alpha,
    )
    if taps["C"] * groups != size["C"]:
        raise bad_input(
            f"w: expects {size['C'] // groups} channels, those of x by {groups} groups, but got {taps['C']}"
        )
    artifact = load(_compiler.compile(problem, open_device(device).targets[0]))
    (name,) = artifact
    output = _translate(layout, _OF_OUTPUT)
    layouts = {"input": layout, "filter": _translate(layout, _OF_FILTER), "output": output}
    return artifact[name].with_layouts(**layouts, **({"residual": output} if residual else {}))


def _convolve(
    rank, x, w, bias, residual, activation, alpha, stride, padding, dilation, groups, padding_mode, layout, out, stream
):
    if layout is None:
        layout = f"NC{_SPATIAL[rank]}"
    if sorted(layout) != sorted(f"NC{_SPATIAL[rank]}"):
        raise bad_input(f"layout: expects the letters NC{_SPATIAL[rank]}, but got '{layout}'")
    image, taps = framework_of(x).read(x, 0), framework_of(w).read(w, 0)
    window = tuple(
        _sizes(name, value, rank) for name, value in (("stride", stride), ("padding", padding), ("dilation", dilation))
    )
    key = (
        *(tuple(image.shape), tuple(image.strides), tuple(taps.shape), tuple(taps.strides), image.dtype, image.device),
        *(bias is None, residual is None, activation, alpha, window, groups, padding_mode, layout),
    )
    function = _functions.get(key)
    if function is None:
        made = _make(
            *(rank, image, taps, image.dtype, bias is not None, residual is not None, activation, alpha, window),
            *(groups, padding_mode, layout, image.device),
        )
        with _lock:
            function = _functions.setdefault(key, made)
    operands = [tensor for tensor in (x, w, bias, residual) if tensor is not None]
    return function(*operands, out=out, stream=stream)


def conv1d(
    x: typing.Any,
    w: typing.Any,
    bias: typing.Any = None,
    residual: typing.Any = None,
    *,
    activation: str = "",
    alpha: float = 0.01,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
    layout: typing.Optional[str] = None,
    out: typing.Any = None,
    stream: typing.Any = None,
) -> typing.Any:
    """As `conv2d`, with one spatial dimension: `layout` is NCW or NWC."""
    return _convolve(
        1, x, w, bias, residual, activation, alpha, stride, padding, dilation, groups, padding_mode, layout, out, stream
    )


def conv2d(
    x: typing.Any,
    w: typing.Any,
    bias: typing.Any = None,
    residual: typing.Any = None,
    *,
    activation: str = "",
    alpha: float = 0.01,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
    layout: typing.Optional[str] = None,
    out: typing.Any = None,
    stream: typing.Any = None,
) -> typing.Any:
    """`activation(convolution + bias + residual)`, of x and w.

    Args:
        x: the image, whose dimensions come as `layout` says.
        w: the filter, K x C / groups x R x S in the same order: for NHWC it is K x R x S x C / groups.
        bias: (K).
        residual: as the result.
        activation: none if empty, else one of those of `conv-gen --activation`; `alpha` is that of leaky_relu and elu.
        stride, padding, dilation: one number, or one for each spatial dimension.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        layout: "NCHW", the default, or any other order of its letters. Memory may have another order, as PyTorch's
            channels-last tensors have, but no gaps.
        out: where the result goes; by default a new tensor of x's framework, in the memory order of x.
        stream: as for functions of artifacts.

    Raises:
        Refused: what the compiler does not handle, with its reason.
        Error: bad input, or a system error.
    """
    return _convolve(
        2, x, w, bias, residual, activation, alpha, stride, padding, dilation, groups, padding_mode, layout, out, stream
    )


def conv3d(
    x: typing.Any,
    w: typing.Any,
    bias: typing.Any = None,
    residual: typing.Any = None,
    *,
    activation: str = "",
    alpha: float = 0.01,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
    layout: typing.Optional[str] = None,
    out: typing.Any = None,
    stream: typing.Any = None,
) -> typing.Any:
    """As `conv2d`, with three spatial dimensions: `layout` is NCDHW or NDHWC."""
    return _convolve(
        3, x, w, bias, residual, activation, alpha, stride, padding, dilation, groups, padding_mode, layout, out, stream
    )

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of tensors of any framework, compiled at their first call.

    y = conv.jit.conv2d(x, w, bias, activation="relu", padding=1)

Tensors are those that functions of artifacts accept: NumPy, PyTorch, CuPy, JAX, or any with DLPack. Each problem is compiled
once, for the device of its tensors, and cached in memory and in files (`conv.compile`).
"""

from __future__ import annotations

import threading
import typing

from . import _compiler, _native
from ._artifact import load
from ._bound import stream_handle
from ._device import open_device
from ._dynamic import ORDERS, DynamicProblem
from ._frameworks import Tensor, framework_of
from ._function import Function
from ._library import as_integer, as_number, as_text, bad_input
from ._problem import Problem, Sizes, spread

__all__ = ["conv1d", "conv2d", "conv3d", "dynamic_conv"]

_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
_OF_FILTER = dict(zip("NCDHW", "KCTRS"))
_OF_OUTPUT = dict(zip("NCDHW", "NKZPQ"))

_lock = threading.Lock()
_functions: typing.Dict[tuple, Function] = {}
#: The first problem with known sizes, by the problem with run-time sizes and the device.
_first: typing.Dict[typing.Tuple[DynamicProblem, str], DynamicProblem] = {}


def _sizes(name: str, value: Sizes, rank: int) -> typing.Tuple[int, ...]:
    values = spread(value, rank)
    if values is None:
        got = repr(value) if isinstance(value, str) else tuple(value)
        raise bad_input(f"{name}: expects one number or {rank}, but got {got}")
    return tuple([as_integer(name, size) for size in values])


def _read(name: str, tensor: typing.Any) -> Tensor:
    try:
        return framework_of(tensor).read(tensor, 0)
    except Exception as error:  # Any exception of a framework that cannot describe a tensor.
        raise bad_input(f"{name}: {error}") from error


def _order(name: str, layout: str, tensor: Tensor) -> str:
    """The letters of `layout` in the order of memory."""
    if len(tensor.shape) != len(layout):
        raise bad_input(f"{name}: expects {len(layout)} dimensions ({layout}), but got shape {tuple(tensor.shape)}")
    if 0 in tensor.shape:
        raise bad_input(f"{name}: expects a tensor with elements, but got shape {tuple(tensor.shape)}")
    # Dimensions of one element have no place of their own; those that come first in the layout stay first.
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


def _load(problem: _compiler.Module, device: str) -> Function:
    """The function of a problem, compiled for a device."""
    opened = open_device(device)
    target = _compiler.select_target(opened.targets)
    artifact = load(_compiler.compile(problem, target, compute_units=opened.compute_units))
    (name,) = artifact
    return artifact[name]


def _get(key: tuple, make: typing.Callable[[], Function]) -> Function:
    """The function for calls with this key."""
    function = _functions.get(key)
    if function is None:
        made = make()
        with _lock:
            function = _functions.setdefault(key, made)
    return function


def _load_shared(problem: DynamicProblem, device: str) -> Function:
    """The function of the first problem, or the one that all others share, which takes any batch and length."""
    opened = problem.with_run_time_sizes()
    with _lock:
        is_first = opened is None or _first.setdefault((opened, device), problem) == problem
    return _load(problem, device) if is_first else _get((opened, device), lambda: _load(opened, device))


class _Options(typing.NamedTuple):
    """The options of a call of a convolution, and which optional tensors it has."""

    layout: str
    bias: bool
    residual: bool
    activation: str
    activation_alpha: float
    stride: typing.Tuple[int, ...]
    low: typing.Tuple[int, ...]
    dilation: typing.Tuple[int, ...]
    groups: int
    padding_mode: str
    max_error: float


def _make(x: Tensor, w: Tensor, options: _Options) -> Function:
    """The function of an image and a filter, for tensors with dimensions in the order of the layout."""
    layout, *_ = options
    if options.groups < 1:
        raise bad_input(f"expects groups of 1 or more, but got {options.groups}")
    orders = _order("x", layout, x), _order("w", layout, w)
    size, taps = dict(zip(layout, x.shape)), dict(zip(layout, w.shape))
    spatial = _SPATIAL[len(layout) - 2]
    problem = Problem(
        n=size["N"],
        c=size["C"],
        k=taps["N"],
        dtype=x.dtype,
        input=tuple(size[letter] for letter in spatial),
        filter=tuple(taps[letter] for letter in spatial),
        input_layout=orders[0],
        filter_layout=orders[1],
        output_layout=orders[0],
        **{name: value for name, value in options._asdict().items() if name != "layout"},
    )
    if taps["C"] * options.groups != size["C"]:
        channels = size["C"] // options.groups
        raise bad_input(f"w: expects {channels} channels, those of x by {options.groups} groups, but got {taps['C']}")
    output = _translate(layout, _OF_OUTPUT)
    layouts = {"input": layout, "filter": _translate(layout, _OF_FILTER), "output": output}
    if options.residual:
        layouts["residual"] = output
    return _load(problem, x.device).with_layouts(**layouts)


class _Convolution:
    """`activation(convolution + bias + residual)`, of x and w.

    Args:
        x: the image, with dimensions in the order of `layout`.
        w: the filter, K x C / groups x R x S in the same order: for NHWC it is K x R x S x C / groups.
        bias: (K).
        residual: of the result's shape.
        activation: empty for none, or a value of `conv-gen --activation`; `alpha` belongs to leaky_relu and elu.
        stride, padding, dilation: one number, or one for each spatial dimension.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        max_error: as for `conv.compile`: Winograd's algorithm may run if the bound on its error is at most this many times
            the bound of a sum of products. 0: it never runs.
        layout: "NCHW", the default of two dimensions, or any other order of its letters: NCW for one and NCDHW for three.
            Memory may have another order, like PyTorch's channels-last tensors, but no gaps.
        out: receives the result; by default a new tensor of x's framework, in the memory order of x.
        stream: as for functions of artifacts.

    Raises:
        Refused: the compiler does not support the problem; it has the reason.
        Error: bad input, or a system error.
    """

    def __init__(self, rank: int) -> None:
        self._rank = rank
        self._calls = _native.make_calls(1)
        self.__name__ = self.__qualname__ = f"conv{rank}d"

    def __call__(
        self,
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
        max_error: float = 0.0,
        layout: typing.Optional[str] = None,
        out: typing.Any = None,
        stream: typing.Any = None,
    ) -> typing.Any:
        given = layout, activation, alpha, stride, padding, dilation, groups, padding_mode, max_error
        handle = None if stream is None else stream_handle(stream)
        known = self._calls.run((x, w, bias, residual), out, handle, given)
        if known is not None:
            return known
        rank = self._rank
        letters = f"NC{_SPATIAL[rank]}"
        if layout is None:
            layout = letters
        elif sorted(as_text("layout", layout)) != sorted(letters):
            raise bad_input(f"layout: expects the letters {letters}, but got '{layout}'")
        image, taps = _read("x", x), _read("w", w)
        window = _sizes("stride", stride, rank), _sizes("padding", padding, rank), _sizes("dilation", dilation, rank)
        options = _Options(
            *(layout, bias is not None, residual is not None, as_text("activation", activation)),
            *(as_number("alpha", alpha), *window, as_integer("groups", groups)),
            *(as_text("padding_mode", padding_mode), as_number("max_error", max_error)),
        )
        shapes = tuple(image.shape), tuple(image.strides), tuple(taps.shape), tuple(taps.strides)
        function = _get((*shapes, image.dtype, image.device, options), lambda: _make(image, taps, options))
        operands = tuple(tensor for tensor in (x, w, bias, residual) if tensor is not None)
        result = function(*operands, out=out, stream=handle)
        self._calls.learn((x, w, bias, residual), out, handle, given, function._find_plan(operands, out))
        return result


conv1d = _Convolution(1)
conv2d = _Convolution(2)
conv3d = _Convolution(3)


_dynamic_calls = _native.make_calls(1)


def dynamic_conv(
    x: typing.Any,
    kernel: typing.Any,
    *,
    order: str = "BTGW",
    activation: str = "",
    out: typing.Any = None,
    stream: typing.Any = None,
) -> typing.Any:
    """`activation(sum over w of kernel[b, t, d // (D / G), w] * x[b, t + w - (W - 1), d])`, as `[b, t, d]`.

    Elements before a sequence are zero: the convolution is causal, and the last tap is the token itself. The first B and T
    get a function of their own; the first call with others compiles one for any B and T, and then nothing more is compiled.

    Args:
        x: B x T x D, of f32, f16, bf16 or i8, without gaps.
        kernel: B x T x G x W, of the type of x, without gaps; B x T x W x G for the other order. G divides D; G = D gives
            each channel its own kernel.
        order: "BTGW", the default, or "BTWG".
        activation: empty for none, or "silu".
        out: receives the result, B x T x D, i32 for i8; by default a new tensor of x's framework.
        stream: as for functions of artifacts.

    Raises:
        Refused: the compiler does not support the problem; it has the reason.
        Error: bad input, or a system error.
    """
    handle = None if stream is None else stream_handle(stream)
    known = _dynamic_calls.run((x, kernel), out, handle, (order, activation))
    if known is not None:
        return known
    tokens, taps = _read("x", x), _read("kernel", kernel)
    key = (DynamicProblem, tuple(tokens.shape), tuple(taps.shape), order, activation, tokens.dtype, tokens.device)

    def make() -> Function:
        if order not in ORDERS:
            raise bad_input(f"order: expects 'BTGW' or 'BTWG', but got {order!r}")
        if len(tokens.shape) != 3 or len(taps.shape) != 4:
            given = f"{tuple(tokens.shape)} and {tuple(taps.shape)}"
            raise bad_input(f"expects x (B, T, D) and kernel ({', '.join(order)}), but got shapes {given}")
        size = dict(zip(order, taps.shape))
        problem = DynamicProblem(
            *(*tokens.shape, size["W"], size["G"], order), dtype=tokens.dtype, activation=activation
        )
        problem.module()  # Errors should concern this call, not others that share its function.
        return _load_shared(problem, tokens.device)

    function = _get(key, make)
    result = function(x, kernel, out=out, stream=handle)
    _dynamic_calls.learn((x, kernel), out, handle, (order, activation), function._find_plan((x, kernel), out))
    return result

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One convolution, described by its sizes instead of as MLIR."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import typing

from . import _compiler_library
from ._library import as_integer, bad_input

_PerDimension = ctypes.c_int64 * 3
#: For fields that were added after names of problems had been saved to files: at its default, the field is no part of a name.
NAMED_IF_SET = {"named": "if set"}
Sizes = typing.Union[int, typing.Sequence[int]]


def spread(value: Sizes, rank: int) -> typing.Optional[typing.Tuple[int, ...]]:
    """A number for each spatial dimension: a single one counts for all of them. None for any other count."""
    if not hasattr(value, "__iter__"):
        return (value,) * rank
    values = tuple(value)
    return values * rank if len(values) == 1 else values if len(values) == rank else None


class _CProblem(ctypes.Structure):
    """conv_problem."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("direction", ctypes.c_char_p),
        ("dtype", ctypes.c_char_p),
        ("result_dtype", ctypes.c_char_p),
        ("bias_dtype", ctypes.c_char_p),
        ("input_layout", ctypes.c_char_p),
        ("filter_layout", ctypes.c_char_p),
        ("output_layout", ctypes.c_char_p),
        ("padding_mode", ctypes.c_char_p),
        ("activation", ctypes.c_char_p),
        ("function", ctypes.c_char_p),
        ("n", ctypes.c_int64),
        ("c", ctypes.c_int64),
        ("k", ctypes.c_int64),
        ("groups", ctypes.c_int64),
        ("spatial_rank", ctypes.c_int64),
        ("input", _PerDimension),
        ("filter", _PerDimension),
        ("stride", _PerDimension),
        ("dilation", _PerDimension),
        ("low", _PerDimension),
        ("high", _PerDimension),
        ("activation_alpha", ctypes.c_double),
        ("bias", ctypes.c_int),
        ("residual", ctypes.c_int),
        ("tf32", ctypes.c_int),
        ("exact", ctypes.c_int),
        ("promoted", ctypes.c_int),
    ]


@dataclasses.dataclass(frozen=True)
class Problem:
    """A convolution of an image of `n` x `c` x `input` and a filter of `k` x `c / groups` x `filter`.

    `input`, `filter`, `stride`, `dilation`, `low` and `high` have one number for each spatial dimension, one to three. The
    output has `(low + input + high - dilation * (filter - 1) - 1) // stride + 1` positions in each.

    direction: "forward"; "backward_data", the gradient of the image, which is also a transposed convolution; or
        "backward_weight", the gradient of the filter.
    dtype, result_dtype: "f32", "f16", "bf16", "i8", "f8E4M3FN", "f8E5M2"; an empty result_dtype means the operands' type, and
        i32, which result_dtype may also name, for i8 without an epilogue.
    bias_dtype: "f32", "f16", "bf16"; empty: the operands' type, and f32 if they have 8 bits.
    low, high: padding before and after the image; `padding_mode` gives its values: "zeros", "reflect", "replicate"
        or "circular".
    input_layout, filter_layout, output_layout: orders such as "NHWC" and "NCHW", all three in the letters of an image;
        channels last if empty.
    bias, residual, activation: the epilogue, in this order, as operands after the first two; `bias` is a vector over
        the result's channels, `residual` has the result's shape. `activation` is a value of `conv-gen --activation`.
    tf32: f32 operands are rounded to tf32.
    exact: products of f32 are exact, rather than sums of parts that are as accurate (docs/numerics.md).
    promoted: sums of up to 128 products of 8-bit floats have the precision of matrix units, and are promoted to
        f32; the bound of the result is then wider (docs/numerics.md).
    max_error: the `max_error` of `conv.compile`, if the call gives none.
    function: the name of the function; empty: derived from the problem.
    """

    input: typing.Tuple[int, ...]
    filter: typing.Tuple[int, ...]
    n: int
    c: int
    k: int
    dtype: str = "f32"
    direction: str = "forward"
    groups: int = 1
    stride: typing.Tuple[int, ...] = ()
    dilation: typing.Tuple[int, ...] = ()
    low: typing.Tuple[int, ...] = ()
    high: typing.Tuple[int, ...] = ()
    padding_mode: str = "zeros"
    input_layout: str = ""
    filter_layout: str = ""
    output_layout: str = ""
    result_dtype: str = ""
    bias: bool = False
    bias_dtype: str = ""
    residual: bool = False
    activation: str = ""
    activation_alpha: float = 0.01
    tf32: bool = False
    exact: bool = False
    promoted: bool = False
    max_error: float = dataclasses.field(default=0.0, metadata=NAMED_IF_SET)
    function: str = ""

    def __post_init__(self) -> None:
        for name in ("input", "filter", "stride", "dilation", "low", "high"):
            value = getattr(self, name)
            if isinstance(value, tuple):
                continue
            if isinstance(value, str) or not isinstance(value, typing.Iterable):
                raise bad_input(f"{name}: expects one number for each spatial dimension, but got {value!r}")
            object.__setattr__(self, name, tuple(value))  # Problems are keys.

    @property
    def output(self) -> typing.Tuple[int, ...]:
        """The positions of the output in each spatial dimension."""
        rank = len(self.input)
        ones, low = (1,) * rank, self.low or (0,) * rank
        sizes = zip(self.input, self.filter, self.stride or ones, self.dilation or ones, low, self.high or low)
        return tuple(
            (size + before + after - dilation * (taps - 1) - 1) // stride + 1
            for size, taps, stride, dilation, before, after in sizes
        )

    @property
    def stem(self) -> str:
        """The prefix of function names."""
        return f"conv{len(self.input)}d_{self.direction}"

    def describe(self) -> str:
        """`forward bf16 64x64x56x56 -> 64, 3x3`, followed by unusual properties."""

        def by_x(sizes: typing.Sequence[int]) -> str:
            return "x".join(map(str, sizes))

        text = f"{self.direction} {self.dtype} {by_x((self.n, self.c, *self.input))} -> {self.k}, {by_x(self.filter)}"
        for name in ("stride", "dilation"):
            if any(size != 1 for size in getattr(self, name)):
                text += f", {name} {by_x(getattr(self, name))}"
        if self.groups != 1:
            text += f", {self.groups} groups"
        if self.padding_mode != "zeros":
            text += f", {self.padding_mode}"
        epilogue = [name for name in ("bias", "residual") if getattr(self, name)] + [self.activation]
        text += "".join(f" + {name}" for name in epilogue if name)
        layouts = sorted({self.input_layout, self.filter_layout, self.output_layout})
        arithmetic = "".join(f", {name}" for name in ("tf32", "promoted") if getattr(self, name))
        if self.max_error:
            arithmetic += f", max_error {self.max_error:g}"
        return f"{text} ({', '.join(layouts)}{arithmetic})"

    def module(self) -> str:
        """The problem as MLIR, a module with one function.

        Raises:
            Error: a number or a name is wrong.
        """
        rank = len(self.input)
        if not 1 <= rank <= 3:
            raise bad_input(f"expects 1 to 3 spatial dimensions, but got {rank}")

        def per_dimension(name: str, default: int) -> ctypes.Array:
            values = getattr(self, name) or (default,) * rank
            if len(values) != rank:
                raise bad_input(f"{name}: expects {rank} numbers, but got {len(values)}")
            return _PerDimension(*(as_integer(name, value) for value in values))

        low = per_dimension("low", 0)
        problem = _CProblem(
            struct_size=ctypes.sizeof(_CProblem),
            spatial_rank=rank,
            input=per_dimension("input", 1),
            filter=per_dimension("filter", 1),
            stride=per_dimension("stride", 1),
            dilation=per_dimension("dilation", 1),
            low=low,
            high=per_dimension("high", 0) if self.high else low,
            **{
                name: _compiler_library.encode(getattr(self, name))
                for name, kind in _CProblem._fields_
                if kind is ctypes.c_char_p
            },
            activation_alpha=self.activation_alpha,
            **{name: as_integer(name, getattr(self, name)) for name in ("n", "c", "k", "groups")},
            **{name: bool(getattr(self, name)) for name in ("bias", "residual", "tf32", "exact", "promoted")},
        )
        return _compiler_library.take(
            functools.partial(_compiler_library.load().conv_problem_module, ctypes.byref(problem))
        ).decode()

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Epilogues of problems that Python writes as MLIR, as the region of an operation."""

from __future__ import annotations

import typing

from ._library import bad_input

#: The type of a sum, by the operands' type.
SUMS = {"f32": "f32", "f16": "f32", "bf16": "f32", "i8": "i32"}
ACTIVATIONS = ("", "silu")

_SIGMOID = [
    "%one = arith.constant 1.0 : f32",
    "%negated = arith.negf %sum : f32",
    "%exponential = math.exp %negated : f32",
    "%denominator = arith.addf %one, %exponential : f32",
    "%sigmoid = arith.divf %one, %denominator : f32",
]
#: The value of a sum, and the gradient of the sum from the gradient of that value; the last line defines %value.
_SILU = [*_SIGMOID[:-1], "%value = arith.divf %sum, %denominator : f32"]
_SILU_GRADIENT = [
    *_SIGMOID,
    "%rest = arith.subf %one, %sigmoid : f32",
    "%scaled = arith.mulf %sum, %rest : f32",
    "%slope = arith.addf %one, %scaled : f32",
    "%product = arith.mulf %sigmoid, %slope : f32",
    "%value = arith.mulf %grad, %product : f32",
]


def check_name(what: str, value: str, allowed: typing.Iterable[str]) -> str:
    """The value, after a check that it is one of `allowed`."""
    if value not in allowed:
        raise bad_input(f"{what}: expects {', '.join(map(repr, allowed))}, but got {value!r}")
    return value


def _widened(name: str, dtype: str) -> typing.Tuple[str, typing.List[str]]:
    """The block argument for the value `%name`, and the lines that convert it to f32."""
    if dtype == "f32":
        return f"%{name}: f32", []
    return f"%narrow_{name}: {dtype}", [f"%{name} = arith.extf %narrow_{name} : {dtype} to f32"]


def _region(operands: str, arguments: str, lines: typing.Sequence[str], result: str) -> str:
    narrow = [] if result == "f32" else [f"%result = arith.truncf %value : f32 to {result}"]
    last = f"conv.yield %{'result' if narrow else 'value'} : {result}"
    body = "\n        ".join([*lines, *narrow, last])
    return f"epilogue({operands}) {{\n      ^bb0({arguments}):\n        {body}\n      }}"


def activation(name: str, result: str) -> str:
    """The region that applies an activation to the sum; empty if there is none."""
    return _region("", "%sum: f32", _SILU, result) if name else ""


def biased_activation(bias: typing.Optional[typing.Tuple[str, str, str]], name: str, result: str) -> str:
    """The region that adds a bias to the sum and applies an activation; empty without both. The bias consists of the value,
    its type, and the type of its elements."""
    if bias is None:
        return activation(name, result)
    argument, widening = _widened("addend", bias[2])
    to = "sum" if name else "value"
    lines = [*widening, f"%{to} = arith.addf %product_sum, %addend : f32", *(_SILU if name else ())]
    return _region(f"{bias[0]} : {bias[1]}", f"%product_sum: f32, {argument}", lines, result)


def activation_gradient(
    grad: typing.Tuple[str, str, str], bias: typing.Optional[typing.Tuple[str, str, str]] = None
) -> str:
    """The region that computes the gradient of the sum: `grad`, of silu's value, times the slope at sum plus `bias`.

    Both consist of the value, its type, and the type of its elements.
    """
    operands, arguments, lines = [], ["%product_sum: f32" if bias else "%sum: f32"], []
    for name, operand in (("addend", bias), ("grad", grad)):
        if operand:
            argument, widening = _widened(name, operand[2])
            operands.append(operand)
            arguments.append(argument)
            lines += widening
    if bias:
        lines.append("%sum = arith.addf %product_sum, %addend : f32")
    given = ", ".join(f"{value} : {kind}" for value, kind, _ in operands)
    return _region(given, ", ".join(arguments), [*lines, *_SILU_GRADIENT], grad[2])

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on the last tokens of sequences, described by their sizes instead of as MLIR."""

from __future__ import annotations

import dataclasses
import typing

from . import _epilogue
from ._shapes import Size, size_text, tensor_type

_Strides = typing.Tuple[int, ...]


def _is_dense(shape: typing.Sequence[int], strides: _Strides) -> bool:
    """Whether a tensor has no gaps, ignoring strides of dimensions of size 1."""
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def _strides_of_any(shape: typing.Sequence[int], strides: _Strides) -> _Strides:
    """The strides that are also right for any first size: empty for dense tensors."""
    if not strides or _is_dense(shape, strides):
        return ()
    if shape[0] > 1:
        return strides
    # A single row may have any stride; several rows usually follow each other.
    return (max(size * stride for size, stride in zip(shape[1:], strides[1:])), *strides[1:])


def _declare(name: str, kind: str, strides: _Strides = (), more: str = "") -> str:
    """An argument, or a result without `%`."""
    steps = f", conv.strides = array<i64: {', '.join(map(str, strides))}>" if strides else ""
    return f'{kind} {{conv.name = "{name}"{steps}{more}}}'


@dataclasses.dataclass(frozen=True)
class UpdateProblem:
    """The step for `t` more tokens of `b` sequences with `d` channels and `w` taps, which updates their states in place.

    Operands are input (b, d, t), weight (d, w), state (states, d, length), and then the given optional ones: positions (b)
    and indices (b), of type "i32" or "i64", and bias (d), of its type. The result is (b, d, t). `conv.causal_update` defines
    the computation. `b` and `states` may be None: run-time sizes, which calls choose.

    activation: "silu"; empty: none.
    strides: of input, weight, state and output in memory, in elements; contiguous where they are empty.
    """

    b: Size
    d: int
    t: int
    w: int
    states: Size
    length: int
    dtype: str
    bias: str = ""
    activation: str = ""
    positions: str = ""
    indices: str = ""
    strides: typing.Tuple[_Strides, _Strides, _Strides, _Strides] = ((), (), (), ())
    function: str = "causal_update"
    direction = "update"

    @property
    def stem(self) -> str:
        """The prefix of function names."""
        return "causal_update"

    def describe(self) -> str:
        """`causal update bf16 64x4096x1, 4 taps + bias + silu, 64 states of 3`."""
        epilogue = f"{' + bias' if self.bias else ''}{' + ' + self.activation if self.activation else ''}"
        text = f"causal update {self.dtype} {size_text(self.b)}x{self.d}x{self.t}, {self.w} taps{epilogue}"
        text += f", {size_text(self.states)} {'rings' if self.positions else 'states'} of {self.length}"
        return text + (", by indices" if self.indices else "")

    def with_run_time_sizes(self) -> UpdateProblem:
        """The problem with run-time sizes, whose function takes any number of sequences and states."""
        shapes = (self.b, self.d, self.t), (self.d, self.w), (self.states, self.d, self.length), (self.b, self.d, self.t)
        of_input, of_weight, of_state, of_output = (
            _strides_of_any(shape, strides) for shape, strides in zip(shapes, self.strides)
        )
        strides = of_input, of_weight, of_state, of_output
        return dataclasses.replace(self, b=None, states=None, strides=strides)

    def module(self) -> str:
        """The problem as MLIR, a module with one function."""
        tokens, weight = tensor_type((self.b, self.d, self.t), self.dtype), tensor_type((self.d, self.w), self.dtype)
        state = tensor_type((self.states, self.d, self.length), self.dtype)
        of_input, of_weight, of_state, of_output = self.strides
        arguments = [
            ("input", _declare("input", tokens, of_input)),
            ("weight", _declare("weight", weight, of_weight)),
            ("state", _declare("state", state, of_state, ", conv.in_place = 1 : i64")),
        ]
        given = ""
        for name, dtype in (("positions", self.positions), ("indices", self.indices)):
            if dtype:
                kind = tensor_type((self.b,), dtype)
                arguments.append((name, _declare(name, kind)))
                given += f" {name}(%{name} : {kind})"
        bias = ("%bias", tensor_type((self.d,), self.bias), self.bias) if self.bias else None
        if bias:
            arguments.append(("bias", _declare("bias", bias[1])))
        region = _epilogue.biased_activation(bias, self.activation, self.dtype)
        signature = ", ".join(f"%{name}: {declared}" for name, declared in arguments)
        return (
            f'func.func @"{self.function}"({signature})\n'
            f"    -> ({_declare('output', tokens, of_output)}, {state}) {{\n"
            f"  %output, %new_state = conv.causal_update %input, %weight, %state{given} {region}\n"
            f"      : {tokens}, {weight}, {state} -> {tokens}, {state}\n"
            f"  return %output, %new_state : {tokens}, {state}\n}}\n"
        )


@dataclasses.dataclass(frozen=True)
class FinalStateProblem:
    """The last `p` tokens of `n` sequences: of `t` tokens each, or, with `starts`, packed in one row of `t` tokens.

    Operands are input (n, t, d), or (1, t, d) if packed, and then the given optional ones: cu_seqlens (n + 1), of type
    `starts`, initial_state (n, p, d), and, for `rows` of a cache that is updated in place, state (rows, p, d) and indices
    (n), of type `indices`. Without a cache, the result is (n, p, d). `conv.final_state` defines the computation.

    Without `starts`, `n`, `t` and `rows` may be None: run-time sizes, which calls choose.

    strides: of input, initial_state, and cache or result in memory, in elements; contiguous where they are empty.
    """

    n: Size
    t: Size
    d: int
    p: int
    dtype: str
    starts: str = ""
    initial_state: bool = False
    rows: Size = 0
    indices: str = ""
    strides: typing.Tuple[_Strides, _Strides, _Strides] = ((), (), ())
    function: str = "final_state"
    direction = "final_state"

    @property
    def stem(self) -> str:
        """The prefix of function names."""
        return "final_state"

    def describe(self) -> str:
        """`final state bf16 8x100x64, last 3, packed`."""
        text = f"final state {self.dtype} {size_text(self.n)}x{size_text(self.t)}x{self.d}, last {self.p}"
        text += ", packed" if self.starts else ""
        return text + (f", into {size_text(self.rows)} states" if self.rows != 0 else "")

    def with_run_time_sizes(self) -> typing.Optional[FinalStateProblem]:
        """The problem with run-time sizes, whose function takes any number of sequences, tokens and states; or None."""
        shapes = (self.n, self.t, self.d), (self.n, self.p, self.d), (self.rows or self.n, self.p, self.d)
        strides = tuple(map(_strides_of_any, shapes, self.strides))
        if self.starts or strides[0]:
            return None
        return dataclasses.replace(self, n=None, t=None, rows=None if self.rows else 0, strides=strides)

    def module(self) -> str:
        """The problem as MLIR, a module with one function."""
        tokens = tensor_type((1 if self.starts else self.n, self.t, self.d), self.dtype)
        before = tensor_type((self.n, self.p, self.d), self.dtype)
        has_rows = self.rows != 0
        result = tensor_type((self.rows if has_rows else self.n, self.p, self.d), self.dtype)
        of_input, of_before, of_result = self.strides
        arguments, given = [("input", _declare("input", tokens, of_input))], ""
        if self.starts:
            kind = tensor_type((self.n + 1,), self.starts)
            arguments.append(("cu_seqlens", _declare("cu_seqlens", kind)))
            given += f" cu_seqlens(%cu_seqlens : {kind})"
        if self.initial_state:
            arguments.append(("initial_state", _declare("initial_state", before, of_before)))
            given += f" initial_state(%initial_state : {before})"
        returned = _declare("final_state", result, of_result)
        if has_rows:
            kind, returned = tensor_type((self.n,), self.indices), result
            arguments.append(("state", _declare("state", result, of_result, ", conv.in_place = 0 : i64")))
            arguments.append(("indices", _declare("indices", kind)))
            given += f" into(%state : {result}) indices(%indices : {kind})"
        signature = ", ".join(f"%{name}: {declared}" for name, declared in arguments)
        return (
            f'func.func @"{self.function}"({signature})\n    -> ({returned}) {{\n'
            f"  %final_state = conv.final_state %input{given}\n"
            f"      : {tokens} -> {result}\n  return %final_state : {result}\n}}\n"
        )

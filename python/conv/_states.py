# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on the last tokens of sequences, described by their sizes instead of as MLIR."""

from __future__ import annotations

import dataclasses
import typing

from . import _epilogue

_Strides = typing.Tuple[int, ...]


def _tensor(shape: typing.Iterable[int], dtype: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{dtype}>"


def _declare(name: str, kind: str, strides: _Strides = (), more: str = "") -> str:
    """An argument, or a result without `%`."""
    steps = f", conv.strides = array<i64: {', '.join(map(str, strides))}>" if strides else ""
    return f'{kind} {{conv.name = "{name}"{steps}{more}}}'


@dataclasses.dataclass(frozen=True)
class UpdateProblem:
    """`t` more tokens of `b` sequences with `d` channels, convolved with `w` taps, which update their states in place.

    Operands are input (b, d, t), weight (d, w), state (states, d, length), and then those that there are: positions (b)
    and indices (b), which are of the types "i32" or "i64", and bias (d), of its type. The result is (b, d, t).
    `conv.causal_update` says what it computes.

    activation: "silu", or none if empty.
    strides: of input, weight, state and output in memory, in elements; contiguous where they are empty.
    """

    b: int
    d: int
    t: int
    w: int
    states: int
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
        """How names of its functions begin."""
        return "causal_update"

    def describe(self) -> str:
        """`causal update bf16 64x4096x1, 4 taps + bias + silu, 64 states of 3`."""
        epilogue = f"{' + bias' if self.bias else ''}{' + ' + self.activation if self.activation else ''}"
        text = f"causal update {self.dtype} {self.b}x{self.d}x{self.t}, {self.w} taps{epilogue}"
        text += f", {self.states} {'rings' if self.positions else 'states'} of {self.length}"
        return text + (", by indices" if self.indices else "")

    def module(self) -> str:
        """The problem as MLIR, a module with one function."""
        tokens, weight = _tensor((self.b, self.d, self.t), self.dtype), _tensor((self.d, self.w), self.dtype)
        state = _tensor((self.states, self.d, self.length), self.dtype)
        of_input, of_weight, of_state, of_output = self.strides
        arguments = [
            ("input", _declare("input", tokens, of_input)),
            ("weight", _declare("weight", weight, of_weight)),
            ("state", _declare("state", state, of_state, ", conv.in_place = 1 : i64")),
        ]
        given = ""
        for name, dtype in (("positions", self.positions), ("indices", self.indices)):
            if dtype:
                kind = _tensor((self.b,), dtype)
                arguments.append((name, _declare(name, kind)))
                given += f" {name}(%{name} : {kind})"
        bias = ("%bias", _tensor((self.d,), self.bias), self.bias) if self.bias else None
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
    """The last `p` tokens of `n` sequences: of `t` tokens each, or, with `starts`, packed in `t` tokens of one.

    Operands are input (n, t, d), or (1, t, d) if packed, and then those that there are: cu_seqlens (n + 1), of the type
    `starts`, initial_state (n, p, d), and for `rows` of a cache that is updated in place, state (rows, p, d) and indices
    (n), of the type `indices`. Without a cache, the result is (n, p, d). `conv.final_state` says what it computes.

    strides: of input, initial_state, and cache or result in memory, in elements; contiguous where they are empty.
    """

    n: int
    t: int
    d: int
    p: int
    dtype: str
    starts: str = ""
    initial_state: bool = False
    rows: int = 0
    indices: str = ""
    strides: typing.Tuple[_Strides, _Strides, _Strides] = ((), (), ())
    function: str = "final_state"
    direction = "final_state"

    @property
    def stem(self) -> str:
        """How names of its functions begin."""
        return "final_state"

    def describe(self) -> str:
        """`final state bf16 8x100x64, last 3, packed`."""
        text = f"final state {self.dtype} {self.n}x{self.t}x{self.d}, last {self.p}"
        text += ", packed" if self.starts else ""
        return text + (f", into {self.rows} states" if self.rows else "")

    def module(self) -> str:
        """The problem as MLIR, a module with one function."""
        tokens = _tensor((1 if self.starts else self.n, self.t, self.d), self.dtype)
        before = _tensor((self.n, self.p, self.d), self.dtype)
        result = _tensor((self.rows or self.n, self.p, self.d), self.dtype)
        of_input, of_before, of_result = self.strides
        arguments, given = [("input", _declare("input", tokens, of_input))], ""
        if self.starts:
            kind = _tensor((self.n + 1,), self.starts)
            arguments.append(("cu_seqlens", _declare("cu_seqlens", kind)))
            given += f" cu_seqlens(%cu_seqlens : {kind})"
        if self.initial_state:
            arguments.append(("initial_state", _declare("initial_state", before, of_before)))
            given += f" initial_state(%initial_state : {before})"
        returned = _declare("final_state", result, of_result)
        if self.rows:
            kind, returned = _tensor((self.n,), self.indices), result
            arguments.append(("state", _declare("state", result, of_result, ", conv.in_place = 0 : i64")))
            arguments.append(("indices", _declare("indices", kind)))
            given += f" into(%state : {result}) indices(%indices : {kind})"
        signature = ", ".join(f"%{name}: {declared}" for name, declared in arguments)
        return (
            f'func.func @"{self.function}"({signature})\n    -> ({returned}) {{\n'
            f"  %final_state = conv.final_state %input{given}\n"
            f"      : {tokens} -> {result}\n  return %final_state : {result}\n}}\n"
        )

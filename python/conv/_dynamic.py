# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One dynamic convolution, with a kernel for each token, described by its sizes instead of as MLIR."""

from __future__ import annotations

import dataclasses
import re
import typing

from . import _epilogue
from ._library import bad_input
from ._shapes import Size, size_text, tensor_type

FORWARD, INPUT, KERNEL, ACTIVATION = "forward", "backward_input", "backward_kernel", "backward_activation"
STATE = "backward_state"

ORDERS = ("BTGW", "BTWG")
NORMALIZATIONS = ("", "softmax", "l2")
_Named = typing.Tuple[str, str]  #: A tensor's name in the signature, and its type.
_MOST_MEMBERS = 16  #: The most channels of a group whose kernel gradient supports run-time sizes.


@dataclasses.dataclass(frozen=True)
class DynamicProblem:
    """A causal convolution of `b` sequences of `t` tokens of `d` channels, with `w` taps for each token and group.

    `output[b, t, d] = activation(sum over w of kernel[b, t, group(d), w] * input[b, t + w - (W - 1), d])`, where elements
    before a sequence are zero and `group(d) = d // (d / g)`.

    `b`, `t` and `starts` may be None for run-time sizes, which calls choose.

    direction: "forward", of input and kernel; "backward_input", the gradient of the input, of grad_output and kernel;
        "backward_kernel", the gradient of the kernels, of input and grad_output; "backward_activation", the gradient of the
        sum in front of the activation, of input, kernel and grad_output; or "backward_state", the gradient of the initial
        state, of grad_output and kernel.
    g: groups of neighbouring channels that share their kernels; 0: one kernel per channel.
    order: of the kernels' dimensions, "BTGW" or "BTWG"; the last one is contiguous in memory.
    dtype, result_dtype: "f32", "f16", "bf16" or "i8"; an empty result_dtype means the operands' type, and i32 for i8.
    starts: elements of the operand `cu_seqlens` after the first two, one more than there are packed sequences;
        0 if sequences are not packed.
    initial_state: whether the W - 1 tokens before the first token are an operand, after the first two and
        `cu_seqlens`; there is one such state per packed sequence.
    one_kernel: whether all tokens share one kernel, in a tensor with B and T of 1.
    bias: the element type of a vector over channels, the last operand, which is added to sums; empty: no bias.
    normalize: "softmax" or "l2" of the W taps of a kernel before its use; empty: none. With it, "backward_kernel" takes
        the kernels too, after the first two operands and the optional ones.
    activation: "silu"; empty: none. With it, gradients of input and kernel take the gradient of the sum.
    function: the name of the function; empty: derived from the problem.
    """

    b: Size
    t: Size
    d: int
    w: int
    g: int = 0
    order: str = "BTGW"
    dtype: str = "f32"
    result_dtype: str = ""
    direction: str = FORWARD
    activation: str = ""
    starts: Size = 0
    starts_dtype: str = "i32"
    initial_state: bool = False
    one_kernel: bool = False
    bias: str = ""
    normalize: str = ""
    function: str = ""

    @property
    def stem(self) -> str:
        """The prefix of function names."""
        return f"dynamic_{self.direction}"

    def describe(self) -> str:
        """`dynamic forward bf16 8x2048x4096, 4 taps + silu (BTWG)`."""
        sizes = f"{size_text(self.b)}x{size_text(self.t)}x{self.d}"
        text = f"dynamic {self.direction} {self.dtype} {sizes}, {self.w} taps"
        text += f", {self.g} groups" if self.g not in (0, self.d) else ""
        text += ", packed" if self.starts is None else f", {self.starts - 1} packed" if self.starts else ""
        text += ", initial state" if self.initial_state else ""
        text += ", one kernel" if self.one_kernel else ""
        text += f", {self.normalize}" if self.normalize else ""
        text += " + bias" if self.bias else ""
        return f"{text}{' + ' + self.activation if self.activation else ''} ({self.order})"

    def with_run_time_sizes(self) -> typing.Optional[DynamicProblem]:
        """The problem with run-time sizes whose function takes any number of sequences and tokens; None if there is none."""
        if self.direction == KERNEL and self.d // (self.g or self.d) > _MOST_MEMBERS:
            return None
        if self.starts == 0:
            return dataclasses.replace(self, b=None, t=None)
        has_states = self.initial_state or self.direction == STATE  # There is one for each of a known number of sequences.
        return dataclasses.replace(self, b=1, t=None, starts=self.starts if has_states else None)

    def module(self) -> str:
        """The problem as MLIR, a module with one function.

        Raises:
            Error: a number or a name is wrong.
        """
        self._check()
        tokens, kernels, state = self._types(self.dtype)
        wide = self.result_dtype or ("i32" if self.dtype == "i8" else self.dtype)
        input, kernel, grad = ("input", tokens), ("kernel", kernels), ("grad_output", tokens)  # noqa: A001
        vector = tensor_type((self.d,), self.bias)
        bias = ("%bias", vector, self.bias) if self.bias else None
        result = self._types(wide)
        seen = (kernel,) if self.normalize else ()
        operands: typing.Sequence[_Named]
        operation, operands, output, region = {
            FORWARD: (
                *("forward", (input, kernel), ("output", result[0])),
                _epilogue.biased_activation(bias, self.activation, wide),
            ),
            INPUT: ("backward_input", (grad, kernel), ("grad_input", result[0]), ""),
            KERNEL: ("backward_kernel", (input, grad, *seen), ("grad_kernel", result[1]), ""),
            STATE: ("backward_state", (grad, kernel), ("grad_state", result[2]), ""),
            ACTIVATION: (
                *("forward", (input, kernel, grad), ("grad_sum", tokens)),
                _epilogue.activation_gradient(("%grad_output", tokens, self.dtype), bias),
            ),
        }[self.direction]
        starts = tensor_type((self.starts,), self.starts_dtype)
        more = [("cu_seqlens", starts)] if self.starts != 0 else []
        more += [("initial_state", state)] if self.initial_state else []
        named = [*more, *seen] if self.direction == KERNEL else more
        given = " ".join(f"{name}(%{name} : {kind})" for name, kind in named)
        order = f"{self.order} normalize = {self.normalize}" if self.normalize else self.order
        operands = (*operands[:2], *more, *operands[2:], *([("bias", vector)] if bias else ()))
        arguments = ", ".join(f'%{name}: {kind} {{conv.name = "{name}"}}' for name, kind in operands)
        (lhs, lhs_type), (rhs, rhs_type), (name, kind) = *operands[:2], output
        return (
            f'func.func @"{self._name()}"({arguments})\n    -> ({kind} {{conv.name = "{name}"}}) {{\n'
            f"  %{name} = conv.dynamic_{operation} %{lhs}, %{rhs} {given} order = {order}\n"
            f"      {region} : {lhs_type}, {rhs_type} -> {kind}\n  return %{name} : {kind}\n}}\n"
        )

    def _check(self) -> None:
        _epilogue.check_name("order", self.order, ORDERS)
        _epilogue.check_name("dtype", self.dtype, _epilogue.SUMS)
        _epilogue.check_name("result_dtype", self.result_dtype, ("", "f32", "f16", "bf16", "i32"))
        _epilogue.check_name("direction", self.direction, (FORWARD, INPUT, KERNEL, ACTIVATION, STATE))
        _epilogue.check_name("starts_dtype", self.starts_dtype, ("i32", "i64"))
        _epilogue.check_name("activation", self.activation, _epilogue.ACTIVATIONS)
        _epilogue.check_name("normalize", self.normalize, NORMALIZATIONS)
        _epilogue.check_name("bias", self.bias, ("", "f32", "f16", "bf16"))
        if self.bias and (self.dtype == "i8" or self.direction not in (FORWARD, ACTIVATION)):
            raise bad_input(f"bias: expects '' for i8, and for {self.direction}, but got {self.bias!r}")
        if self.normalize and self.dtype == "i8":
            raise bad_input(f"normalize: expects '' for i8, but got {self.normalize!r}")
        if self.dtype == "i8" and (self.activation or self.direction == ACTIVATION):
            raise bad_input("activation: expects '' for sums of i8, but got 'silu'")
        for name in ("b", "t", "d", "w"):
            size = getattr(self, name)
            if size is not None and size < 1:
                raise bad_input(f"{name}: expects a positive number, but got {getattr(self, name)}")
        if self.starts is not None and (self.starts < 0 or self.starts == 1):
            raise bad_input(f"starts: expects 0, or 2 and more, but got {self.starts}")
        if self.g < 0 or self.d % (self.g or self.d):
            raise bad_input(f"g: expects a number that divides the {self.d} channels, but got {self.g}")
        if not re.fullmatch(r"[\w.$-]*", self.function, re.ASCII):
            raise bad_input(f"function: expects letters, digits and '_.$-', but got {self.function!r}")

    def _types(self, dtype: str) -> typing.Tuple[str, str, str]:
        """The types of tokens, of kernels, and of an initial state."""
        groups = self.g or self.d
        last = (groups, self.w) if self.order == "BTGW" else (self.w, groups)
        first = (1, 1) if self.one_kernel else (self.b, self.t)
        sequences = self.starts - 1 if self.starts else self.b
        shapes = (self.b, self.t, self.d), (*first, *last), (sequences, self.w - 1, self.d)
        return tuple(tensor_type(shape, dtype) for shape in shapes)

    def _name(self) -> str:
        tokens = "".join(f"_{name}{size}" for name, size in (("b", self.b), ("t", self.t)) if size is not None)
        sizes = f"{tokens}_d{self.d}_g{self.g or self.d}_w{self.w}"[1:]
        sizes += f"_packed{self.starts or ''}" if self.starts != 0 else ""
        sizes += "_state" if self.initial_state else ""
        sizes += "_bias" if self.bias else ""
        sizes += f"_{self.normalize}" if self.normalize else ""
        return self.function or f"{self.stem}_{self.dtype}_{sizes}"

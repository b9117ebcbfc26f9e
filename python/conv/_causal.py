# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of the sum in front of the activation of a short convolution, in one kernel."""

from __future__ import annotations

import dataclasses

from . import _epilogue
from ._shapes import tensor_type

#: The orders of the dimensions of sequences, filters and results, by the order of sequences in PyTorch's letters.
_LAYOUTS = {"NCW": ("NCW", "KCS", "NKQ"), "NWC": ("NWC", "KSC", "NQK")}


@dataclasses.dataclass(frozen=True)
class ActivationGradient:
    """`grad_output * silu'(convolution + bias)` of `n` sequences of `size` tokens, with `taps` taps for each of `c` channels
    and `low` zeros before each sequence. The gradients of input and filter take it as grad_output.

    `order` is the order of the sequences, "NCW" or "NWC"; `bias` is the type of its elements, or empty for no bias.
    """

    n: int
    c: int
    size: int
    taps: int
    low: int
    order: str
    dtype: str
    bias: str = ""
    function: str = "activation_gradient"
    direction = "backward_activation"

    @property
    def stem(self) -> str:
        """The prefix of function names."""
        return f"causal_{self.direction}"

    def describe(self) -> str:
        """`causal backward_activation bf16 2x64x100, 4 taps + silu (NWC)`."""
        epilogue = f"{' + bias' if self.bias else ''} + silu"
        sizes = f"{self.n}x{self.c}x{self.size}, {self.taps} taps"
        return f"causal {self.direction} {self.dtype} {sizes}{epilogue} ({self.order})"

    def module(self) -> str:
        """The problem as MLIR, a module with one function."""
        layouts = ", ".join(f'"{layout}"' for layout in _LAYOUTS[self.order])
        window = f"<strides = [1], dilations = [1], low = [{self.low}], high = [0]>"
        source, grad = (self._tokens(size) for size in (self.size, self.low + self.size - self.taps + 1))
        taps = (1, self.taps) if self.order == "NCW" else (self.taps, 1)
        filters = tensor_type((self.c, *taps), self.dtype)
        names = [("input", source), ("filter", filters), ("grad_output", grad)]
        vector = tensor_type((self.c,), self.bias), self.bias
        if self.bias:
            names.insert(2, ("bias", vector[0]))
        region = _epilogue.activation_gradient(
            ("%grad_output", grad, self.dtype), ("%bias", *vector) if self.bias else None
        )
        arguments = ", ".join(f'%{name}: {kind} {{conv.name = "{name}"}}' for name, kind in names)
        return (
            f'func.func @"{self.function}"({arguments})\n    -> ({grad} {{conv.name = "grad_sum"}}) {{\n'
            f"  %grad_sum = conv.forward %input, %filter window = {window}\n"
            f"      layouts = <{layouts}> groups = {self.c} {region}\n"
            f"      : {source}, {filters} -> {grad}\n  return %grad_sum : {grad}\n}}\n"
        )

    def _tokens(self, size: int) -> str:
        return tensor_type((self.n, self.c, size) if self.order == "NCW" else (self.n, size, self.c), self.dtype)

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of an optimised graph other than convolutions: norms, linear layers, attention, resizing, pooling.

Either PyTorch runs them one by one, or `torch.compile` compiles them around the kernels of conv. Which way is faster depends
on the network, so both are timed unless the caller chooses one.
"""

from __future__ import annotations

import operator
import time
import typing
import warnings

import torch

from . import _choices

Example = typing.Sequence[object]
Wrap = typing.Callable[[torch.nn.Module], torch.nn.Module]

_STARTS_NOTHING = (torch.ops.conv.convolution.default, torch.ops.aten.reshape.default, operator.getitem)
_MOST_DETAIL = 300  #: The most characters of an error in the report.
_MOST_CALLS = 10  #: The most calls in a round.
_ROUND_SECONDS = 0.1  #: The most seconds of a module's round, unless one call takes longer.
_ROUNDS = 5


class CompiledModule(torch.nn.Module):
    """A graph for inference, compiled by `torch.compile`. A copy is compiled at its own first call."""

    def __init__(self, module: torch.fx.GraphModule) -> None:
        super().__init__()
        self.module = module
        self._compile()

    def _compile(self) -> None:
        # Not a submodule, since the parameters would appear twice.
        self.__dict__["_compiled"] = torch.compile(self.module, dynamic=False)

    def forward(self, *inputs: object) -> object:
        is_tracked = torch.is_grad_enabled() and any(
            isinstance(value, torch.Tensor) and value.requires_grad for value in inputs
        )
        if is_tracked:  # The operators explain why they have no gradient; the compiler would fail before that.
            return self.module(*inputs)
        with torch.no_grad():
            return self._compiled(*inputs)

    def __getstate__(self) -> dict:
        return {name: value for name, value in self.__dict__.items() if name != "_compiled"}

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self._compile()


def count_operators(graph: torch.fx.GraphModule) -> int:
    """The number of nodes other than convolutions that start kernels; views and parts of results do not (or only copy)."""
    return sum(
        node.op == "call_function"
        and node.target not in _STARTS_NOTHING
        and not getattr(node.target, "is_view", False)
        for node in graph.graph.nodes
    )


def _time(modules: typing.Sequence[torch.nn.Module], example: Example, device: torch.device) -> typing.List[float]:
    """Seconds of one call of each module, with its launches, in the fastest of several rounds, after one warm-up call."""

    def time_calls(module: torch.nn.Module, calls: int) -> float:
        begin = time.perf_counter()
        for _ in range(calls):
            module(*example)
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        return (time.perf_counter() - begin) / calls

    first = [time_calls(module, 1) for module in modules]
    calls = max(1, min(_MOST_CALLS, int(_ROUND_SECONDS / max(first))))
    rounds = [[time_calls(module, calls) for module in modules] for _ in range(_ROUNDS)]
    return [min(times) for times in zip(*rounds)]


def finish(
    graph: torch.fx.GraphModule,
    example: Example,
    device: torch.device,
    wrap: Wrap,
    compile_rest: typing.Optional[bool],
    measure: bool,
) -> torch.nn.Module:
    """The module that runs a graph, through `wrap`: compiled if that is demanded, or else if it is possible and faster.

    Without `measure`, it is compiled if that is possible. The report has the choice.
    """
    count = count_operators(graph)
    if compile_rest is False or (compile_rest is None and not count):
        return wrap(graph)
    choice = _choices.RestChoice(f"a module with {count} operators that are no convolutions", device)
    try:
        with torch.no_grad():
            compiled = wrap(CompiledModule(graph))
            compiled(*example)
    except Exception as error:  # Whatever torch.compile raises if its compilers are missing.
        if compile_rest:
            raise
        warnings.warn(f"PyTorch's kernels run instead of torch.compile's code: {error}", stacklevel=3)
        choice.reason, choice.detail = "torch.compile", " ".join(f"{type(error).__name__}: {error}".split())[:_MOST_DETAIL]
        _choices.remember(choice)
        return wrap(graph)
    choice.is_compiled = True
    if compile_rest is None and measure:
        plain = wrap(graph)
        with torch.no_grad():
            choice.seconds = tuple(_time((compiled, plain), example, device))
        ours, theirs = (f"{seconds * 1e6:.1f} us" for seconds in choice.seconds)
        choice.reason = "measured"
        choice.detail = f"a call takes {ours} with torch.compile, and {theirs} without"
        choice.is_compiled = choice.seconds[0] < choice.seconds[1]
    _choices.remember(choice)
    return compiled if choice.is_compiled else plain

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of an optimised graph is no convolution: norms, linear layers, attention, resizing, pooling.

PyTorch runs it operator by operator, or `torch.compile` makes kernels of it, around those of conv. Which way is the faster
one depends on how much of it there is, so that both are timed where nobody says which one it is to be.
"""

from __future__ import annotations

import operator
import time
import typing

import torch

from . import _choices

Example = typing.Sequence[object]
Wrap = typing.Callable[[torch.nn.Module], torch.nn.Module]

_STARTS_NOTHING = (torch.ops.conv.convolution.default, torch.ops.aten.reshape.default, operator.getitem)
_MOST_DETAIL = 300  #: Characters of an error in the report.
_MOST_CALLS = 10  #: In a round.
_ROUND_SECONDS = 0.1  #: Of a module, at most, if a call does not take longer.
_ROUNDS = 5


class CompiledModule(torch.nn.Module):
    """A graph for inference as `torch.compile` has it. Copies of it are compiled by their first call."""

    def __init__(self, module: torch.fx.GraphModule) -> None:
        super().__init__()
        self.module = module
        self._compile()

    def _compile(self) -> None:
        # No submodule, which would have the parameters twice.
        self.__dict__["_compiled"] = torch.compile(self.module, dynamic=False)

    def forward(self, *inputs: object) -> object:
        is_tracked = torch.is_grad_enabled() and any(
            isinstance(value, torch.Tensor) and value.requires_grad for value in inputs
        )
        if is_tracked:  # The operators say what they have no gradient for; the compiler would stop before they can.
            return self.module(*inputs)
        with torch.no_grad():
            return self._compiled(*inputs)

    def __getstate__(self) -> dict:
        return {name: value for name, value in self.__dict__.items() if name != "_compiled"}

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self._compile()


def count_operators(graph: torch.fx.GraphModule) -> int:
    """How many nodes are no convolutions and start kernels: views, and parts of results, do not (or only to copy)."""
    return sum(
        node.op == "call_function"
        and node.target not in _STARTS_NOTHING
        and not getattr(node.target, "is_view", False)
        for node in graph.graph.nodes
    )


def _time(modules: typing.Sequence[torch.nn.Module], example: Example, device: torch.device) -> typing.List[float]:
    """Seconds of a call of each, its launches included, in the fastest of several rounds. The first one is warming up."""

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
    """The module that runs a graph, as `wrap` makes it of one: compiled, if that is wanted, or possible and not slower.

    Without `measure`, it is compiled where that is possible. The report has the choice.
    """
    count = count_operators(graph)
    if compile_rest is False or (compile_rest is None and not count):
        return wrap(graph)
    choice = _choices.RestChoice(f"a module with {count} operators that are no convolutions", device)
    try:
        with torch.no_grad():
            compiled = wrap(CompiledModule(graph))
            compiled(*example)
    except Exception as error:  # Whatever its compilers raise where they are not there.
        if compile_rest:
            raise
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

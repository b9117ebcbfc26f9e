# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of an optimised graph other than convolutions: norms, linear layers, attention, resizing, pooling.

Either PyTorch runs them one by one, or the compiler of `torch.compile` compiles them around the kernels of conv. Which way is
faster depends on the network, so both are timed unless the caller chooses one. The code's results are compared with the model's.
"""

from __future__ import annotations

import operator
import time
import typing
import warnings

import torch

from . import _choices, _fused
from ._compiled import CompiledModule
from ._example import Example
from ._verify import Check

Wrap = typing.Callable[[torch.nn.Module], torch.nn.Module]

_STARTS_NOTHING = (
    torch.ops.conv.convolution.default,
    _fused.fused_convolution,
    torch.ops.aten.reshape.default,
    operator.getitem,
)
_MOST_DETAIL = 300  #: The most characters of an error in the report.
_MOST_CALLS = 10  #: The most calls in a round.
_ROUND_SECONDS = 0.1  #: The most seconds of a module's round, unless one call takes longer.
_ROUNDS = 5


class Graph(typing.NamedTuple):
    """An optimised graph, and what decides how its operators run."""

    name: str  #: Of the model, for the report.
    module: torch.fx.GraphModule
    example: Example
    device: torch.device
    wrap: Wrap
    check: Check


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


def finish(graph: Graph, compile_rest: typing.Optional[bool], measure: bool) -> torch.nn.Module:
    """The module that runs a graph, through `wrap`: compiled if that is demanded, or else if it is possible, has the right
    results and is faster.

    Without `measure`, it is compiled if that is possible. The report has the choice.
    """
    count = count_operators(graph.module)
    if compile_rest is False or (compile_rest is None and not count):
        return graph.wrap(graph.module)
    choice = _choices.RestChoice(f"{graph.name} with {count} operators that are no convolutions", graph.device)
    compiled = _compile(graph, choice, compile_rest is True)
    if compiled is None:
        _choices.remember(choice)
        return graph.wrap(graph.module)
    choice.is_compiled = True
    if compile_rest is None and measure:
        plain = graph.wrap(graph.module)
        with torch.no_grad():
            choice.seconds = tuple(_time((compiled, plain), graph.example, graph.device))
        graph.check.restore()
        ours, theirs = (f"{seconds * 1e6:.1f} us" for seconds in choice.seconds)
        choice.reason = "measured"
        choice.detail = f"a call takes {ours} with torch.compile, and {theirs} without"
        choice.is_compiled = choice.seconds[0] < choice.seconds[1]
    _choices.remember(choice)
    return compiled if choice.is_compiled else plain


def _compile(
    graph: Graph, choice: _choices.RestChoice, is_demanded: bool
) -> typing.Optional[torch.nn.Module]:
    """The compiled module. If it cannot be had or is wrong, that is an error if it `is_demanded`; otherwise None, and the
    choice says why."""
    try:
        compiled = graph.wrap(CompiledModule(graph.module))
        reason, detail = "differs", graph.check.explain(compiled)
    except Exception as error:  # Whatever the compilers raise if they are missing.
        if is_demanded:
            raise
        reason, detail = "torch.compile", f"{type(error).__name__}: {error}"
    if not detail:
        return compiled
    if is_demanded:
        raise RuntimeError(f"expects the results of the model from torch.compile's code, but {detail}")
    warnings.warn(f"PyTorch's kernels run instead of torch.compile's code: {detail}", stacklevel=4)
    choice.reason, choice.detail = reason, " ".join(detail.split())[:_MOST_DETAIL]
    return None

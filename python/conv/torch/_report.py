# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The choices, for people and for scripts."""

from __future__ import annotations

import typing

import torch

from . import _choices
from ._choices import Choice
from ._example import Example, check_example


class Row(typing.NamedTuple):
    """One problem on one device, or the other operators of an optimised module. Seconds are None if not measured."""

    problem: str
    device: str
    runs: str  #: "conv" or "torch"; for other operators "compile", code of `torch.compile`, or "eager".
    reason: str  #: Why PyTorch's kernel runs: a reason code of the compiler, or "measured", "compiler", "compiling", ...
    detail: str
    calls: int
    conv_seconds: typing.Optional[float]
    torch_seconds: typing.Optional[float]
    layers: typing.Tuple[str, ...] = ()  #: Names of modules, if a model was given.


def _row(choice: Choice, layers: typing.Sequence[str] = ()) -> Row:
    text = choice.problem.describe() if choice.problem else choice.description
    ours, theirs = choice.seconds or (None, None)
    return Row(
        *(text, choice.device, choice.runs, "" if choice.kernel else choice.reason, choice.detail, choice.calls, ours, theirs),
        tuple(layers),
    )


class Report(typing.List[Row]):
    """Rows, the most called first; `print` shows them as a table."""

    def __str__(self) -> str:
        def microseconds(seconds: typing.Optional[float]) -> str:
            return f"{seconds * 1e6:.1f}" if seconds is not None else "-"

        lines = [("calls", "runs", "conv us", "torch us", "problem", "reason", "layers")]
        for row in self:
            times = microseconds(row.conv_seconds), microseconds(row.torch_seconds)
            lines.append((str(row.calls), row.runs, *times, row.problem, row.reason, ", ".join(row.layers)))
        if not any(row.layers for row in self):
            lines = [line[:-1] for line in lines]
        widths = [max(map(len, column)) for column in zip(*lines)]
        text = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
        problems = [row for row in self if row.runs in ("conv", "torch")]
        return f"{text}\n{sum(row.runs == 'conv' for row in problems)} of {len(problems)} problems run on kernels of conv"


def _find_layers(model: torch.nn.Module, example: Example) -> typing.Dict[Choice, typing.List[str]]:
    """The names of the modules that call each problem when the model runs once, forward."""
    names: typing.Dict[Choice, typing.List[str]] = {}
    before: typing.Dict[str, typing.Dict[Choice, int]] = {}

    def count() -> typing.Dict[Choice, int]:
        return {choice: choice.calls for choice in _choices.all_choices()}

    def watch(name: str, module: torch.nn.Module) -> typing.Iterator[typing.Any]:
        def start(*_: object) -> None:
            before[name] = count()

        def end(*_: object) -> None:
            was = before.pop(name)
            for choice, calls in count().items():
                if calls > was.get(choice, 0):
                    names.setdefault(choice, []).append(name)

        yield module.register_forward_pre_hook(start)
        yield module.register_forward_hook(end)

    leaves = [(name, module) for name, module in model.named_modules() if not any(module.children())]
    hooks = [hook for name, module in leaves for hook in watch(name, module)]
    try:
        with torch.no_grad(), torch.random.fork_rng():
            model(*example)
    finally:
        for hook in hooks:
            hook.remove()
    return names


def report(model: typing.Optional[torch.nn.Module] = None, example: Example = ()) -> Report:
    """The choices of this process so far.

    With a model and the positional inputs of an example: the problems that the model calls, with the names of its layers. It
    runs once, forward, in its present mode (a model in training updates its statistics).
    """
    if model is None:
        rows = map(_row, _choices.all_choices())
    else:
        check_example(model, example)
        rows = (_row(choice, names) for choice, names in _find_layers(model, example).items())
    return Report(sorted(rows, key=lambda row: -row.calls))

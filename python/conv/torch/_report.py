# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was chosen, for people and for scripts."""

from __future__ import annotations

import typing

from . import _choices
from ._choices import Choice


class Row(typing.NamedTuple):
    """One problem on one device. Seconds are None where nothing was measured."""

    problem: str
    device: str
    runs: str  #: "conv" or "torch".
    reason: str  #: Why it is PyTorch's: a reason code of the compiler, or "measured", "compiler", "compiling", ...
    detail: str
    calls: int
    conv_seconds: typing.Optional[float]
    torch_seconds: typing.Optional[float]


def _row(choice: Choice) -> Row:
    text = choice.problem.describe() if choice.problem else choice.description
    runs = "conv" if choice.kernel else "torch"
    ours, theirs = choice.seconds or (None, None)
    return Row(
        text, choice.device, runs, "" if choice.kernel else choice.reason, choice.detail, choice.calls, ours, theirs
    )


class Report(typing.List[Row]):
    """Rows, the most called first; `print` shows them as a table."""

    def __str__(self) -> str:
        def microseconds(seconds: typing.Optional[float]) -> str:
            return f"{seconds * 1e6:.1f}" if seconds is not None else "-"

        lines = [("calls", "runs", "conv us", "torch us", "problem", "reason")]
        for row in self:
            times = microseconds(row.conv_seconds), microseconds(row.torch_seconds)
            lines.append((str(row.calls), row.runs, *times, row.problem, row.reason))
        widths = [max(map(len, column)) for column in zip(*lines)]
        text = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
        return f"{text}\n{sum(row.runs == 'conv' for row in self)} of {len(self)} problems run on kernels of conv"


def report() -> Report:
    """What was chosen in this process so far."""
    return Report(sorted(map(_row, _choices.all_choices()), key=lambda row: -row.calls))

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Default against tuned schedules as tables of Markdown: a summary for each direction, and each layer."""

from __future__ import annotations

import typing

from ._database import Database
from ._problems import parse_line
from ._report import LayerReport, mean_gain, report_layers

#: Layers whose best schedule is faster by less than this factor count as unchanged.
_SAME = 1.01


def _name(problem: str) -> typing.Tuple[str, str]:
    """The direction, and a layer in a few words."""
    found = parse_line(problem)

    def by_x(sizes: typing.Sequence[int]) -> str:
        return "x".join(map(str, sizes))

    text = f"{found.n} x {by_x(found.input)}, {found.c} -> {found.k}, {by_x(found.filter)}"
    if any(step != 1 for step in found.stride):
        text += f", stride {by_x(found.stride)}"
    if any(step != 1 for step in found.dilation):
        text += f", dilation {by_x(found.dilation)}"
    if found.groups != 1:
        text += f", {found.groups} groups"
    return found.direction, text


def _summarize(name: str, layers: typing.Sequence[LayerReport]) -> str:
    gains = sorted(one.gain for one in layers)
    clear = [one for one in layers if one.is_clear and one.gain >= _SAME]
    total = sum(one.default for one in layers) / sum(one.best for one in layers)
    return (
        f"| {name} | {len(layers)} | {mean_gain(layers):.3f} | {total:.3f} | {gains[len(gains) // 2]:.3f} | "
        f"{gains[-1]:.2f} | {sum(gain >= _SAME for gain in gains)} | {len(clear)} | "
        f"{sum(one.measured for one in layers)} |"
    )


def print_markdown(database: Database) -> None:
    """The measured layers that have a default."""
    layers = [one for one in report_layers(database, kind="measured") if one.default]
    directions: typing.Dict[str, typing.List[LayerReport]] = {}
    for one in layers:
        directions.setdefault(_name(one.problem)[0], []).append(one)
    print("| direction | layers | geometric mean | of the sums | median | most | 1 % or more | of them clear | schedules |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, own in directions.items():
        print(_summarize(name, own))
    if layers:
        print(_summarize("all", layers))
    for name, own in directions.items():
        print(f"\n## {name}\n\n| layer | default, us | best, us | gain | measured |\n| --- | --- | --- | --- | --- |")
        for one in sorted(own, key=lambda one: -one.gain):
            mark = "" if one.is_clear or one.gain < _SAME else " (within the spread)"
            print(
                f"| {_name(one.problem)[1]} | {one.default * 1e6:.2f} | {one.best * 1e6:.2f} | {one.gain:.3f}{mark} | "
                f"{one.measured} |"
            )

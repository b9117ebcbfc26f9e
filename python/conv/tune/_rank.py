# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stale rows, ranked again row by row for the installed compiler.

A row of another compiler measures that compiler's code. The time of its schedule today is estimated from the change of the
cost model's prediction: `seconds * predicted now / predicted then`.
"""

from __future__ import annotations

import dataclasses
import typing

from .. import _compiler
from .._library import Error
from ._database import Measurement, best_rows, plain
from ._problems import parse_line


@dataclasses.dataclass(frozen=True)
class Ranked:
    """A stale row of a problem, and its rank now."""

    row: Measurement
    before: int  #: Its rank by measurement, from 1.
    predicted: typing.Optional[float]  #: By today's cost model; None if it no longer offers the schedule.
    expected: typing.Optional[float]  #: Seconds; None if one of the predictions is unknown.


def predict(problem: str, target: str, compute_units: int) -> typing.Dict[str, float]:
    """The predicted seconds of all schedules of a problem on a device with so many compute units, the default first; none if
    it is refused."""
    module = parse_line(problem).module()
    try:
        explained = _compiler.explain(module, target, as_json=True, database="", compute_units=compute_units)
        records = _compiler.list_schedules(module, target, compute_units=compute_units)
    except Error:
        return {}
    kernel = next(kernel for kernel in explained if "schedule" in kernel)
    default = kernel["predicted"]["seconds"] + sum(one["seconds"] for one in kernel.get("transforms", ()))
    return {plain(kernel["schedule"]): default, **{record["schedule"]: record["seconds"] for record in records}}


def rank_stale(
    rows: typing.Iterable[Measurement], compiler: str
) -> typing.Iterator[typing.Tuple[tuple, typing.List[Ranked], typing.Optional[float]]]:
    """For each group of stale rows, as from `best_rows`: its key, its rows, sorted by expected time, and the predicted time
    of the cost model's own choice."""
    for key, group in best_rows(row for row in rows if row.compiler != compiler).items():
        predictions = predict(*key[:3])
        ranked = []
        for before, row in enumerate(group, 1):
            now = predictions.get(plain(row.schedule))
            expected = row.seconds * now / row.predicted if now and row.predicted else None
            ranked.append(Ranked(row, before, now, expected))
        ranked.sort(key=lambda one: (one.predicted is None, one.expected or one.row.seconds))
        yield key, ranked, next(iter(predictions.values()), None)


def print_ranks(rows: typing.Iterable[Measurement], compiler: str, shown_digits: int) -> None:
    """All groups, for people."""
    stale = problems = moved = gone = 0
    for (problem, target, units, other, _), ranked, choice in rank_stale(rows, compiler):
        own = "is refused" if choice is None else f"chooses what it predicts at {choice * 1e6:.2f} us"
        print(f"{problem}\n  {target}, {units} compute units, compiler {other[:shown_digits]} stale; this one {own}")
        for place, one in enumerate(ranked, 1):
            was = f"measured {one.row.seconds * 1e6:.2f} us"
            if one.predicted is None:
                print(f"    - (was {one.before}): offered no more, {was}: {one.row.schedule}")
            elif one.expected is None:
                print(f"  {place:3} (was {one.before}): {was}, predicted {one.predicted * 1e6:.2f}: {one.row.schedule}")
            else:
                print(
                    f"  {place:3} (was {one.before}): expected {one.expected * 1e6:.2f} us, {was}, predicted "
                    f"{one.row.predicted * 1e6:.2f} then and {one.predicted * 1e6:.2f} now: {one.row.schedule}"
                )
        stale, problems = stale + len(ranked), problems + 1
        moved += ranked[0].before != 1
        gone += sum(one.predicted is None for one in ranked)
    print(f"{stale} stale rows of {problems} problems: {moved} have another best one now, {gone} rows are offered no more")

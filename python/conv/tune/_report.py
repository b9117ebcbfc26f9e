# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report of a database: the default against the best schedule of each layer, and the errors of predictions."""

from __future__ import annotations

import dataclasses
import math
import re
import statistics
import typing

from ._database import Database, Measurement, Quarantined, best_rows


@dataclasses.dataclass(frozen=True)
class LayerReport:
    """One problem on one kind of device, by one compiler."""

    problem: str
    target: str
    compute_units: int
    compiler: str
    kind: str
    device: str
    default: typing.Optional[float]  #: Seconds of the compiler's choice,
    best: float  #: and of the best schedule found.
    schedule: str  #: The best schedule.
    is_clear: bool  #: Whether its slowest round is faster than the fastest round of the default.
    measured: int  #: Number of schedules.
    quarantined: int

    @property
    def gain(self) -> typing.Optional[float]:
        """How many times as fast as the default the best one is."""
        return self.default / self.best if self.default else None


def report_layers(database: Database, **equal: object) -> typing.List[LayerReport]:
    """A report for each problem, target, number of compute units, compiler and kind."""
    rejected: typing.Dict[tuple, int] = {}
    for row in database.rows(Quarantined):
        key = (row.problem, row.target, row.compiler)
        rejected[key] = rejected.get(key, 0) + 1
    reports = []
    for (problem, target, units, compiler, kind), rows in best_rows(database.rows(**equal)).items():
        defaults = [row for row in rows if row.is_default]
        reports.append(
            LayerReport(
                problem=problem,
                target=target,
                compute_units=units,
                compiler=compiler,
                kind=kind,
                device=rows[0].device,
                default=defaults[0].seconds if defaults else None,
                best=rows[0].seconds,
                schedule=rows[0].schedule,
                is_clear=bool(defaults) and rows[0].most < defaults[0].least,
                measured=len(rows),
                quarantined=rejected.get((problem, target, compiler), 0),
            )
        )
    return reports


def mean_gain(reports: typing.Sequence[LayerReport]) -> typing.Optional[float]:
    """The geometric mean of the gains by tuning."""
    gains = [math.log(one.gain) for one in reports if one.gain]
    return math.exp(statistics.fmean(gains)) if gains else None


def _main_loop(schedule: str) -> str:
    """The main loop of a schedule, or the family of its kernel if that has only one."""
    found = re.search(r"main_loop = (\w+)", schedule) or re.search(r"kernel = #conv\.(\w+)", schedule)
    return found[1] if found else "other"


def report_predictions(rows: typing.Sequence[Measurement]) -> typing.List[dict]:
    """For each target and main loop, measured over predicted times of kernels: the geometric mean, and the factor within
    which two thirds of them lie, if they are normally distributed. A calibration is fitted to this; modelled rows say nothing
    about it."""
    groups: typing.Dict[tuple, typing.List[float]] = {}
    for row in rows:
        if row.kind == "measured" and row.predicted:
            groups.setdefault((row.target, _main_loop(row.schedule)), []).append(math.log(row.seconds / row.predicted))
    return [
        {
            "target": target,
            "main_loop": loop,
            "schedules": len(logs),
            "measured_over_predicted": math.exp(statistics.fmean(logs)),
            "spread": math.exp(statistics.pstdev(logs)),
        }
        for (target, loop), logs in sorted(groups.items())
    ]


def print_report(database: Database, compiler: str = "") -> None:
    """Tables for people. Rows of other compilers than the one with this fingerprint are marked as stale."""
    reports = report_layers(database)
    width = max((len(one.problem) for one in reports), default=7)
    print(f"{'problem':{width}}  {'target':8} {'us':>10} {'best':>10} {'gain':>6} {'rows':>5} {'out':>4}")
    for one in reports:
        default = f"{one.default * 1e6:10.2f}" if one.default else f"{'-':>10}"
        gain = f"{one.gain:6.3f}" if one.gain else f"{'-':>6}"
        marks = [one.kind] if one.kind != "measured" else []
        marks += ["stale"] if compiler and one.compiler != compiler else []
        line = f"{one.problem:{width}}  {one.target:8} {default} {one.best * 1e6:10.2f} {gain}"
        print(f"{line} {one.measured:5} {one.quarantined:4} {' '.join(marks)}".rstrip())
    for kind in ("measured", "modelled"):
        own = [one for one in reports if one.kind == kind]
        if own and mean_gain(own):
            print(
                f"{len(own)} problems {kind}: the best is {mean_gain(own):.3f} times as fast as the default (geometric mean)"
            )
    for group in report_predictions(database.rows()):
        print(
            f"{group['target']} {group['main_loop']}: {group['schedules']} kernels took "
            f"{group['measured_over_predicted']:.2f} times as long as predicted, within a factor of {group['spread']:.2f}"
        )

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which schedules of a problem to measure: the default, schedules that were good before, and some of every kind."""

from __future__ import annotations

import dataclasses
import json
import typing

from .. import _compiler
from .._problem import Problem
from ._database import plain
from ._kind import get_kind


@dataclasses.dataclass(frozen=True)
class Size:
    """How much of a space is measured: at most `count` schedules with a predicted time of at most `bound` times the best
    one's; only the best of each kind if `by_kind`."""

    count: int
    bound: float
    by_kind: bool = True


SIZES = {"quick": Size(6, 1.3), "standard": Size(24, 1.5), "full": Size(1 << 20, 2.0, by_kind=False)}


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A schedule and its predicted seconds. The default has no schedule: the compiler chooses it."""

    schedule: str
    predicted: typing.Optional[float]
    is_default: bool = False
    unit: str = ""  #: The terms of the prediction, as JSON, if the cost model gives them.
    compute_units: int = 0  #: Those for which the compiler chooses the default; 0: the chip's.


@dataclasses.dataclass(frozen=True)
class Space:
    """The candidates of one problem to measure: the default, then the fastest by the cost model."""

    line: str  #: The problem in the grammar of MIOpenDriver.
    chip: str  #: The target without "sim:".
    chip_units: int  #: Compute units of the chip, as the compiler has them.
    compiler: str
    schedules: int  #: The number of all schedules.
    candidates: typing.Tuple[Candidate, ...]


def sample(records: typing.Sequence[dict], size: Size) -> typing.List[dict]:
    """The records of a space to measure, sorted by predicted seconds: half of them are the best ones, the others are taken
    evenly from the rest."""
    ranked = sorted(records, key=lambda record: record["seconds"])
    kinds: typing.Dict[object, dict] = {}
    for record in ranked:
        if record["seconds"] <= size.bound * ranked[0]["seconds"]:
            kinds.setdefault(get_kind(record["schedule"]) if size.by_kind else record["schedule"], record)
    considered = list(kinds.values())
    best = min(-(-size.count // 2), len(considered))
    rest = considered[best:]
    others = min(size.count - best, len(rest))
    return considered[:best] + [rest[place * len(rest) // others] for place in range(others)]


def _unit(record: dict) -> str:
    return json.dumps(record["unit"]) if "unit" in record else ""


def find_space(problem: Problem, target: str, size: Size, compute_units: int = 0) -> Space:
    """Finds the candidates of a problem to measure, as ranked for a device with so many compute units; 0: the chip's number.

    Raises:
        Refused: the compiler does not handle it.
    """
    module = problem.module()
    explained = _compiler.explain(module, target, as_json=True, database="", compute_units=compute_units)
    kernel = next(kernel for kernel in explained if "schedule" in kernel)
    seconds = kernel["predicted"]["seconds"] + sum(one["seconds"] for one in kernel.get("transforms", ()))
    records = _compiler.list_schedules(module, target, compute_units=compute_units)
    units = {record["schedule"]: _unit(record) for record in records}
    chosen = plain(kernel["schedule"])
    default = Candidate(chosen, seconds, True, units.get(chosen, ""), compute_units)
    others = [record for record in records if record["schedule"] != default.schedule]
    sampled = sample(others, size) if others else []
    candidates = [Candidate(one["schedule"], one["seconds"], unit=_unit(one)) for one in sampled]
    return Space(
        # Explanations describe the kernel, whose operands may be in another form.
        line=records[0]["problem"] if records else kernel["problem"],
        chip=kernel["target"].rpartition(":")[2],
        chip_units=kernel["compute_units"],
        compiler=_compiler.fingerprint(),
        schedules=len(records),
        candidates=(default, *candidates[: size.count - 1]),
    )

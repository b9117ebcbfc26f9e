# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sweep: compiles, verifies and measures the candidates of many problems; one process writes the results.

Results in the database are not computed again, so that a sweep that was stopped, or lost its machines, continues there.
"""

from __future__ import annotations

import collections
import dataclasses
import time
import typing

from .._problem import Problem
from ._database import Database, Measurement, Quarantined, Row, now, whoami
from ._executors import Cluster, LostWorker, Threads
from ._space import Candidate, Size, Space
from ._tasks import Bench, Limits, compile_candidate, describe, explore, measure_candidates

#: Candidates that are timed in turn before the results are evaluated.
_CHUNK = 8
#: Schedules of another compiler that are measured again.
_STALE = 4
#: The measurements needed to judge predictions, and the trusted share of the least ratio.
_FEW = 4
_SLACK = 0.9


@dataclasses.dataclass(frozen=True)
class Sweep:
    """What is to be tuned, and how."""

    problems: typing.Sequence[Problem]
    target: str  #: The compiled target: "sm_90a", "sim:gfx942", "host", ...
    size: Size
    bench: Bench
    limits: Limits = Limits()
    #: Tasks that find candidates and make artifacts of them: with the compiler, or from a bundle.
    explore: typing.Callable = explore
    compile: typing.Callable = compile_candidate
    has_compiler: bool = True  #: Whether schedules of another compiler's measurements can be compiled, too.
    until: float = float("inf")  #: By the monotonic clock; nothing starts after it.


class Layer:
    """One problem in progress: its known results, and the candidates still to measure."""

    def __init__(self, problem: Problem, kind: str, units: typing.Optional[int]) -> None:
        self.problem = problem
        self._kind, self._units = kind, units
        self.space: typing.Optional[Space] = None
        self.refused = ""  #: Why there are no candidates.
        self.waiting: typing.List[Candidate] = []
        self.chunk: typing.List[Candidate] = []  #: Candidates being measured.
        self.rows: typing.List[Row] = []
        self.known: typing.List[Measurement] = []  #: Of other compilers, whose code may be equal.
        self.skipped = 0  #: Because of their prediction.
        self.is_lost = False  #: Whether a chunk ended several workers; candidates then run alone.

    @property
    def is_left(self) -> bool:
        """Whether there is something left to measure because the time was over."""
        return bool(self.waiting) or (self.space is None and not self.refused)

    @property
    def _key(self) -> dict:
        """The common columns of all rows of this layer, on this device and by this compiler."""
        units = self._units or self.space.chip_units
        line, chip, compiler = self.space.line, self.space.chip, self.space.compiler
        return {"problem": line, "target": chip, "compute_units": units, "compiler": compiler}

    def plan(self, space: Space, database: Database, has_compiler: bool) -> None:
        """Takes the candidates to measure, except those in the database, and first the schedules that were good with another
        compiler."""
        self.space = space
        self.rows = database.rows(**self._key, kind=self._kind)
        known = database.rows(problem=space.line, target=space.chip, kind=self._kind)
        stale = sorted((row for row in known if row.compiler != space.compiler), key=lambda row: row.seconds)
        default, *others = space.candidates
        self.known = [row for row in stale if row.code]
        again = [Candidate(row.schedule, None) for row in stale if row.schedule != default.schedule]
        again = again[:_STALE] if has_compiler else []
        planned = {one.schedule: one for one in (*again, *others)}
        modelled = {one.schedule: one for one in others}
        self.waiting = [default, *(modelled.get(one.schedule, one) for one in planned.values())]
        self.forget_known(database)

    def forget_known(self, database: Database) -> None:
        """Drops candidates that are in the database, to which another tuner may have written in the meantime."""
        measured = database.rows(**self._key, kind=self._kind)
        done = {row.schedule for row in (*measured, *database.rows(Quarantined, **self._key))}
        has_default = any(row.is_default for row in measured)
        self.waiting = [
            one for one in self.waiting if one.schedule not in done and not (one.is_default and has_default)
        ]

    def next_chunk(self) -> typing.List[Candidate]:
        """The next candidates to measure; empty at the end."""
        self._stop_early()
        count = 1 if self.is_lost else _CHUNK
        self.chunk, self.waiting = self.waiting[:count], self.waiting[count:]
        return self.chunk

    def _stop_early(self) -> None:
        """Drops candidates that are too slow by their prediction, assuming the least ratio of measured and predicted times of
        this problem."""
        measured = [row for row in self.rows if isinstance(row, Measurement)]
        ratios = [row.seconds / row.predicted for row in measured if row.predicted]
        if len(ratios) < _FEW:
            return
        most = min(row.seconds for row in measured) / (_SLACK * min(ratios))
        kept = [one for one in self.waiting if one.predicted is None or one.predicted <= most]
        self.skipped += len(self.waiting) - len(kept)
        self.waiting = kept

    def reject_lost(self, detail: str) -> Quarantined:
        """The row of a candidate, the only one of its chunk, that ended several workers."""
        [candidate] = self.chunk
        return Quarantined(
            **self._key, schedule=candidate.schedule, reason="lost", detail=detail, device="", who=whoami(), time=now()
        )

    def take_lost(self) -> None:
        """Measures each candidate of the chunk alone, to find the one that ends workers."""
        self.is_lost = True
        self.waiting = [*self.chunk, *self.waiting]


Progress = typing.Callable[[Layer, typing.Sequence[Row]], None]


def run(
    sweep: Sweep,
    executor: typing.Union[Threads, Cluster],
    database: Database,
    progress: Progress = lambda layer, rows: None,
    finished: typing.Callable[[Layer], None] = lambda layer: None,
) -> typing.List[Layer]:
    """Tunes all problems; `progress` receives the written rows, `finished` is called when a layer is complete."""
    units = None
    if sweep.bench.kind == "measured":
        chip = sweep.target.rpartition(":")[2]
        asked = executor.submit(describe, sweep.bench.device, sweep.limits, device=sweep.bench.device, target=chip)
        units = executor.result(asked)["compute_units"]
    layers = [Layer(problem, sweep.bench.kind, units) for problem in sweep.problems]
    waiting = collections.deque(layers)
    running: typing.Dict[typing.Any, Layer] = {}
    while running or (waiting and time.monotonic() < sweep.until):
        while waiting and len(running) < executor.width and time.monotonic() < sweep.until:
            layer = waiting.popleft()
            task = executor.submit(sweep.explore, layer.problem, sweep.target, sweep.size, sweep.limits, units or 0)
            running[task] = layer
        for task in executor.wait(running):
            layer = running.pop(task)
            rows = _take(sweep, layer, task, executor, database)
            progress(layer, rows)
            if layer.space is None:
                finished(layer)
                continue
            is_over = time.monotonic() >= sweep.until
            following = None if is_over else _submit(sweep, layer, executor, database)
            if following is None:
                finished(layer)
            else:
                running[following] = layer
    return layers


def _take(
    sweep: Sweep, layer: Layer, task: typing.Any, executor: typing.Union[Threads, Cluster], database: Database
) -> typing.List[Row]:
    """Writes the results of a task."""
    try:
        answer = executor.result(task)
    except LostWorker as error:
        if layer.space is None:
            layer.refused = f"its workers ended: {error}"
            return []
        if len(layer.chunk) > 1:
            layer.take_lost()
            return []
        answer = [layer.reject_lost(str(error))]
    if isinstance(answer, str):
        layer.refused = answer
        return []
    if isinstance(answer, Space):
        layer.plan(answer, database, sweep.has_compiler)
        return []
    database.add(answer)
    layer.rows += answer
    return answer


def _submit(
    sweep: Sweep, layer: Layer, executor: typing.Union[Threads, Cluster], database: Database
) -> typing.Optional[typing.Any]:
    """The task that measures a layer's next candidates, after the tasks that compile them; None if none are left."""
    layer.forget_known(database)
    chunk = layer.next_chunk()
    if not chunk:
        return None
    compiled = [
        executor.submit(sweep.compile, layer.problem, sweep.target, candidate, sweep.limits) for candidate in chunk
    ]
    return executor.submit(
        measure_candidates,
        layer.problem,
        layer.space,
        compiled,
        sweep.bench,
        sweep.limits,
        [row for row in layer.known if row.schedule in {one.schedule for one in chunk}],
        device=sweep.bench.device,
        target=layer.space.chip,
    )

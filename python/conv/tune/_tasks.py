# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tasks of a worker: compile a candidate, verify it, time the correct ones.

Each function here receives the worker's child process first and runs everything that may crash or hang in it. A failing
candidate gives an answer, never an exception: the answer is stored, and the candidate is not tried again.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import typing

from .. import _compiler
from .._library import Error
from .._problem import Problem
from ._database import Measurement, Quarantined, Row, now, plain, whoami
from ._isolated import Died, Isolated
from .protocol import Protocol, Time, measure
from ._space import Candidate, Size, Space, find_space

#: After one burst of each, candidates within this factor of the fastest are measured by the whole protocol.
_CLOSE = 1.1
_WORST_SHOWN = 1e6  # Shown for NaN or infinity.


@dataclasses.dataclass(frozen=True)
class Limits:
    """Seconds after which a child is killed."""

    compile: float = 60
    measure: float = 120


@dataclasses.dataclass(frozen=True)
class Compiled:
    """A candidate as an artifact."""

    candidate: Candidate  #: With the compiler's schedule, if it is the default.
    pack: bytes
    code: str = ""  #: The digest of the code that its measurement holds for (`conv.tune.Measurement`).
    error: typing.Optional[float] = None  #: The error of its result, if already verified.

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.pack).hexdigest()


@dataclasses.dataclass(frozen=True)
class Failed:
    """A candidate that is not measured."""

    candidate: Candidate
    reason: str  #: As in `Quarantined`.
    detail: str


@dataclasses.dataclass(frozen=True)
class Bench:
    """Where and how candidates are measured."""

    device: str  #: "host", "cuda", "cuda:1", "hip", or "sim:<chip>".
    protocol: Protocol = Protocol()

    @property
    def kind(self) -> str:
        return "modelled" if self.device.startswith("sim:") else "measured"


# In the child.


def _compile(problem: Problem, target: str, candidate: Candidate) -> typing.Tuple[str, bytes, str]:
    """The compiled schedule, the artifact, and the digest of its code."""
    schedule = None if candidate.is_default else candidate.schedule
    options = dict(schedule=schedule, database="", compute_units=candidate.compute_units, threads=1, cache=False)
    pack = _compiler.compile(problem, target, **options)
    if schedule is None:
        from .._artifact import load

        schedule = plain(load(pack).entries[0].schedule)
    return schedule, pack, _compiler.compute_code(problem, target, schedule)


@functools.lru_cache(maxsize=None)
def _backend(device: str) -> typing.Any:
    if device.startswith(("cuda", "hip")):
        from ._torch import TorchBackend as Backend
    else:
        from ._numpy import NumpyBackend as Backend
    return Backend(device)


def _describe(device: str) -> dict:
    return _backend(device).describe()


class _Expected:
    """The common state of a problem's candidates, set by the first of them."""

    problem: typing.Optional[Problem] = None
    values: tuple = ()


def _verify(device: str, problem: Problem, pack: bytes) -> float:
    backend = _backend(device)
    function = backend.load(pack)
    if _Expected.problem != problem:
        _Expected.problem, _Expected.values = None, ()
        operands = backend.operands(problem, function)
        _Expected.values = (operands, backend.expect(problem, operands))
        _Expected.problem = problem
    return backend.verify(function, *_Expected.values)


def _time(device: str, problem: Problem, packs: typing.List[bytes], protocol: Protocol) -> typing.List[Time]:
    """Times each once; the first one, and those close to the fastest, by the whole protocol."""
    backend = _backend(device)
    functions = [backend.load(pack) for pack in packs]
    sets = backend.operand_sets(problem, functions[0])
    calls = {place: backend.prepare(function, sets) for place, function in enumerate(functions)}
    times = measure(calls, protocol, close=_CLOSE, always=(0,))
    return [times[place] for place in range(len(packs))]


# In the worker.


def explore(
    child: Isolated, problem: Problem, target: str, size: Size, limits: Limits, compute_units: int = 0
) -> typing.Union[Space, str]:
    """The candidates of a problem, or why there are none."""
    try:
        return child.call(find_space, problem, target, size, compute_units, limit=limits.compile)
    except (Error, Died) as error:
        return str(error)


def compile_candidate(
    child: Isolated, problem: Problem, target: str, candidate: Candidate, limits: Limits
) -> typing.Union[Compiled, Failed]:
    try:
        schedule, pack, code = child.call(_compile, problem, target, candidate, limit=limits.compile)
    except Died as died:
        return Failed(candidate, died.reason, str(died))
    except Error as error:
        return Failed(candidate, "refused", str(error))
    return Compiled(dataclasses.replace(candidate, schedule=schedule), pack, code)


def describe(child: Isolated, device: str, limits: Limits) -> dict:
    """What rows say about a device; an `Error` if it is absent."""
    return child.call(_describe, device, limit=limits.measure)


def measure_candidates(
    child: Isolated,
    problem: Problem,
    space: Space,
    compiled: typing.Sequence[typing.Union[Compiled, Failed]],
    bench: Bench,
    limits: Limits,
    known: typing.Sequence[Measurement] = (),
) -> typing.List[Row]:
    """A row for each candidate: its measurement, or why there is none. A `known` measurement of another compiler holds if the
    code is equal, and is not repeated."""
    about = describe(child, bench.device, limits)
    units = about["compute_units"] if bench.kind == "measured" else space.chip_units
    common = {
        "problem": space.line,
        "target": space.chip,
        "compute_units": units,
        "compiler": space.compiler,
        "device": about["device"],
        "who": whoami(),
    }

    rows: typing.List[Row] = [_reject(one, common) for one in compiled if isinstance(one, Failed)]
    held = {(row.schedule, row.code): row for row in known if row.code and row.compute_units == units}
    fresh = []
    for one in (one for one in compiled if isinstance(one, Compiled)):
        row = held.get((one.candidate.schedule, one.code))
        if row is None:
            fresh.append(one)
        else:
            rows.append(_restate(row, one.candidate, space.compiler))
    right, wrong = _check_all(child, problem, fresh, bench, limits)
    rows += [_reject(one, common) for one in wrong]
    packs = [one for one, _ in right]
    for (one, error), time in zip(right, _time_all(child, problem, packs, bench, limits)):
        if isinstance(time, Failed):
            rows.append(_reject(time, common))
            continue
        rows.append(
            Measurement(
                **common,
                schedule=one.candidate.schedule,
                kind=bench.kind,
                is_default=one.candidate.is_default,
                predicted=one.candidate.predicted,
                seconds=time.median,
                least=time.least,
                most=time.most,
                protocol=json.dumps(_describe_protocol(bench, time)),
                error=error,
                driver=about["driver"],
                time=now(),
                code=one.code,
                unit=one.candidate.unit,
            )
        )
    return rows


def _reject(failed: Failed, common: dict) -> Quarantined:
    """The row of a candidate that is not measured."""
    schedule, reason, detail = failed.candidate.schedule, failed.reason, failed.detail
    return Quarantined(**common, schedule=schedule, reason=reason, detail=detail, time=now())


def _check_all(
    child: Isolated, problem: Problem, compiled: typing.Sequence[Compiled], bench: Bench, limits: Limits
) -> typing.Tuple[typing.List[typing.Tuple[Compiled, float]], typing.List[Failed]]:
    """The candidates with correct results, each schedule once, with their errors; and the others."""
    right: typing.Dict[str, typing.Tuple[Compiled, float]] = {}
    wrong = []
    for one in compiled:
        # The default may be one of the others, if the first choice of the cost model had spills.
        if one.candidate.schedule in right:
            continue
        checked = check(child, problem, one, bench, limits) if one.error is None else one.error
        if isinstance(checked, Failed):
            wrong.append(checked)
        else:
            right[one.candidate.schedule] = (one, checked)
    return list(right.values()), wrong


def _restate(row: Measurement, candidate: Candidate, compiler: str) -> Measurement:
    """A measurement of equal code, as a row of this compiler."""
    is_default, predicted, unit = candidate.is_default, candidate.predicted, candidate.unit
    return dataclasses.replace(row, compiler=compiler, is_default=is_default, predicted=predicted, unit=unit)


def _describe_protocol(bench: Bench, time: Time) -> dict:
    if bench.kind == "modelled":
        return {"clock": "cost model"}
    return {**dataclasses.asdict(bench.protocol), "rounds": time.rounds}


def check(
    child: Isolated, problem: Problem, one: Compiled, bench: Bench, limits: Limits
) -> typing.Union[float, Failed]:
    """The error of a candidate's result, as a share of the allowed one."""
    try:
        error = child.call(_verify, bench.device, problem, one.pack, limit=limits.measure)
    except Died as died:
        return Failed(one.candidate, died.reason, str(died))
    except Error as failure:
        return Failed(one.candidate, "refused", str(failure))
    if not error <= 1:
        return Failed(one.candidate, "wrong", f"error {min(error, _WORST_SHOWN):.3g} of its bound")
    return error


def _time_all(
    child: Isolated, problem: Problem, packs: typing.List[Compiled], bench: Bench, limits: Limits
) -> typing.List[typing.Union[Time, Failed]]:
    """Measures candidates in turn; if one of them ends the child, each alone, to find that one."""
    if bench.kind == "modelled":
        return [model(one) for one in packs]
    if not packs:
        return []
    call = (_time, bench.device, problem)
    try:
        return child.call(*call, [one.pack for one in packs], bench.protocol, limit=limits.measure * len(packs))
    except (Died, Error) as failure:
        if len(packs) > 1:
            return [_time_all(child, problem, [one], bench, limits)[0] for one in packs]
        reason = failure.reason if isinstance(failure, Died) else "refused"
        return [Failed(packs[0].candidate, reason, str(failure))]


def model(one: Compiled) -> typing.Union[Time, Failed]:
    """The time of a kernel that ran in the simulator, which counts but has no clock: the cost model's prediction."""
    seconds = one.candidate.predicted
    if seconds is None:
        return Failed(one.candidate, "refused", "the cost model has no time for it")
    return Time(seconds, seconds, seconds)

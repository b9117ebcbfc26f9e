# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles: a folder of compiled candidates, for a machine that has the device and no compiler.

index.jsonl            a line for target and compiler, then one for each problem: its space, and the artifact of each candidate
packs/<digest>.convpack
results.db             what the machine with the device measured
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import time
import typing

from .._library import Error, ErrorKind, bad_input
from .._problem import Problem
from .._store import part_of
from ._isolated import Isolated
from ._executors import LostWorker, Threads
from ._space import Candidate, Size, Space
from ._tasks import Bench, Compiled, Failed, Limits, check, compile_candidate, explore

_INDEX = "index.jsonl"
RESULTS = "results.db"


def write_file(path: pathlib.Path, content: bytes) -> None:
    """Replaces the file: an interruption, or a full disk, leaves the previous one."""
    part = part_of(path)
    try:
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:  # The error of a full disk names no file.
        raise Error(ErrorKind.SYSTEM, f"cannot write '{path}': {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


@dataclasses.dataclass(frozen=True)
class Item:
    """One problem of a bundle."""

    problem: Problem
    space: Space
    packs: typing.Tuple[str, ...]  #: The digest of the artifact of each candidate of the space.
    failed: typing.Tuple[Failed, ...] = ()
    codes: typing.Tuple[str, ...] = ()  #: For each artifact, the digest of the code that its measurement holds for.

    def to_json(self) -> dict:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, json: dict) -> Item:
        problem = {name: tuple(value) if isinstance(value, list) else value for name, value in json["problem"].items()}
        space = dict(json["space"], candidates=tuple(Candidate(**one) for one in json["space"]["candidates"]))
        failed = tuple(Failed(Candidate(**one["candidate"]), one["reason"], one["detail"]) for one in json["failed"])
        return cls(Problem(**problem), Space(**space), tuple(json["packs"]), failed, tuple(json.get("codes", ())))


class Bundle:
    """A bundle that exists or is started."""

    def __init__(self, folder: typing.Union[str, os.PathLike], target: str = "", compiler: str = "") -> None:
        self.folder = pathlib.Path(folder)
        self._index = self.folder / _INDEX
        #: By digest, the outcome of each artifact's verification: the error, or why there is none.
        self.verified: typing.Dict[str, typing.Union[float, Failed]] = {}
        if target and not self._index.exists():
            (self.folder / "packs").mkdir(parents=True, exist_ok=True)
            self._append({"bundle": 1, "target": target, "compiler": compiler})
        lines = list(self._read_lines()) if self._index.exists() else []
        if not lines or lines[0].get("bundle") != 1:
            raise bad_input(f"expects a bundle of conv-tune compile, but got '{folder}'")
        self.target: str = lines[0]["target"]
        if target and target != self.target:
            raise bad_input(f"expects a bundle for {target}, but '{folder}' is for {self.target}")
        if compiler and compiler != lines[0]["compiler"]:
            raise bad_input(f"expects a bundle of this compiler, but '{folder}' is of another one: remove it")
        try:
            self.items = {item.problem: item for item in map(Item.from_json, lines[1:])}
        except (KeyError, TypeError) as error:
            raise bad_input(f"expects a bundle of this version of conv, but got '{folder}': {error!r}") from error

    def _read_lines(self) -> typing.Iterator[dict]:
        """All complete lines: the last line may be incomplete if its process was killed."""
        with open(self._index, "rb") as file:
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    if line.endswith(b"\n"):
                        raise bad_input(
                            f"expects JSON in each line of '{self._index}', but got {line[:80]!r}"
                        ) from None

    def _append(self, record: dict) -> None:
        with open(self._index, "ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # Ends a line that another process did not end.
                    raise bad_input(f"expects whole lines in '{self._index}', but the last one was cut off: remove it")
            file.write(json.dumps(record).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def add(self, item: Item, packs: typing.Iterable[Compiled]) -> None:
        """Writes the artifacts of a problem, then its line."""
        for one in packs:
            path = self._path(one.digest)
            if not path.exists():
                write_file(path, one.pack)
        self._append(item.to_json())
        self.items[item.problem] = item

    def _path(self, digest: str) -> pathlib.Path:
        return self.folder / "packs" / f"{digest}.convpack"

    def read_packs(self, item: Item) -> typing.List[Compiled]:
        """The artifacts of a problem."""
        found = zip(item.space.candidates, item.packs)
        return [Compiled(one, self._path(digest).read_bytes()) for one, digest in found if digest]

    def explore(
        self, child: Isolated, problem: Problem, target: str, size: Size, limits: Limits, compute_units: int
    ) -> typing.Union[Space, str]:
        """The compiled candidates."""
        return self.items[problem].space

    def compile(
        self, child: Isolated, problem: Problem, target: str, candidate: Candidate, limits: Limits
    ) -> typing.Union[Compiled, Failed]:
        """The artifact of a candidate."""
        item = self.items[problem]
        for failed in item.failed:
            if failed.candidate.schedule == candidate.schedule:
                return failed
        place = [one.schedule for one in item.space.candidates].index(candidate.schedule)
        digest = item.packs[place]
        found = self.verified.get(digest)
        if isinstance(found, Failed):
            return found
        code = item.codes[place] if place < len(item.codes) else ""
        return Compiled(candidate, self._path(digest).read_bytes(), code, found)


def verify_layer(
    child: Isolated, problem: Problem, packs: typing.Sequence[Compiled], bench: Bench, limits: Limits
) -> typing.Dict[str, typing.Union[float, Failed]]:
    """By digest, the error of each result, or why there is none."""
    return {one.digest: check(child, problem, one, bench, limits) for one in packs}


def verify_bundle(bundle: Bundle, bench: Bench, limits: Limits, jobs: int, until: float) -> None:
    """Verifies the artifacts of a bundle in several processes that share the device, so that only timing is left. Artifacts
    that are left after a third of the time are verified when they are timed."""
    now = time.monotonic()
    until = now + (until - now) / 3
    executor = Threads(jobs)
    tasks = [
        executor.submit(verify_layer, problem, bundle.read_packs(item), bench, limits)
        for problem, item in bundle.items.items()
    ]
    try:
        for task in concurrent.futures.as_completed(tasks, None if until == float("inf") else until - now):
            bundle.verified.update(task.result())
    except concurrent.futures.TimeoutError:
        pass
    finally:
        executor.close()


def compile_layer(
    child: Isolated, problem: Problem, target: str, size: Size, limits: Limits, compute_units: int
) -> typing.Union[str, typing.Tuple[Item, typing.List[Compiled]]]:
    """All candidates of a problem, or why there are none."""
    space = explore(child, problem, target, size, limits, compute_units)
    if isinstance(space, str):
        return space
    compiled: typing.Dict[str, Compiled] = {}
    failed = []
    for candidate in space.candidates:
        one = compile_candidate(child, problem, target, candidate, limits)
        if isinstance(one, Failed):
            failed.append(one)
        else:
            # The default may be one of the others, if the first choice of the cost model had spills; and different schedules
            # may give the same kernels.
            compiled.setdefault(one.code, one)
    kept = [one.candidate for one in compiled.values()] + [one.candidate for one in failed]
    packs = [one.digest for one in compiled.values()] + [""] * len(failed)
    codes = tuple(one.code for one in compiled.values())
    item = Item(problem, dataclasses.replace(space, candidates=tuple(kept)), tuple(packs), tuple(failed), codes)
    return item, list(compiled.values())


def compile_bundle(
    bundle: Bundle,
    problems: typing.Sequence[Problem],
    executor: typing.Any,
    size: Size,
    limits: Limits,
    compute_units: int,
    progress: typing.Callable[[Problem, typing.Union[str, Item]], None],
) -> None:
    """Fills a bundle with the candidates of problems that it lacks."""
    waiting = [problem for problem in problems if problem not in bundle.items]
    running: typing.Dict[typing.Any, Problem] = {}
    while waiting or running:
        while waiting and len(running) < executor.width:
            problem = waiting.pop(0)
            running[executor.submit(compile_layer, problem, bundle.target, size, limits, compute_units)] = problem
        for task in executor.wait(running):
            problem = running.pop(task)
            try:
                answer = executor.result(task)
            except LostWorker as error:
                answer = f"its workers ended: {error}"
            if isinstance(answer, str):
                progress(problem, answer)
                continue
            bundle.add(*answer)
            progress(problem, answer[0])

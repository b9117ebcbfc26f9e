# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles units, and stores the outcomes: a file for each key, which is either complete or absent."""

from __future__ import annotations

import dataclasses
import pathlib
import typing

from .. import _compiler
from .._library import Error
from ..tune._bundle import write_file
from ..tune._executors import LostWorker
from ..tune._isolated import Died, Isolated
from ._models import Unit

#: Tasks that are submitted ahead, for each that can run.
_AHEAD = 2
#: The most units of a task. A task costs a scheduler some milliseconds, and a small unit costs its compiler 60.
_BATCH = 16


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of a unit: an artifact, a refusal, which is final, or a failure, which is not."""

    pack: bytes = b""
    refused: str = ""
    failed: str = ""


def _compile(module: str, target: str, database: str, max_error: float) -> bytes:
    return _compiler.compile(module, target, database=database, max_error=max_error, threads=1, cache=False)


def compile_units(
    child: Isolated, sources: typing.Sequence[typing.Tuple[str, str, str, float]], limit: float
) -> typing.List[Outcome]:
    """Compiles modules, each for a target with a database and a `max_error`, in a child process, which may crash or hang."""
    return [_compile_in(child, *source, limit) for source in sources]


def _compile_in(
    child: Isolated, module: str, target: str, database: str, max_error: float, limit: float
) -> Outcome:
    try:
        return Outcome(pack=child.call(_compile, module, target, database, max_error, limit=limit))
    except _compiler.Refused as error:
        return Outcome(refused=str(error))
    except (Error, Died) as error:
        return Outcome(failed=str(error))


class Store:
    """Artifacts and refusals by key. A file is either complete or absent."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._names = {path.name for path in folder.iterdir()}

    def put(self, key: str, outcome: Outcome) -> None:
        name = f"{key}.refused" if outcome.refused else f"{key}.convpack"
        write_file(self.folder / name, outcome.refused.encode() or outcome.pack)
        self._names.add(name)

    def has_pack(self, key: str) -> bool:
        return f"{key}.convpack" in self._names

    def refusal(self, key: str) -> str:
        """Why a unit was refused; empty if it was accepted."""
        return (self.folder / f"{key}.refused").read_text() if f"{key}.refused" in self._names else ""

    def has(self, key: str) -> bool:
        return self.has_pack(key) or f"{key}.refused" in self._names

    def prune(self, keys: typing.Set[str]) -> int:
        """Removes files with other keys; returns their number."""
        out = [name for name in self._names if name.partition(".")[0] not in keys]
        for name in out:
            (self.folder / name).unlink(missing_ok=True)
        return len(out)


def compile_missing(
    units: typing.Iterable[Unit],
    store: Store,
    executor: typing.Any,
    limit: float,
    progress: typing.Callable[[Unit, Outcome], None],
) -> None:
    """Compiles the units that the store lacks, each key once, and writes them as they arrive."""
    missing = list({unit.key: unit for unit in units if not store.has(unit.key)}.values())
    count = max(1, min(_BATCH, len(missing) // (_AHEAD * executor.width)))
    waiting = [missing[place : place + count] for place in range(0, len(missing), count)]
    waiting.reverse()
    running: typing.Dict[typing.Any, typing.List[Unit]] = {}
    while waiting or running:
        while waiting and len(running) < _AHEAD * executor.width:
            batch = waiting.pop()
            sources = [(unit.module, unit.target, unit.database, unit.max_error) for unit in batch]
            running[executor.submit(compile_units, sources, limit)] = batch
        for task in executor.wait(running):
            batch = running.pop(task)
            try:
                outcomes = executor.result(task)
            except LostWorker as error:
                if len(batch) > 1:  # One unit ends workers; running each alone shows which.
                    waiting += [[unit] for unit in batch]
                    continue
                outcomes = [Outcome(failed=f"its workers ended: {error}")]
            for unit, outcome in zip(batch, outcomes):
                if not outcome.failed:
                    store.put(unit.key, outcome)
                progress(unit, outcome)

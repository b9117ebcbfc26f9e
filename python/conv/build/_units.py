# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling units, and the store of what came of them: a file for each key, which is whole or not there."""

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

#: Tasks that are handed to a worker ahead of time.
_AHEAD = 8


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of a unit: an artifact, a refusal, which is final, or a failure, which is not."""

    pack: bytes = b""
    refused: str = ""
    failed: str = ""


def _compile(module: str, target: str, database: str) -> bytes:
    return _compiler.compile(module, target, database=database, threads=1, cache=False)


def compile_unit(child: Isolated, module: str, target: str, database: str, limit: float) -> Outcome:
    """Compiles a module in a child, which may crash or hang."""
    try:
        return Outcome(pack=child.call(_compile, module, target, database, limit=limit))
    except _compiler.Refused as error:
        return Outcome(refused=str(error))
    except (Error, Died) as error:
        return Outcome(failed=str(error))


class Store:
    """Artifacts and refusals by key. A file is whole or not there."""

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
        """Why a unit was refused; empty if it was not."""
        return (self.folder / f"{key}.refused").read_text() if f"{key}.refused" in self._names else ""

    def has(self, key: str) -> bool:
        return self.has_pack(key) or f"{key}.refused" in self._names

    def prune(self, keys: typing.Set[str]) -> int:
        """Removes what has other keys; how many files that were."""
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
    """Compiles the units that the store has not, each key once, and writes them as they come."""
    waiting = list({unit.key: unit for unit in units if not store.has(unit.key)}.values())
    waiting.reverse()
    running: typing.Dict[typing.Any, Unit] = {}
    while waiting or running:
        while waiting and len(running) < _AHEAD * executor.width:
            unit = waiting.pop()
            running[executor.submit(compile_unit, unit.module, unit.target, unit.database, limit)] = unit
        for task in executor.wait(running):
            unit = running.pop(task)
            try:
                outcome = executor.result(task)
            except LostWorker as error:
                outcome = Outcome(failed=f"its workers ended: {error}")
            if not outcome.failed:
                store.put(unit.key, outcome)
            progress(unit, outcome)



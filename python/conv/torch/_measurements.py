# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of a kernel and of PyTorch's way, measured once for a problem and a machine's GPU, and stored in a file.

Both are captured into a graph of several calls, so that the time is the GPU's rather than that of Python. The file is
SQLite's and shared by processes; if it cannot be written, the times are measured again.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import sqlite3
import time
import typing

import torch

from .. import _compiler, _store
from .._library import Error
from ._problems import AnyProblem, function_name
from ._settings import settings

_SCHEMA = _store.Schema(
    "file of times",
    0x63747263,  # "ctrc"
    1,
    "CREATE TABLE times (key TEXT PRIMARY KEY, ours REAL NOT NULL, theirs REAL NOT NULL)",
)
_CALLS = 10  #: In a graph.
_ROUNDS = 5
#: Largest difference of two correct 16-bit results that were rounded at different places, relative to the largest element.
MOST_DIFFERENCE = 0.05


def difference(ours: typing.Callable[[], torch.Tensor], theirs: typing.Callable[[], torch.Tensor]) -> float:
    """The difference of two results, relative to the largest finite element of theirs; infinite if only ours has a NaN."""
    with torch.no_grad():
        expected, actual = theirs().double(), ours().double()
        if (torch.isnan(actual) & torch.isfinite(expected)).any():
            return float("inf")
        both = torch.isfinite(expected) & torch.isfinite(actual)
        largest = torch.where(both, expected, 0).abs().max().item()
        return torch.where(both, actual - expected, 0).abs().max().item() / max(largest, 1e-30)


def _folder() -> typing.Optional[pathlib.Path]:
    """Beside the compiled kernels."""
    for name, below in (("CONV_CACHE_DIR", ""), ("XDG_CACHE_HOME", "conv"), ("HOME", ".cache/conv")):
        if os.environ.get(name):
            return pathlib.Path(os.environ[name]) / below / "measurements"
    return None


@contextlib.contextmanager
def _open() -> typing.Iterator[sqlite3.Connection]:
    folder = _folder()
    if folder is None:
        raise OSError("no folder")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "torch.db"
    if not _store.is_own(folder) or (path.exists() and not _store.is_own(path)):
        raise OSError("others can write there")
    connection = _store.connect(_SCHEMA, path, write=True)
    try:
        with _store.transaction(connection):
            yield connection
    finally:
        connection.close()


def _key(problem: AnyProblem, target: str) -> str:
    compiler = _compiler.fingerprint() if _compiler.is_available() else ""
    parts = [function_name(problem), target, compiler, torch.cuda.get_device_name(), torch.__version__]
    parts += [str(torch.backends.cudnn.version()), str(torch.backends.cudnn.benchmark)]
    return " ".join([*parts, _compiler.find_database(settings.database)])


def _time_on_host(call: typing.Callable[[], object]) -> float:
    """Seconds of one call: the fastest of several."""
    times = []
    for _ in range(_ROUNDS):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def _time(call: typing.Callable[[], object]) -> float:
    """Seconds of one call in the fastest of several rounds."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        for _ in range(_CALLS):
            call()
    times = []
    for _ in range(_ROUNDS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3 / _CALLS)
    return min(times)


def measure(
    problem: AnyProblem, target: str, ours: typing.Callable[[], object], theirs: typing.Callable[[], object]
) -> typing.Tuple[float, float]:
    """Seconds of both ways. Times of a GPU come from the file if it has them."""
    if target.startswith("host"):
        with torch.no_grad():
            return _time_on_host(ours), _time_on_host(theirs)
    key = _key(problem, target)
    with contextlib.suppress(sqlite3.Error, OSError, Error), _open() as connection:
        row = connection.execute("SELECT ours, theirs FROM times WHERE key = ?", (key,)).fetchone()
        if row:
            return row
    with torch.no_grad():
        times = _time(ours), _time(theirs)
    with contextlib.suppress(sqlite3.Error, OSError, Error), _open() as connection:
        connection.execute("INSERT OR REPLACE INTO times VALUES (?, ?, ?)", (key, *times))
    return times

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles in this process, with a cache in memory and in files: what callers of libconv_compiler.so need."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import typing
import warnings

from ._compiler_library import (
    WARNING,
    Options,
    Refused,
    Statistics,
    check,
    encode,
    fingerprint,
    get_jit,
    is_available,
    load,
    take,
    version,
)

from ._library import as_integer, bad_input
from ._processors import count_processors

if typing.TYPE_CHECKING:
    from ._problem import Problem

__all__ = [
    "Module",
    "Refused",
    "compile",
    "compute_code",
    "explain",
    "find_database",
    "fingerprint",
    "is_available",
    "list_schedules",
    "select_target",
    "shipped_database",
    "statistics",
    "version",
]

#: MLIR as text or bytecode, or a Problem, which has MLIR.
Module = typing.Union[str, bytes, "Problem"]


def _join(targets: typing.Union[str, typing.Sequence[str]]) -> str:
    try:
        return targets if isinstance(targets, str) else ",".join(targets)
    except TypeError:
        raise bad_input(f"targets: expects names such as 'sm_90a,host', but got {targets!r}") from None


def _read(module: Module) -> bytes:
    if hasattr(module, "module"):
        module = module.module()
    return module.encode() if isinstance(module, str) else bytes(memoryview(module))  # An integer is no module.


def find_database(path: typing.Union[str, os.PathLike, None]) -> str:
    """The compiler's option for a database: a path or "none"; for None, the environment's database, or an empty string, which
    means the database that ships for each target."""
    return os.environ.get("CONV_DATABASE", "") if path is None else os.fsdecode(path) or "none"


def shipped_database(target: str) -> str:
    """The path of the tuning database that ships with the compiler for a target; empty if there is none."""
    return load().conv_compiler_database(encode(target)).decode()


def select_target(targets: typing.Sequence[str]) -> str:
    """The first target that the compiler compiles for. If there is none, the first one, which its error will name."""
    known = load().conv_compiler_select_target(encode(",".join(targets)))
    return known.decode() or targets[0]


def _collect_warnings(said: typing.List[str]) -> typing.Any:
    """A callback that collects what the compiler says of a database; it may also say that a kernel spills."""

    def warn(_: typing.Any, message: bytes) -> None:
        text = message.decode(errors="replace")
        if " database " in text:
            said.append(text)

    return WARNING(warn)


def compile(  # noqa: A001 - as people call it, in a module of its own name
    module: Module,
    targets: typing.Union[str, typing.Sequence[str]],
    *,
    name: str = "source",
    algorithm: typing.Optional[str] = None,
    schedule: typing.Optional[str] = None,
    database: typing.Union[str, os.PathLike, None] = None,
    stale: bool = False,
    compute_units: int = 0,
    max_error: typing.Optional[float] = None,
    max_workspace: typing.Optional[int] = None,
    prepack_filter: bool = False,
    threads: int = 0,
    cache: bool = True,
) -> bytes:
    """Compiles every function of a module for every target.

    Args:
        module: MLIR, as text or bytecode, or a `Problem`.
        targets: chips such as "sm_90a", "gfx942", "sim:gfx942" and "host".
        name: the name of the module in messages.
        algorithm: consider only this one, "implicit_gemm", "direct" or "winograd".
        schedule: `#conv.schedule<...>` for all convolutions.
        database: a tuning database, which `conv-tune` writes: its schedules come before those of the cost model. A Python
            warning reports the schedules of it that are not used. None: the database of $CONV_DATABASE, or else the one that
            ships with the compiler for the target; "" or "none": none.
        stale: also use schedules of the database that were measured with another compiler, whose code differs, if it has
            no others.
        compute_units: of the device: schedules measured on a device with as many come first, and those of the host are ranked
            for so many threads and for the second cache of this machine; 0: the chip's number, for the host 8 and 2 MiB.
        max_error: consider Winograd's algorithm if the bound on its error, for operands of one magnitude, is at most this
            many times the bound of a sum of products. 0: only if `algorithm` asks for it. None: the problem's, or else 0.
        max_workspace: the most bytes of workspace that the schedule of a convolution may take if it is chosen here; None:
            any number.
        prepack_filter: filters become arguments in the form in which kernels read them, and each function NAME gets a function
            NAME.prepack, which brings filters into that form. Refused where the plan reads the filter as it is.
        threads: for functions and targets; one per processor that the process may use if 0.
        cache: take what was compiled before, from memory or from $CONV_CACHE_DIR (else $XDG_CACHE_HOME/conv, else
            ~/.cache/conv).

    Returns:
        The bytes of a `.convpack` file, which `conv.load` takes.

    Raises:
        Refused: the compiler does not support the problem; it has the reason.
        Error: bad input, with its place, or a system error.
    """
    library = load()
    database = find_database(database)
    most = (1 << 32) - 1
    options = Options(
        struct_size=ctypes.sizeof(Options),
        targets=encode(_join(targets)),
        source=encode(name),
        algorithm=encode(algorithm),
        schedule=encode(schedule),
        database=encode(database, os.fsencode),
        uses_stale_schedules=stale,
        compute_units=as_integer("compute_units", compute_units, 0, most),
        max_error=getattr(module, "max_error", 0.0) if max_error is None else max_error,
        max_workspace=0 if max_workspace is None else as_integer("max_workspace", max_workspace, 0) or -1,
        prepacks_filters=prepack_filter,
        threads=as_integer("threads", threads, 0, most) or count_processors(),
    )
    said: typing.List[str] = []
    options.warning = _collect_warnings(said)
    source = _read(module)
    call = functools.partial(library.conv_jit_compile, get_jit()) if cache else library.conv_compile
    artifact = take(lambda place: call(source, len(source), ctypes.byref(options), place))
    for message in said:
        warnings.warn(message, stacklevel=2)
    return artifact


def explain(
    module: Module,
    target: str,
    *,
    name: str = "source",
    as_json: bool = False,
    database: typing.Union[str, os.PathLike, None] = None,
    compute_units: int = 0,
) -> typing.Union[str, typing.List[dict]]:
    """Says which schedule each kernel of a module would get and why, without compiling it; `database` and `compute_units` are
    as in `compile`, and the `max_error` is the problem's.

    Returns:
        Text for people, as `conv-compile --explain` prints it; with `as_json`, a dictionary for each kernel: schedule, its
        origin, predicted seconds and the resource that limits them, the best candidates, and the rejected ones; on targets whose
        kernels may overlap on a stream, also one for each function, with its launches.
        A function that is refused, if it is not the only one, has one with the reason, "error".
    """
    options = Options(
        struct_size=ctypes.sizeof(Options),
        targets=encode(target),
        source=encode(name),
        database=encode(find_database(database), os.fsencode),
        explains_as_text=not as_json,
        compute_units=as_integer("compute_units", compute_units, 0, (1 << 32) - 1),
        max_error=getattr(module, "max_error", 0.0),
    )
    source = _read(module)
    text = take(lambda place: load().conv_explain(source, len(source), ctypes.byref(options), place)).decode()
    return [json.loads(line) for line in text.splitlines()] if as_json else text


def list_schedules(module: Module, target: str, *, compute_units: int = 0) -> typing.List[dict]:
    """The possible schedules of the convolutions of a module: dictionaries of "problem", "target", "schedule" and the
    "seconds" that the cost model predicts; `compute_units` is as in `compile`."""
    options = Options(
        struct_size=ctypes.sizeof(Options), targets=encode(target), source=b"source", compute_units=compute_units
    )
    source = _read(module)
    text = take(lambda place: load().conv_list_schedules(source, len(source), ctypes.byref(options), place)).decode()
    return [json.loads(line) for line in text.splitlines()]


def compute_code(module: Module, target: str, schedule: str) -> str:
    """The digest of the kernels and launches that a schedule gives for the only convolution of a module, without its
    epilogue: measurements hold for every compiler that computes the same digest."""
    options = Options(
        struct_size=ctypes.sizeof(Options), targets=encode(target), source=b"source", schedule=encode(schedule)
    )
    source = _read(module)
    return take(lambda place: load().conv_compute_code(source, len(source), ctypes.byref(options), place)).decode()


def statistics() -> typing.Dict[str, int]:
    """How often `compile` found code in memory, found it in a file, or compiled it, in this process."""
    counts = Statistics(struct_size=ctypes.sizeof(Statistics))
    check(load().conv_jit_get_statistics(get_jit(), ctypes.byref(counts)))
    return {name: getattr(counts, name) for name, _ in Statistics._fields_[1:]}

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libconv_compiler.so: compiles in this process, with a cache in memory and in files.

The library comes with the package conv-compiler, since it contains LLVM. It is searched for at the first
compilation.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import json
import os
import pathlib
import shutil
import threading
import typing
import warnings

from ._library import Error, ErrorKind, bad_input

if typing.TYPE_CHECKING:
    from ._problem import Problem

_HANDLE = ctypes.c_void_p
_PLACE = ctypes.POINTER(ctypes.c_void_p)
_STATUS = ctypes.c_int
#: MLIR as text or bytecode, or a Problem, which has MLIR.
Module = typing.Union[str, bytes, "Problem"]

_WARNING = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class _Options(ctypes.Structure):
    """conv_compile_options."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("targets", ctypes.c_char_p),
        ("source", ctypes.c_char_p),
        ("algorithm", ctypes.c_char_p),
        ("schedule", ctypes.c_char_p),
        ("database", ctypes.c_char_p),
        ("threads", ctypes.c_uint),
        ("externalizes_constants", ctypes.c_int),
        ("explains_as_text", ctypes.c_int),
        ("uses_stale_schedules", ctypes.c_int),
        ("compute_units", ctypes.c_uint),
        ("max_error", ctypes.c_double),
        ("max_workspace", ctypes.c_int64),
        ("progress", ctypes.c_void_p),
        ("warning", _WARNING),
        ("context", ctypes.c_void_p),
    ]


class _Statistics(ctypes.Structure):
    """conv_jit_statistics."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("memory_hits", ctypes.c_uint64),
        ("file_hits", ctypes.c_uint64),
        ("compilations", ctypes.c_uint64),
    ]


_COMPILE = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_Options), _PLACE]
_FUNCTIONS = [
    ("conv_compiler_last_error", ctypes.c_char_p, []),
    ("conv_compiler_last_reason", ctypes.c_char_p, []),
    ("conv_compiler_version", ctypes.c_char_p, []),
    ("conv_compiler_fingerprint", ctypes.c_char_p, []),
    ("conv_compiler_database", ctypes.c_char_p, [ctypes.c_char_p]),
    ("conv_compiler_select_target", ctypes.c_char_p, [ctypes.c_char_p]),
    ("conv_compile", _STATUS, _COMPILE),
    ("conv_explain", _STATUS, _COMPILE),
    ("conv_list_schedules", _STATUS, _COMPILE),
    ("conv_compute_code", _STATUS, _COMPILE),
    ("conv_problem_module", _STATUS, [ctypes.c_void_p, _PLACE]),
    ("conv_compilation_artifact", ctypes.c_void_p, [_HANDLE, ctypes.POINTER(ctypes.c_size_t)]),
    ("conv_compilation_close", None, [_HANDLE]),
    ("conv_jit_open", _STATUS, [ctypes.c_void_p, _PLACE]),
    ("conv_jit_compile", _STATUS, [_HANDLE, *_COMPILE]),
    ("conv_jit_get_statistics", _STATUS, [_HANDLE, ctypes.POINTER(_Statistics)]),
]


class Refused(Error):
    """A correct problem that the compiler does not handle.

    Attributes:
        reason: its code, such as "padding-mode"; the project's README lists them.
    """

    def __init__(self, kind: ErrorKind, message: str, reason: str = "") -> None:
        super().__init__(kind, message)
        self.reason = reason

    def __reduce__(self) -> tuple:
        return type(self), (self.kind, *self.args, self.reason)


def _find_library() -> str:
    """The library that CONV_COMPILER_LIBRARY names, or else the library of the package conv-compiler."""
    path = os.environ.get("CONV_COMPILER_LIBRARY")
    if path:
        return path
    try:
        import conv_compiler
    except ImportError:
        raise Error(
            ErrorKind.SYSTEM, "expects the package conv-compiler, or CONV_COMPILER_LIBRARY, to compile, but got none"
        ) from None
    return str(conv_compiler.LIBRARY)


def _offer_toolkit() -> None:
    """If neither the environment nor the PATH has NVIDIA's assembler, appends a package's assembler to the PATH."""
    if shutil.which("ptxas") or os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH"):
        return
    if os.access("/usr/local/cuda/bin/ptxas", os.X_OK):
        return
    for package, folder in (("nvidia", "cu13/bin"), ("nvidia", "cuda_nvcc/bin"), ("triton", "backends/nvidia/bin")):
        found = importlib.util.find_spec(package)
        for place in (found.submodule_search_locations or []) if found else []:
            if os.access(pathlib.Path(place) / folder / "ptxas", os.X_OK):
                os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", ""), str(pathlib.Path(place) / folder)])
                return


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """The library, with its functions declared. It needs libconv_runtime.so, which `_library` has loaded."""
    _offer_toolkit()
    path = _find_library()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise Error(
            ErrorKind.SYSTEM,
            f"expects the library of conv-compiler, or of CONV_COMPILER_LIBRARY, to load, but got: {error}",
        ) from error
    for name, result, parameters in _FUNCTIONS:
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    return library


def is_available() -> bool:
    """Whether the library is installed."""
    try:
        load()
    except Error:
        return False
    return True


def version() -> str:
    """The compiler's version, LLVM's version and the compiler's fingerprint, in one line."""
    return load().conv_compiler_version().decode()


def fingerprint() -> str:
    """The hash of everything that can change compiled code."""
    return load().conv_compiler_fingerprint().decode()


def _check(status: int) -> None:
    if status == 0:
        return
    library = load()
    message = library.conv_compiler_last_error().decode(errors="replace")
    if status == ErrorKind.UNSUPPORTED:
        raise Refused(ErrorKind(status), message, library.conv_compiler_last_reason().decode())
    raise Error(ErrorKind(status), message)


_jit_lock = threading.Lock()
_jits: typing.Dict[int, int] = {}


def _get_jit() -> int:
    """The jit of this process: a forked process makes its own, since another thread may have held locks in its parent."""
    with _jit_lock:
        jit = _jits.get(os.getpid())
        if jit is None:
            place = ctypes.c_void_p()
            _check(load().conv_jit_open(None, ctypes.byref(place)))
            jit = _jits[os.getpid()] = place.value
        return jit


def encode(text: typing.Optional[str]) -> typing.Optional[bytes]:
    if text and "\0" in text:
        raise bad_input(f"expects text without null characters, but got {text!r}")
    return text.encode() if text else None


def take(call: typing.Callable[[typing.Any], int]) -> bytes:
    """The bytes of the compilation that `call` stores through its last parameter."""
    library = load()
    place = ctypes.c_void_p()
    _check(call(ctypes.byref(place)))
    try:
        size = ctypes.c_size_t()
        address = library.conv_compilation_artifact(place, ctypes.byref(size))
        return ctypes.string_at(address, size.value)
    finally:
        library.conv_compilation_close(place)


def _read(module: Module) -> bytes:
    if hasattr(module, "module"):
        module = module.module()
    return module.encode() if isinstance(module, str) else bytes(module)


def find_database(path: typing.Union[str, os.PathLike, None]) -> str:
    """The compiler's option for a database: a path or "none"; for None, the environment's database, or an empty string, which
    means the database that ships for each target."""
    return os.environ.get("CONV_DATABASE", "") if path is None else os.fspath(path) or "none"


def shipped_database(target: str) -> str:
    """The path of the tuning database that ships with the compiler for a target; empty if there is none."""
    return load().conv_compiler_database(encode(target)).decode()


def select_target(targets: typing.Sequence[str]) -> str:
    """The first target that the compiler compiles for. If there is none, the first one, which its error will name."""
    known = load().conv_compiler_select_target(encode(",".join(targets)))
    return known.decode() or targets[0]


def _collect_warnings(said: typing.List[str], database: str) -> typing.Any:
    """A callback that collects warnings about a database: the named one, or else the one that ships."""

    def warn(_: typing.Any, message: bytes) -> None:
        text = message.decode(errors="replace")
        if database not in ("", "none") or " the database " in text:
            said.append(text)

    return _WARNING(warn)


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
        compute_units: of the device: schedules measured on a device with as many come first; 0: the chip's number.
        max_error: consider Winograd's algorithm if the bound on its error, for operands of one magnitude, is at most this
            many times the bound of a sum of products. 0: only if `algorithm` asks for it. None: the problem's, or else 0.
        max_workspace: the most bytes of workspace that the schedule of a convolution may take if it is chosen here; None:
            any number.
        threads: for functions and targets; one per processor if 0.
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
    options = _Options(
        struct_size=ctypes.sizeof(_Options),
        targets=encode(targets if isinstance(targets, str) else ",".join(targets)),
        source=encode(name),
        algorithm=encode(algorithm),
        schedule=encode(schedule),
        database=encode(database),
        uses_stale_schedules=stale,
        compute_units=compute_units,
        max_error=getattr(module, "max_error", 0.0) if max_error is None else max_error,
        max_workspace=0 if max_workspace is None else max_workspace or -1,
        threads=threads or os.cpu_count() or 1,
    )
    said: typing.List[str] = []
    options.warning = _collect_warnings(said, database)
    source = _read(module)
    call = functools.partial(library.conv_jit_compile, _get_jit()) if cache else library.conv_compile
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
) -> typing.Union[str, typing.List[dict]]:
    """Says which schedule each kernel of a module would get and why, without compiling it; `database` is as in `compile`,
    and the `max_error` is the problem's.

    Returns:
        Text for people, as `conv-compile --explain` prints it; with `as_json`, a dictionary for each kernel: schedule, its
        origin, predicted seconds and the resource that limits them, the best candidates, and the rejected ones.
    """
    options = _Options(
        struct_size=ctypes.sizeof(_Options),
        targets=encode(target),
        source=encode(name),
        database=encode(find_database(database)),
        explains_as_text=not as_json,
        max_error=getattr(module, "max_error", 0.0),
    )
    source = _read(module)
    text = take(lambda place: load().conv_explain(source, len(source), ctypes.byref(options), place)).decode()
    return [json.loads(line) for line in text.splitlines()] if as_json else text


def list_schedules(module: Module, target: str) -> typing.List[dict]:
    """The possible schedules of the convolutions of a module: dictionaries of "problem", "target", "schedule" and the
    "seconds" that the cost model predicts."""
    options = _Options(struct_size=ctypes.sizeof(_Options), targets=encode(target), source=b"source")
    source = _read(module)
    text = take(lambda place: load().conv_list_schedules(source, len(source), ctypes.byref(options), place)).decode()
    return [json.loads(line) for line in text.splitlines()]


def compute_code(module: Module, target: str, schedule: str) -> str:
    """The digest of the kernels and launches that a schedule gives for the only convolution of a module, without its
    epilogue: measurements hold for every compiler that computes the same digest."""
    options = _Options(
        struct_size=ctypes.sizeof(_Options), targets=encode(target), source=b"source", schedule=encode(schedule)
    )
    source = _read(module)
    return take(lambda place: load().conv_compute_code(source, len(source), ctypes.byref(options), place)).decode()


def statistics() -> typing.Dict[str, int]:
    """How often `compile` found code in memory, found it in a file, or compiled it, in this process."""
    counts = _Statistics(struct_size=ctypes.sizeof(_Statistics))
    _check(load().conv_jit_get_statistics(_get_jit(), ctypes.byref(counts)))
    return {name: getattr(counts, name) for name, _ in _Statistics._fields_[1:]}

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libconv_compiler.so: its functions, their structures and errors.

The library comes with the package conv-compiler, since it contains LLVM. It is searched for at the first
compilation.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import pathlib
import shutil
import threading
import typing

from ._library import Error, ErrorKind, bad_input, open_library

_HANDLE = ctypes.c_void_p
_PLACE = ctypes.POINTER(ctypes.c_void_p)
_STATUS = ctypes.c_int

WARNING = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class Options(ctypes.Structure):
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
        ("prepacks_filters", ctypes.c_int),
        ("progress", ctypes.c_void_p),
        ("warning", WARNING),
        ("context", ctypes.c_void_p),
    ]


class Statistics(ctypes.Structure):
    """conv_jit_statistics."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("memory_hits", ctypes.c_uint64),
        ("file_hits", ctypes.c_uint64),
        ("compilations", ctypes.c_uint64),
    ]


_COMPILE = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Options), _PLACE]
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
    ("conv_jit_get_statistics", _STATUS, [_HANDLE, ctypes.POINTER(Statistics)]),
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
    expected = "the library of conv-compiler, or of CONV_COMPILER_LIBRARY, to load"
    return open_library(_find_library(), _FUNCTIONS, expected)


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


def check(status: int) -> None:
    if status == 0:
        return
    library = load()
    message = library.conv_compiler_last_error().decode(errors="replace")
    if status == ErrorKind.UNSUPPORTED:
        raise Refused(ErrorKind(status), message, library.conv_compiler_last_reason().decode())
    raise Error(ErrorKind(status), message)


_jit_lock = threading.Lock()
_jits: typing.Dict[int, int] = {}


def get_jit() -> int:
    """The jit of this process: a forked process makes its own, since another thread may have held locks in its parent."""
    with _jit_lock:
        jit = _jits.get(os.getpid())
        if jit is None:
            place = ctypes.c_void_p()
            check(load().conv_jit_open(None, ctypes.byref(place)))
            jit = _jits[os.getpid()] = place.value
        return jit


def encode(
    text: typing.Optional[str], to_bytes: typing.Callable[[str], bytes] = str.encode
) -> typing.Optional[bytes]:
    """Text for C: UTF-8, or as `to_bytes` says; null for none."""
    if text and "\0" in text:
        raise bad_input(f"expects text without null characters, but got {text!r}")
    return to_bytes(text) if text else None


def take(call: typing.Callable[[typing.Any], int]) -> bytes:
    """The bytes of the compilation that `call` stores through its last parameter."""
    library = load()
    place = ctypes.c_void_p()
    check(call(ctypes.byref(place)))
    try:
        size = ctypes.c_size_t()
        address = library.conv_compilation_artifact(place, ctypes.byref(size))
        return ctypes.string_at(address, size.value)
    finally:
        library.conv_compilation_close(place)

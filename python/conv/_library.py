# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libconv_runtime.so: where it is, the parameters of its functions, and how their failures become exceptions."""

from __future__ import annotations

import ctypes
import enum
import operator
import os
import pathlib
import typing


class ErrorKind(enum.IntEnum):
    """Why a call failed. The values equal the exit codes of the command-line tools."""

    BAD_INPUT = 2  #: A file, name, number or tensor is wrong.
    UNSUPPORTED = 3  #: Correct, but not supported by this version.
    SYSTEM = 4  #: A device, a driver, memory or the disk.


class Error(RuntimeError):
    """An error: one sentence, and its kind."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple:  # The default would omit the kind, and the error could not cross processes.
        return type(self), (self.kind, *self.args)


def bad_input(message: str) -> Error:
    return Error(ErrorKind.BAD_INPUT, message)


def as_c_string(text: bytes) -> bytes:
    """The same text, of which C would otherwise read only the part before a null byte."""
    if b"\0" in text:
        raise bad_input(f"expects a name without null bytes, but got {text!r}")
    return text


def as_integer(name: str, value: object, least: int = -(1 << 63), most: int = (1 << 63) - 1) -> int:
    """The value as an integer within these bounds; ctypes would cut a larger one without an error."""
    try:
        number = operator.index(value)
    except TypeError:
        raise bad_input(f"{name}: expects an integer, but got {value!r}") from None
    if not least <= number <= most:
        raise bad_input(f"{name}: expects {least} to {most}, but got {number}")
    return number


def as_text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise bad_input(f"{name}: expects text, but got {value!r}")
    return value


def as_number(name: str, value: object) -> float:
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)  # type: ignore[arg-type] - checked here
    except (OverflowError, TypeError, ValueError):
        raise bad_input(f"{name}: expects a number, but got {value!r}") from None


_HANDLE = ctypes.c_void_p
_PLACE = ctypes.POINTER(ctypes.c_void_p)
_STATUS = ctypes.c_int

# Name, result, parameters: conv_runtime.h in the types of ctypes.
_FUNCTIONS = [
    ("conv_last_error", ctypes.c_char_p, []),
    ("conv_runtime_version", ctypes.c_char_p, []),
    ("conv_artifact_open", _STATUS, [ctypes.c_char_p, _PLACE]),
    ("conv_artifact_open_memory", _STATUS, [ctypes.c_char_p, ctypes.c_size_t, _PLACE]),
    ("conv_artifact_close", None, [_HANDLE]),
    ("conv_artifact_manifest", ctypes.c_char_p, [_HANDLE]),
    ("conv_device_open", _STATUS, [ctypes.c_char_p, _PLACE]),
    ("conv_device_target", ctypes.c_char_p, [_HANDLE, ctypes.c_size_t]),
    ("conv_device_compute_units", ctypes.c_uint, [_HANDLE]),
    ("conv_limit_threads", None, [ctypes.c_uint]),
    ("conv_use_team", None, [ctypes.c_void_p]),
    ("conv_device_allocate", _STATUS, [_HANDLE, ctypes.c_int64, _PLACE]),
    ("conv_device_free", _STATUS, [_HANDLE, ctypes.c_void_p]),
    ("conv_device_copy_to", _STATUS, [_HANDLE, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]),
    ("conv_device_copy_from", _STATUS, [_HANDLE, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]),
    ("conv_device_synchronize", _STATUS, [_HANDLE, ctypes.c_void_p]),
    ("conv_executable_load", _STATUS, [_HANDLE, _HANDLE, ctypes.c_char_p, _PLACE]),
    ("conv_executable_target", ctypes.c_char_p, [_HANDLE]),
    (
        "conv_executable_run",
        _STATUS,
        [_HANDLE, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p],
    ),
    (
        "conv_executable_find_sizes",
        _STATUS,
        [_HANDLE, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64)],
    ),
    (
        "conv_executable_run_sizes",
        _STATUS,
        [
            _HANDLE,
            *(ctypes.c_void_p, ctypes.c_size_t),
            *(ctypes.c_void_p, ctypes.c_size_t),
            *(ctypes.c_void_p, ctypes.c_void_p),
        ],
    ),
]


def open_library(path: str, functions: typing.Sequence[tuple], expected: str) -> ctypes.CDLL:
    """A shared library with its functions, (name, result, parameters), declared. One that cannot be opened, or lacks a
    function, is not what was `expected`."""
    try:
        opened = ctypes.CDLL(path)
        for name, result, parameters in functions:
            function = getattr(opened, name)
            function.restype, function.argtypes = result, parameters
    except (OSError, AttributeError) as error:
        raise Error(ErrorKind.SYSTEM, f"expects {expected}, but got: {error}") from error
    return opened


def _load() -> ctypes.CDLL:
    """The library beside this file, or the library that CONV_RUNTIME_LIBRARY names."""
    beside = pathlib.Path(__file__).with_name("libconv_runtime.so")
    path = os.environ.get("CONV_RUNTIME_LIBRARY") or str(beside)
    return open_library(path, _FUNCTIONS, "libconv_runtime.so in the package or in CONV_RUNTIME_LIBRARY")


library = _load()
#: `conv_executable_run` without declared parameter types: ctypes converts no arguments, which therefore are objects of ctypes.
run_executable = ctypes.CFUNCTYPE(_STATUS)(("conv_executable_run", library))
__version__: str = library.conv_runtime_version().decode()


def check(status: int) -> None:
    """Raises the library's message for a status that is not success."""
    if status:
        raise Error(ErrorKind(status), library.conv_last_error().decode(errors="replace"))


def make_handle(function, *arguments) -> int:
    """Calls a function whose last parameter receives a handle or address, and returns that."""
    place = ctypes.c_void_p()
    check(function(*arguments, ctypes.byref(place)))
    return place.value or 0

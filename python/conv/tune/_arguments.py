# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of conv-tune and conv-build: their types, and checks before anything starts."""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import re
import typing

from .. import _compiler
from .._library import Error, ErrorKind, bad_input
from .._problem import Problem

#: The prefixes of the targets of a device.
_TARGETS = {"cuda": "sm_", "hip": "gfx", "host": "host", "sim": "gfx"}

#: The most seconds of an argument: no clock or lock of the system overflows.
_MOST_SECONDS = 1e9


def positive(text: str) -> int:
    """The type of counts."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expects a positive number, but got {text}")
    return int(text)


def seconds(text: str) -> float:
    """The type of times."""
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"expects 0 to {_MOST_SECONDS:g} seconds, but got {text}")
    return value


def ratio(text: str) -> float:
    """The type of factors."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 1 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expects a ratio of at least 1, but got {text}")
    return value


def device(text: str) -> str:
    """The type of devices."""
    if not re.fullmatch(r"(cuda|hip)(:\d+)?|host|sim", text):
        raise argparse.ArgumentTypeError(f"expects host, cuda, cuda:1, hip or sim, but got {text}")
    return text


def check_target(target: str) -> None:
    """Raises the compiler's error for an unknown target. A client of a cluster may have no compiler."""
    if _compiler.is_available():
        problem = Problem(n=1, c=8, k=8, input=(1,), filter=(1,), dtype="f16")
        try:
            _compiler.list_schedules(problem.module(), target)
        except _compiler.Refused:
            pass


def check_device(device: str, target: str, cluster: typing.Optional[str]) -> None:
    """Raises an error if a device cannot run a target's code, or if this machine lacks what measurements on it need."""
    kind = device.partition(":")[0]
    if not target.startswith(_TARGETS[kind]):
        raise bad_input(f"expects a target of the device {device}, whose name starts with {_TARGETS[kind]}, but got {target}")
    check_target(target)
    name, package = ("PyTorch", "torch") if kind in ("cuda", "hip") else ("NumPy", "numpy")
    if cluster in (None, "", "local") and not importlib.util.find_spec(package):
        raise Error(ErrorKind.SYSTEM, f"expects {name} to measure on {device}: pip install {package}, but found none")


def read_text(path: typing.Union[str, os.PathLike]) -> str:
    """The text of a file that the user named."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise bad_input(f"cannot read '{path}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise bad_input(f"expects text in '{path}', but got other bytes") from error

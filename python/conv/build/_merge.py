# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Merges one artifact for each model, by conv-pack."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import typing

from .._library import Error, ErrorKind
from ..tune._bundle import write_file
from ._models import Model
from ._units import Store

#: The most artifacts that one call of conv-pack merges; their names must fit a command line.
_MERGED = 5000
#: The folder of units and records, inside the folder of artifacts.
STORE = ".store"


def find_tool() -> str:
    """The path of conv-pack: from PATH, or of the package conv-compiler."""
    tool = shutil.which("conv-pack")
    if not tool:
        with contextlib.suppress(ImportError):
            import conv_compiler

            tool = shutil.which(conv_compiler.PACK_TOOL)
    if not tool:
        raise Error(ErrorKind.SYSTEM, "expects conv-pack on PATH or in the package conv-compiler, but found none")
    return tool


def _merge(names: typing.Sequence[str], output: pathlib.Path, folder: pathlib.Path) -> None:
    """Merges several artifacts into one, which replaces the file when it is complete."""
    parts = []
    try:
        while len(names) > _MERGED:
            part = f"{output.name}.{os.getpid()}.{len(parts)}.part"
            parts.append(part)
            _run_tool(names[:_MERGED], folder / part, folder)
            names = [*names[_MERGED:], part]
        _run_tool(names, output, folder)
    finally:
        for part in parts:
            (folder / part).unlink(missing_ok=True)


def _run_tool(names: typing.Sequence[str], output: pathlib.Path, folder: pathlib.Path) -> None:
    done = subprocess.run([find_tool(), "merge", *names, "-o", output], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Error(
            ErrorKind(max(done.returncode, 2)), done.stderr.strip().partition("error: ")[2] or done.stderr.strip()
        )


def merge_model(model: Model, store: Store, output: pathlib.Path) -> bool:
    """Merges a model's units into its artifact; False if the artifact exists with the same units."""
    keys = list(dict.fromkeys(unit.key for unit in model.units if store.has_pack(unit.key)))
    path, record = output / f"{model.name}.convpack", output / STORE / f"{model.name}.json"
    digest = hashlib.sha256("\n".join(keys).encode()).hexdigest()
    try:
        known = json.loads(record.read_text())
        if known == {"units": digest, "pack": hashlib.sha256(path.read_bytes()).hexdigest()}:
            return False
    except (OSError, ValueError):
        pass
    if not keys:
        path.unlink(missing_ok=True)
        return False
    _merge([f"{key}.convpack" for key in keys], path.resolve(), store.folder)
    content = {"units": digest, "pack": hashlib.sha256(path.read_bytes()).hexdigest()}
    write_file(record, json.dumps(content).encode())
    return True



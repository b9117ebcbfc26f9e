# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several `.convpack` files as one, with the other members of a saved model.

docs/artifact.md describes the format; readers ignore members they do not know.
"""

from __future__ import annotations

import io
import json
import lzma
import os
import typing
import zipfile
import zlib

from .._library import bad_input

MANIFEST = "manifest.json"
_DATE = (1980, 1, 1, 0, 0, 0)


def _write(pack: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    pack.writestr(info, content)


def read(path: typing.Union[str, os.PathLike], names: typing.Sequence[str]) -> typing.Dict[str, bytes]:
    """Those of the members that a file has.

    Raises:
        Error: it is no whole `.convpack` file.
    """
    try:
        with zipfile.ZipFile(path) as pack:
            return {name: pack.read(name) for name in names if name in pack.namelist()}
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError) as error:
        raise bad_input(f"cannot read '{os.fspath(path)}': expects a whole .convpack file, but got: {error}") from error


def merge(packs: typing.Sequence[bytes], more: typing.Optional[typing.Dict[str, bytes]] = None) -> bytes:
    """All functions of `packs`, which one compiler made, and the members `more`. The same input gives the same bytes."""
    manifest: typing.Dict[str, typing.Any] = {}
    members: typing.Dict[str, bytes] = dict(more or {})
    entries: typing.Dict[typing.Tuple[str, str], object] = {}
    for content in packs:
        with zipfile.ZipFile(io.BytesIO(content)) as pack:
            manifest = json.loads(pack.read(MANIFEST))
            for entry in manifest["entries"]:
                entries[entry["function"], entry["target"]] = entry
            members.update((name, pack.read(name)) for name in pack.namelist() if name != MANIFEST)
    if not packs:
        raise ValueError("expects at least one artifact, but got none: no convolution of the model could be compiled")
    manifest["entries"] = [entries[key] for key in sorted(entries)]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as pack:
        _write(pack, MANIFEST, json.dumps(manifest, separators=(",", ":")).encode())
        for name in sorted(members):
            _write(pack, name, members[name])
    return buffer.getvalue()

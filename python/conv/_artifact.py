# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts: opened files, and the functions in them."""

from __future__ import annotations

import os
from typing import Dict, Iterator, Optional, Tuple, Union

from ._device import Device, open_device
from ._function import Function
from ._library import as_c_string, bad_input, library, make_handle
from ._loaded import ArtifactFile
from ._manifest import Entry


class Artifact:
    """The functions of a `.convpack` file, by name.

    Kernels are loaded when a function first runs on a device, and stay loaded until the process ends, because a
    captured graph may hold them. Loading the same code again costs nothing.
    """

    def __init__(self, handle: int, device: Optional[Device]) -> None:
        file = ArtifactFile(handle)
        #: The parsed manifest of the file (docs/artifact.md).
        self.manifest: dict = file.manifest()
        manifest = self.manifest
        #: The compiler that made the file: "version", "llvm" and "fingerprint".
        self.compiler: Dict[str, str] = manifest["compiler"]
        #: All functions for all targets, in the order of the file.
        self.entries: Tuple[Entry, ...] = tuple(map(Entry.parse, manifest["entries"]))
        self._functions: Dict[str, Function] = {}
        for entry in self.entries:
            if entry.function not in self._functions:
                entries = tuple(other for other in self.entries if other.function == entry.function)
                self._functions[entry.function] = Function(file, entries, device)

    def __getitem__(self, name: str) -> Function:
        try:
            return self._functions[name]
        except KeyError:
            raise bad_input(f"expects a function of {self._describe()}, but got '{name}'") from None

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __deepcopy__(self, memo: dict) -> Artifact:  # It is immutable, and modules that hold it are copied.
        return self

    def __repr__(self) -> str:
        return f"<conv.Artifact of {self._describe()}>"

    def _describe(self, shown: int = 8) -> str:
        """The names of its functions, or their number if they are many."""
        names = list(self._functions)
        more = f" and {len(names) - shown} more" if len(names) > shown else ""
        return ", ".join(names[:shown]) + more


def load(
    source: Union[str, os.PathLike, bytes, bytearray, memoryview], device: Union[str, Device, None] = None
) -> Artifact:
    """Opens a `.convpack` file, given by its path or as its bytes, and checks it, including the digests of the code.

    `device` is where functions run: "host", "cuda", "cuda:1", "hip", "sim:gfx942", ... Without it, each call runs where its
    tensors are. A named device also accepts tensors in the CPU's memory, and copies them there and back.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        content = bytes(source)
        handle = make_handle(library.conv_artifact_open_memory, content, len(content))
    else:
        handle = make_handle(library.conv_artifact_open, as_c_string(os.fsencode(source)))
    return Artifact(handle, open_device(device) if device is not None else None)

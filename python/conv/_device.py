# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices: opened once in a process, with their loaded kernels and a workspace for each stream."""

from __future__ import annotations

import contextlib
import threading
from typing import Dict, Iterator, List, Optional, Tuple, Union

from ._library import as_c_string, as_text, check, library, make_handle


class Workspace:
    """The scratch memory of one stream. Runs that use it take turns, since their launches must not interleave."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.address: Optional[int] = None
        self.bytes = 0


class Device:
    """One opened device. `open_device` creates it: there is one for each name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._handle = make_handle(library.conv_device_open, as_c_string(name.encode()))
        self._lock = threading.Lock()  # Only one thread may load or allocate at a time.
        self._executables: Dict[Tuple[bytes, str], int] = {}
        self._workspaces: Dict[int, Workspace] = {}
        #: The targets whose entries the device executes, best first.
        self.targets: List[str] = []
        while target := library.conv_device_target(self._handle, len(self.targets)):
            self.targets.append(target.decode())
        #: Compute units of a GPU, or threads of the host; 0 for simulators.
        self.compute_units: int = library.conv_device_compute_units(self._handle)

    def __repr__(self) -> str:
        return f"<conv.Device {self.name} ({', '.join(self.targets)})>"

    def synchronize(self, stream: int = 0) -> None:
        """Waits for all work on a stream, given by its handle; 0 is the default stream."""
        check(library.conv_device_synchronize(self._handle, stream))

    def executable(self, manifest: bytes, artifact: int, function: str) -> int:
        """The handle of a loaded function, identified by the text of the manifest, which has the code's digests."""
        key = (manifest, function)
        with self._lock:
            if key not in self._executables:
                self._executables[key] = make_handle(
                    library.conv_executable_load, self._handle, artifact, function.encode()
                )
            return self._executables[key]

    def workspace(self, stream: int, size: int) -> Workspace:
        """The workspace of a stream, with at least `size` bytes.

        A workspace that was too small is not freed: a captured graph may still use it.
        """
        with self._lock:
            workspace = self._workspaces.setdefault(stream, Workspace())
            if workspace.bytes < size:
                grown = Workspace()
                grown.address = make_handle(library.conv_device_allocate, self._handle, size)
                grown.bytes = size
                workspace = self._workspaces[stream] = grown
            return workspace

    @contextlib.contextmanager
    def buffer(self, size: int) -> Iterator[int]:
        """The address of device memory that is freed at the end of the block."""
        with self._lock:
            address = make_handle(library.conv_device_allocate, self._handle, size)
        try:
            yield address
        finally:
            with self._lock:
                check(library.conv_device_free(self._handle, address))

    def copy_to(self, target: int, source: int, size: int) -> None:
        check(library.conv_device_copy_to(self._handle, target, source, size))

    def copy_from(self, target: int, source: int, size: int) -> None:
        check(library.conv_device_copy_from(self._handle, target, source, size))


_devices: Dict[str, Device] = {}
_devices_lock = threading.Lock()


def open_device(device: Union[str, Device]) -> Device:
    """The device of this name: "host", "cuda", "cuda:1", "hip", "hip:1" or "sim:<chip>"."""
    if isinstance(device, Device):
        return device
    name = as_text("device", device)
    if name in ("cuda", "hip"):
        name += ":0"
    with _devices_lock:
        if name not in _devices:
            _devices[name] = Device(name)
        return _devices[name]

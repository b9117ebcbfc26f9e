# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is opened and loaded under artifacts and functions: the file, and an entry of it on a device."""

from __future__ import annotations

import contextlib
import ctypes
import json
import weakref
from typing import Dict, Optional, Sequence, Tuple

from ._device import Device
from ._frameworks import Tensor
from ._library import Error, bad_input, check, library
from ._signature import Signature

_MOST_SIZES = 4096  #: The most run-time sizes of calls that are remembered.


class ArtifactFile:
    """An artifact that the library has opened. It is closed when no artifact and no function refers to it."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        weakref.finalize(self, library.conv_artifact_close, handle)
        self._manifest: bytes = library.conv_artifact_manifest(handle)

    def manifest(self) -> dict:
        """The parsed manifest."""
        return json.loads(self._manifest)

    def load_on(self, device: Device, function: str) -> int:
        """The handle of a function's kernels on a device."""
        return device.executable(self._manifest, self._handle, function)


class Loaded:
    """An entry loaded on a device, with its run-time sizes if it has any."""

    def __init__(
        self, device: Device, executable: int, signature: Signature, sizes: Optional[ctypes.Array] = None
    ) -> None:
        self.device = device
        self.executable = executable
        self.signature = signature
        self.sizes = sizes
        self._places = signature.entry.places_of_sizes()
        self._sized: Dict[Tuple[int, ...], Loaded] = {}

    def with_sizes_of(self, shapes: Sequence[Optional[Sequence[int]]]) -> Loaded:
        """The entry with the run-time sizes that the shapes of operands imply, and of results unless they are None."""
        if not self._places:
            return self
        try:
            sizes = tuple(int(shapes[place][dimension]) for place, dimension in self._places)
        except IndexError:
            raise self._wrong_rank(shapes) from None
        known = self._sized.get(sizes)
        if known is None:
            if len(self._sized) >= _MOST_SIZES:
                self._sized.clear()
            known = self._sized[sizes] = self._resolve(sizes)
        return known

    def _resolve(self, sizes: Tuple[int, ...]) -> Loaded:
        """Checks, through the library, the ranges of these sizes and whether their buffers and grids are too large."""
        shapes = [argument.with_sizes(sizes).shape for argument in self.signature.arguments]
        arrays = [(ctypes.c_int64 * len(shape))(*shape) for shape in shapes]
        pointers = (ctypes.c_void_p * len(arrays))(*map(ctypes.addressof, arrays))
        numbers, workspace = (ctypes.c_int64 * len(sizes))(), ctypes.c_int64()
        check(
            library.conv_executable_find_sizes(
                self.executable, pointers, len(pointers), numbers, ctypes.byref(workspace)
            )
        )
        entry = self.signature.entry.with_sizes(sizes, workspace.value)
        return Loaded(self.device, self.executable, Signature(entry), numbers)

    def _wrong_rank(self, shapes: Sequence[Optional[Sequence[int]]]) -> Error:
        for argument, shape in zip(self.signature.arguments, shapes):
            if shape is not None and len(shape) != len(argument.shape):
                names = ", ".join(self.signature.entry.size_name(size) for size in argument.shape)
                return bad_input(f"argument '{argument.name}': expects shape ({names}), but got {tuple(shape)}")
        raise AssertionError("a shape has too few dimensions")

    def call(self, array: ctypes.Array, workspace: Optional[int], stream: Optional[int]) -> int:
        """Starts the kernels, and returns the status."""
        if self.sizes is None:
            return library.conv_executable_run(self.executable, array, len(array), workspace, stream)
        sizes = self.sizes
        return library.conv_executable_run_sizes(
            self.executable, sizes, len(sizes), array, len(array), workspace, stream
        )

    def run(self, tensors: Sequence[Tensor], where: str, stream: int) -> None:
        """Checks the tensors, of which the first is on the device `where`, and runs the function on them."""
        if where == self.device.name or where != "host":
            self.signature.check(tensors, self.device.name)
            self.start([tensor.address for tensor in tensors], stream)
        else:
            self.signature.check(tensors, "host")
            self.run_staged(tensors, stream)

    def start(self, addresses: Sequence[int], stream: int) -> None:
        """Starts the kernels on memory of the device."""
        self.start_array(self.signature.array_type(*addresses), stream)

    def start_array(self, array: ctypes.Array, stream: int) -> None:
        """Starts the kernels with an array of addresses."""
        size = self.signature.entry.workspace_bytes
        if not size:
            check(self.call(array, None, stream))
            return
        workspace = self.device.workspace(stream, size)
        with workspace.lock:
            check(self.call(array, workspace.address, stream))

    def run_staged(self, tensors: Sequence[Tensor], stream: int) -> None:
        """Runs on copies of tensors in the CPU's memory, and copies the results back."""
        with contextlib.ExitStack() as stack:
            addresses = []
            for argument, tensor in zip(self.signature.arguments, tensors):
                addresses.append(stack.enter_context(self.device.buffer(argument.bytes)))
                # Results are copied too: the bytes between their elements must stay the same.
                self.device.copy_to(addresses[-1], tensor.address, argument.bytes)
            self.start(addresses, stream)
            self.device.synchronize(stream)
            for argument, tensor, address in zip(self.signature.arguments, tensors, addresses):
                if argument.is_output or argument.is_updated:
                    self.device.copy_from(tensor.address, address, argument.bytes)

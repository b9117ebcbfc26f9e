# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of conv, loaded on a device of PyTorch, and how it starts on tensors."""

from __future__ import annotations

import ctypes
import struct
import typing

import torch

from .._device import open_device
from .._function import Function
from .._library import check, library, run_executable
from . import _native

_ALIGNMENT = 256  #: Bytes that workspaces are aligned to.
_MOST_STREAMS = 64  #: The most streams whose handles are kept.


def device_name(device: torch.device) -> str:
    """The runtime's name of a device."""
    if device.type == "cpu":
        return "host"
    return f"{'hip' if torch.version.hip else 'cuda'}:{device.index or 0}"


def _dlpack_type(device: torch.device) -> int:
    """DLPack's number of a device's type."""
    return 1 if device.type == "cpu" else 10 if torch.version.hip else 2


class Kernel:
    """A function loaded on a device."""

    def __init__(self, function: Function, device: torch.device) -> None:
        loaded = function._load(device_name(device))
        entry = loaded.signature.entry
        self.target = entry.target
        self._label = f"conv.torch::{entry.function}"
        self._function = function  # Keeps the kernels loaded.
        self._loaded = loaded
        self._pack = struct.Struct(f"{len(entry.arguments)}P").pack  # In bytes, which take less time than an array of ctypes.
        self._workspace_bytes = entry.workspace_bytes
        self._device = device
        self._places = entry.places_of_sizes()
        # Powers of two. No address is odd, so that an odd one can stand for values that are not in memory.
        self._alignments = [max(argument.alignment, 2) for argument in entry.arguments]
        self._low_bits = max(self._alignments, default=2) - 1
        # What a call passes to the library, as objects of ctypes.
        self._executable, self._count = ctypes.c_void_p(loaded.executable), ctypes.c_size_t(len(entry.arguments))
        self._current_stream = torch._C._cuda_getCurrentRawStream if device.type == "cuda" else None
        self._streams: typing.Dict[int, ctypes.c_void_p] = {}
        #: Of the host, if this is a kernel of it.
        self._threads = open_device(device_name(device)).compute_units if device.type == "cpu" else 0

    def __call__(self, operands: typing.Sequence[torch.Tensor], result: torch.Tensor) -> None:
        """Starts it on the current stream, on dense tensors in the orders of the problem, which determine run-time sizes.

        On the CPU, it uses as many threads as PyTorch's operators do, or says that these have more. PyTorch's profiler sees
        it."""
        if _native.is_profiled():
            with torch.profiler.record_function(self._label):
                self._limit_threads(operands, result)
        else:
            self._limit_threads(operands, result)

    def _limit_threads(self, operands: typing.Sequence[torch.Tensor], result: torch.Tensor) -> None:
        if self._device.type != "cpu" or torch.get_num_threads() == self._threads:
            self._start(operands, result)
            return
        library.conv_limit_threads(torch.get_num_threads())
        try:
            self._start(operands, result)
        finally:
            library.conv_limit_threads(0)

    def _start(self, operands: typing.Sequence[torch.Tensor], result: torch.Tensor) -> None:
        addresses, bits = [], 0
        try:
            for operand in operands:
                # Lazily negated tensors have other values in memory, and lazily zeroed ones have no memory.
                address = operand.data_ptr()
                if address < _native.USUAL_ADDRESS and not _native.has_memory(operand):
                    address = 1
                address |= operand.is_neg()
                addresses.append(address)
                bits |= address
        except RuntimeError:
            # A tensor that left a transform of torch.func wraps the one with the data.
            unwrapped = [torch._C._functorch.unwrap_if_dead(operand) for operand in operands]
            if all(ours is theirs for ours, theirs in zip(unwrapped, operands)):
                raise
            return self._start(unwrapped, result)
        if bits & self._low_bits:
            operands, addresses = self._in_memory(operands, addresses)
        packed = self._pack(*addresses, result.data_ptr())
        stream = self._stream() if self._current_stream else None
        if self._places:
            status = self._run_with_sizes(operands, packed, stream)
        elif self._workspace_bytes:
            scratch, workspace = self._allocate(self._workspace_bytes)
            status = run_executable(self._executable, packed, self._count, workspace, stream)
        else:
            status = run_executable(self._executable, packed, self._count, None, stream)
        if status:
            check(status)

    def make_launcher(
        self, choice: object, shape: torch.Size, strides: typing.Tuple[int, ...], dtype: torch.dtype
    ) -> object:
        """What starts it on operands like those of this choice, and allocates such a result; None if only Python can."""
        if _native.make_launcher is None or self._places:
            return None
        numbers = self._executable.value, self._count.value - 1, self._low_bits, self._workspace_bytes
        place = _dlpack_type(self._device), self._device.index or 0, self._device
        allocate = _native.find_empty_strided(self._device)
        return _native.make_launcher(choice, self, *numbers, *place, tuple(shape), tuple(strides), dtype, allocate)

    def _stream(self) -> ctypes.c_void_p:
        handle = self._current_stream(self._device.index)
        stream = self._streams.get(handle)
        if stream is None:
            if len(self._streams) >= _MOST_STREAMS:
                self._streams.clear()
            stream = self._streams[handle] = ctypes.c_void_p(handle)
        return stream

    def _allocate(self, workspace_bytes: int) -> typing.Tuple[torch.Tensor, ctypes.c_void_p]:
        """A workspace and its address, from PyTorch's allocator, which knows streams and graphs."""
        scratch = torch.empty(workspace_bytes + _ALIGNMENT, dtype=torch.uint8, device=self._device)
        return scratch, ctypes.c_void_p(-(-scratch.data_ptr() // _ALIGNMENT) * _ALIGNMENT)

    def _run_with_sizes(
        self, operands: typing.Sequence[torch.Tensor], packed: bytes, stream: typing.Optional[ctypes.c_void_p]
    ) -> int:
        loaded = self._loaded.with_sizes_of([operand.shape for operand in operands])
        size = loaded.signature.entry.workspace_bytes
        scratch, workspace = self._allocate(size) if size else (None, None)
        return loaded.call(loaded.signature.array_type.from_buffer_copy(packed), workspace, stream)

    def _in_memory(
        self, operands: typing.Sequence[torch.Tensor], addresses: typing.Sequence[int]
    ) -> typing.Tuple[typing.List[torch.Tensor], typing.List[int]]:
        """The operands, or copies of those that are unaligned or lazy, and their addresses."""
        for operand in operands:
            if not _native.has_memory(operand) and not operand._is_zerotensor():
                raise RuntimeError(f"expects tensors with data, but the storage of one of shape {tuple(operand.shape)} was freed")
        copied = [
            # Not a clone: its strides differ if there are gaps between elements.
            operand.new_empty_strided(operand.shape, operand.stride()).copy_(operand) if address % alignment else operand
            for operand, address, alignment in zip(operands, addresses, self._alignments)
        ]
        return copied, [operand.data_ptr() for operand in copied]

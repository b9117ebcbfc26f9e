# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function bound to its tensors."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Callable, Dict, List, Optional, Sequence

from . import _native
from ._frameworks import Framework, Tensor
from ._library import bad_input, check, run_executable
from ._loaded import Loaded


def stream_handle(stream: Any) -> int:
    """The driver's handle of a stream."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):  # (version, handle)
        return stream.__cuda_stream__()[1]
    for name in ("cuda_stream", "ptr"):  # PyTorch, CuPy
        if hasattr(stream, name):
            return getattr(stream, name)
    raise bad_input(f"stream: expects a handle or a stream of PyTorch, CuPy or CUDA Python, but got {stream!r}")


_MOST_STREAMS = 64  #: The most streams whose prepared calls are kept.


class Bound:
    """A function whose tensors were checked once. A call starts the function on them, and returns nothing.

    It keeps references to its tensors. Their memory must stay in place: PyTorch's `resize_` and `set_` may move it.

    >>> step = conv.load("layer.convpack")["layer"].bind(x, w, out=y)  # doctest: +SKIP
    >>> step()  # doctest: +SKIP
    """

    __slots__ = ("_argument_array", "_current_stream", "_loaded", "_start", "_starts", "_tensors", "_values")

    def __init__(
        self, loaded: Loaded, tensors: Sequence[Tensor], values: Sequence[Any], framework: Framework
    ) -> None:
        self._loaded = loaded
        self._tensors, self._values = tensors, values  # They own the memory.
        addresses = [tensor.address for tensor in tensors]
        current = None if loaded.device.name == "host" else framework.stream_getter(values[0])
        self._argument_array = loaded.signature.array_type(*addresses)
        self._current_stream = current or int
        #: What starts the kernels on a stream, by the stream's handle.
        self._starts: Dict[int, Callable[[], Optional[int]]] = {}
        self._start = _native.make_bound(loaded, addresses, current)

    def __call__(self, stream: Any = None) -> None:
        """Starts the kernels on `stream`, as for a call of the function; by default on the framework's current stream."""
        start = self._start or self._start_in_python
        start(None if stream is None else stream_handle(stream))

    def _start_in_python(self, stream: Optional[int]) -> None:
        handle = self._current_stream() if stream is None else stream
        start = self._starts.get(handle) or self._add(handle)
        status = start()
        if status:
            check(status)

    def _add(self, handle: int) -> Callable[[], Optional[int]]:
        """Prepares what starts the kernels on a stream: the library's function, with arguments that need no conversion."""
        loaded, array = self._loaded, self._argument_array
        if loaded.sizes is not None or loaded.signature.entry.workspace_bytes:
            start = functools.partial(loaded.start_array, array, handle)
        else:
            executable, count = ctypes.c_void_p(loaded.executable), ctypes.c_size_t(len(array))
            workspace = ctypes.c_void_p()
            start = functools.partial(run_executable, executable, array, count, workspace, ctypes.c_void_p(handle))
        if len(self._starts) >= _MOST_STREAMS:
            self._starts.clear()
        self._starts[handle] = start
        return start

    @property
    def tensors(self) -> List[Any]:
        """The tensors: operands, then results."""
        return list(self._values)

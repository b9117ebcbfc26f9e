# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function bound to its tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Sequence

from ._frameworks import Framework, Tensor
from ._library import bad_input, check, library

if TYPE_CHECKING:
    from ._function import _Loaded


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


class Bound:
    """A function whose tensors were checked once. A call starts the function on them, and returns nothing.

    It keeps references to its tensors. Their memory must stay in place: PyTorch's `resize_` and `set_` may move it.

    >>> step = conv.load("layer.convpack")["layer"].bind(x, w, out=y)  # doctest: +SKIP
    >>> step()  # doctest: +SKIP
    """

    __slots__ = ("_argument_array", "_count", "_current_stream", "_executable", "_first", "_loaded", "_run", "_tensors",
                 "_values")  # fmt: skip

    def __init__(
        self, loaded: _Loaded, tensors: Sequence[Tensor], values: Sequence[Any], framework: Framework
    ) -> None:
        self._loaded = loaded
        self._executable = loaded.executable
        self._tensors, self._values = tensors, values  # The tensors own the memory.
        self._first = values[0]
        self._argument_array = loaded.signature.array_type(*[tensor.address for tensor in tensors])
        self._count = len(tensors)
        self._current_stream = framework.current_stream if loaded.device.name != "host" else None
        is_simple = loaded.sizes is None and not loaded.signature.entry.workspace_bytes
        self._run = library.conv_executable_run if is_simple else None

    def __call__(self, stream: Any = None) -> None:
        """Starts the kernels on `stream`, as in a call of the function; by default on the framework's current stream."""
        if stream is not None:
            stream = stream_handle(stream)
        elif self._current_stream is not None:
            stream = self._current_stream(self._first)
        if self._run is None:
            self._loaded.start_array(self._argument_array, stream or 0)
            return
        status = self._run(self._executable, self._argument_array, self._count, None, stream)
        if status:
            check(status)

    @property
    def tensors(self) -> List[Any]:
        """The tensors: operands, then results."""
        return list(self._values)

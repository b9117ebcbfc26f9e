# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of other libraries: their addresses and properties, and how to create more of them.

A framework is a class here, found by the module of a tensor's type. None is imported here: whoever made a tensor has done so.
PyTorch and CuPy are asked directly, because a protocol costs microseconds per tensor; unknown types describe themselves
through DLPack or `__cuda_array_interface__`.
"""

from __future__ import annotations

import enum
import functools
import operator
import sys
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from . import _dlpack, _dtypes
from ._library import bad_input
from ._manifest import Argument


class Tensor(NamedTuple):
    """The properties of a tensor that a call needs."""

    address: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  #: In elements.
    dtype: str
    device: str  #: "host", "cuda:0", ...
    is_read_only: bool
    owner: Any  #: Keeps the memory alive.


def _tensor(
    address: int,
    shape: Tuple[int, ...],
    strides: Tuple[int, ...],
    dtype: str,
    device: str,
    is_read_only: bool = False,
    owner: Any = None,
) -> Tensor:
    """Tensor(...), in a third of the time."""
    return tuple.__new__(Tensor, (address, shape, strides, dtype, device, is_read_only, owner))


class Protocol(enum.IntEnum):
    """How libconv_python.so reads tensors; python/native/Frameworks.h has the same numbers."""

    ARRAY_INTERFACE = 0
    TORCH = 1
    CUPY = 2
    DLPACK = 3


class Framework:
    """How tensors of one library are read and created."""

    #: Whether its tensors may be used on any stream as soon as a call has returned.
    expects_finished_results = False
    #: Whether tensors may be read only after their `block_until_ready`.
    is_lazy = False

    def read(self, tensor: Any, stream: Optional[int]) -> Tensor:
        """Describes a tensor that a kernel on `stream` will use; None is the device's default stream."""
        raise NotImplementedError

    def current_stream(self, tensor: Any) -> int:
        """The default stream of work on a tensor's device."""
        return 0

    def stream_getter(self, tensor: Any) -> Callable[[], int]:
        """`current_stream` of one tensor, as a function for many calls."""
        return functools.partial(self.current_stream, tensor)

    def protocol_of(self, kind: type) -> Optional[Protocol]:
        """How libconv_python.so reads tensors of a type; None if only Python does."""
        return None

    def native_stream(self) -> Optional[Callable[[Any], int]]:
        """What libconv_python.so asks for the current stream, if its tensors have one: of a tensor, or of a GPU's index if the
        protocol is PyTorch's."""
        return None

    def own_dtype(self, name: str) -> Any:
        """The framework's dtype for a type of the artifact, if the framework can create such tensors."""
        return None

    def allocator(self, argument: Argument, dtype: Any, like: Any) -> Callable[[Any], Any]:
        """`empty` for many calls: a function of a tensor like this one. It keeps no tensor."""
        return functools.partial(self.empty, argument, dtype)

    def empty(self, argument: Argument, dtype: Any, like: Any) -> Any:
        """Creates a tensor for `argument`, on the device of the tensor `like`."""
        raise bad_input(f"argument '{argument.name}': expects a tensor, because {type(like).__name__} cannot make one")


class NumPy(Framework):
    _ALIGNMENT = 16  #: Bytes that the addresses of new arrays are multiples of: those of malloc.
    _MOST = 4096  #: The most remembered pairs of a dtype and strides.

    def __init__(self) -> None:
        self.numpy = sys.modules["numpy"]
        #: The name of a dtype, and strides in elements, by dtype and strides in bytes.
        self._known: Dict[Any, Tuple[str, Tuple[int, ...]]] = {}

    def read(self, tensor: Any, stream: Optional[int]) -> Tensor:
        key = tensor.dtype, tensor.strides
        name, strides = self._known.get(key) or self._add(*key)
        address, is_read_only = tensor.__array_interface__["data"]
        return _tensor(address, tensor.shape, strides, name, "host", is_read_only)

    def _add(self, dtype: Any, steps: Tuple[int, ...]) -> Tuple[str, Tuple[int, ...]]:
        size = dtype.itemsize or 1
        if any(step % size for step in steps):
            raise bad_input("expects strides of whole elements")
        if len(self._known) >= self._MOST:
            self._known.clear()
        known = _dtypes.from_framework(dtype), tuple([step // size for step in steps])
        return self._known.setdefault((dtype, steps), known)

    def protocol_of(self, kind: type) -> Optional[Protocol]:
        return Protocol.ARRAY_INTERFACE if kind in (self.numpy.ndarray, self.numpy.memmap) else None

    def own_dtype(self, name: str) -> Any:
        pattern = _dtypes.BIT_PATTERNS.get(name)
        if pattern and "ml_dtypes" in sys.modules:
            return self.numpy.dtype(getattr(sys.modules["ml_dtypes"], _dtypes.FRAMEWORK_NAMES[name]))
        return self.numpy.dtype(_dtypes.FRAMEWORK_NAMES[pattern or name])

    def allocator(self, argument: Argument, dtype: Any, like: Any) -> Callable[[Any], Any]:
        order = _dlpack.memory_order(argument.shape, argument.strides)
        if order is None or argument.alignment > self._ALIGNMENT:
            return super().allocator(argument, dtype, like)
        shape, empty = tuple([argument.shape[place] for place in order]), self.numpy.empty
        if order == sorted(order):
            return lambda like: empty(shape, dtype)
        places = tuple([order.index(place) for place in range(len(order))])
        return lambda like: empty(shape, dtype).transpose(places)

    def empty(self, argument: Argument, dtype: Any, like: Any) -> Any:
        memory = self.numpy.empty(argument.bytes // dtype.itemsize + argument.alignment // dtype.itemsize, dtype)
        skipped = -memory.__array_interface__["data"][0] % argument.alignment // dtype.itemsize
        strides = [step * dtype.itemsize for step in argument.strides]
        return self.numpy.lib.stride_tricks.as_strided(memory[skipped:], argument.shape, strides)


class Torch(Framework):
    def __init__(self) -> None:
        self.torch = sys.modules["torch"]
        self._names: Dict[Any, str] = {}
        self._devices: Dict[Any, str] = {}

    def read(self, tensor: Any, stream: Optional[int]) -> Tensor:
        dtype, device = tensor.dtype, tensor.device
        if tensor.is_neg():
            raise bad_input("expects a tensor with its values in memory, but got a lazy negation: call tensor.resolve_neg()")
        if tensor.requires_grad and self.torch.is_grad_enabled():
            raise bad_input(
                "expects a tensor that needs no gradient, but got one with requires_grad, and none flows through a "
                "compiled function: call it in torch.no_grad(), or with tensor.detach()"
            )
        try:
            address, strides = tensor.data_ptr(), tensor.stride()
        except RuntimeError as error:  # Sparse ones, and those of oneDNN.
            raise bad_input(f"expects a tensor with its values in memory, but got one without: {error}") from error
        return _tensor(
            address,
            tensor.shape,
            strides,
            self._names.get(dtype) or self._names.setdefault(dtype, _dtypes.from_framework(dtype)),
            self._devices.get(device) or self._devices.setdefault(device, self._name(device)),
        )

    def _name(self, device: Any) -> str:
        if device.type == "cpu":
            return "host"
        if device.type == "cuda":
            return f"{'hip' if self.torch.version.hip else 'cuda'}:{device.index}"
        return str(device)

    def current_stream(self, tensor: Any) -> int:
        # The call of code from torch.compile; `torch.cuda.current_stream` creates an object first.
        return self.torch._C._cuda_getCurrentRawStream(tensor.get_device()) if tensor.is_cuda else 0

    def stream_getter(self, tensor: Any) -> Callable[[], int]:
        if not tensor.is_cuda:
            return super().stream_getter(tensor)
        return functools.partial(self.torch._C._cuda_getCurrentRawStream, tensor.get_device())

    def protocol_of(self, kind: type) -> Optional[Protocol]:
        is_plain = kind is self.torch.Tensor or kind is self.torch.nn.Parameter
        return Protocol.TORCH if is_plain else None

    def native_stream(self) -> Optional[Callable[[Any], int]]:
        return getattr(self.torch._C, "_cuda_getCurrentRawStream", None)

    def own_dtype(self, name: str) -> Any:
        return getattr(self.torch, _dtypes.FRAMEWORK_NAMES[name])

    def allocator(self, argument: Argument, dtype: Any, like: Any) -> Callable[[Any], Any]:
        if self.protocol_of(type(like)) is None:
            return super().allocator(argument, dtype, like)
        # Half the time of `torch.empty_strided` with its named arguments. A subclass would make one of its own.
        options = {} if dtype == like.dtype else {"dtype": dtype}
        return operator.methodcaller("new_empty_strided", argument.shape, argument.strides, **options)

    def empty(self, argument: Argument, dtype: Any, like: Any) -> Any:
        return self.torch.empty_strided(argument.shape, argument.strides, dtype=dtype, device=like.device)


class CuPy(Framework):
    def __init__(self) -> None:
        self.cupy = sys.modules["cupy"]
        self._kind = "hip" if self.cupy.cuda.runtime.is_hip else "cuda"
        self._names: Dict[Any, str] = {}

    def read(self, tensor: Any, stream: Optional[int]) -> Tensor:
        dtype = tensor.dtype
        size = dtype.itemsize
        return _tensor(
            tensor.data.ptr,
            tensor.shape,
            tuple([step // size for step in tensor.strides]),
            self._names.get(dtype) or self._names.setdefault(dtype, _dtypes.from_framework(dtype)),
            f"{self._kind}:{tensor.device.id}",
        )

    def current_stream(self, tensor: Any) -> int:
        return self.cupy.cuda.get_current_stream(tensor.device.id).ptr

    def protocol_of(self, kind: type) -> Optional[Protocol]:
        return Protocol.CUPY if kind is self.cupy.ndarray else None

    def native_stream(self) -> Optional[Callable[[Any], int]]:
        return self.current_stream

    def own_dtype(self, name: str) -> Any:
        return self.cupy.dtype(_dtypes.FRAMEWORK_NAMES[_dtypes.BIT_PATTERNS.get(name, name)])

    def empty(self, argument: Argument, dtype: Any, like: Any) -> Any:
        with like.device:
            memory = self.cupy.empty(argument.bytes // dtype.itemsize, dtype)
            strides = [step * dtype.itemsize for step in argument.strides]
            return self.cupy.lib.stride_tricks.as_strided(memory, argument.shape, strides)


class DLPack(Framework):
    def protocol_of(self, kind: type) -> Optional[Protocol]:
        return Protocol.DLPACK

    def read(self, tensor: Any, stream: Optional[int]) -> Tensor:
        device = _dlpack.device_name(tensor.__dlpack_device__())
        # The protocol numbers CUDA's default stream 1, and HIP's 0.
        default = 1 if device.startswith("cuda") else 0
        capsule = tensor.__dlpack__() if device == "host" else tensor.__dlpack__(stream=stream or default)
        return _tensor(*_dlpack.describe(capsule), device, owner=capsule)


class Jax(DLPack):
    """JAX has no streams, and its arrays never change; a new array may be filled before others see it."""

    expects_finished_results = True
    is_lazy = True

    def read(self, tensor: Any, stream: Optional[int]) -> Tensor:
        return super().read(tensor.block_until_ready(), stream)._replace(is_read_only=True)

    def own_dtype(self, name: str) -> Any:
        return getattr(sys.modules["jax"].numpy, _dtypes.FRAMEWORK_NAMES[name])

    def empty(self, argument: Argument, dtype: Any, like: Any) -> Any:
        if argument.strides != _dlpack.row_major(argument.shape):
            raise bad_input(f"argument '{argument.name}': expects strides {argument.strides}, which JAX has not")
        jax = sys.modules["jax"]
        return jax.device_put(jax.numpy.zeros(argument.shape, dtype), next(iter(like.devices()))).block_until_ready()


class CudaArrayInterface(Framework):
    """The interface names no GPU: tensors are assumed to be on the first one."""

    def read(self, tensor: Any, stream: Optional[int]) -> Tensor:
        interface = tensor.__cuda_array_interface__
        address, is_read_only = interface["data"]
        shape, strides = tuple(interface["shape"]), interface.get("strides")
        size = int(interface["typestr"][2:])
        strides = tuple(step // size for step in strides) if strides else _dlpack.row_major(shape)
        dtype = _dtypes.from_typestr(interface["typestr"])
        return _tensor(address, shape, strides, dtype, "cuda:0", is_read_only)

    def current_stream(self, tensor: Any) -> int:
        return tensor.__cuda_array_interface__.get("stream") or 0


_KNOWN = {"torch": Torch, "cupy": CuPy, "jax": Jax, "jaxlib": Jax}
_instances: Dict[type, Framework] = {}
_of_type: Dict[type, Framework] = {}


def framework_of(tensor: Any) -> Framework:
    """The framework of a tensor, searched for once per type."""
    kind = type(tensor)
    return _of_type.get(kind) or _of_type.setdefault(kind, _find(tensor))


def _find(tensor: Any) -> Framework:
    kind = type(tensor)
    roots = [base.__module__.partition(".")[0] for base in kind.__mro__]
    if any(base.__name__ == "MaskedArray" for base in kind.__mro__):
        raise bad_input("expects a tensor without a mask, but got a masked array: call array.filled()")
    if "torch" in roots and hasattr(kind, "__tensor_flatten__"):
        raise bad_input(f"expects a tensor with storage of its own, but got {kind.__name__}, which wraps others")
    known = [_KNOWN[root] for root in roots if root in _KNOWN]
    if "numpy" in roots and isinstance(tensor, sys.modules["numpy"].ndarray):
        known.append(NumPy)
    # Only for unknown dtypes: PyTorch raises KeyError for 8-bit floats.
    if not known and hasattr(tensor, "__dlpack__"):
        known.append(DLPack)
    if not known and hasattr(tensor, "__cuda_array_interface__"):
        known.append(CudaArrayInterface)
    if not known:
        raise bad_input(f"expects a tensor with DLPack or __cuda_array_interface__, but got {type(tensor).__name__}")
    return _instances.get(known[0]) or _instances.setdefault(known[0], known[0]())

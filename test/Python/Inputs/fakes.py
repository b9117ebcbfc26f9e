"""Fake tensors of frameworks that are not installed: each exposes memory of a test through one protocol."""

import ctypes
import sys
import types


def row_major(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return tuple(strides)


class CudaArray:
    """Exposes memory of a GPU through `__cuda_array_interface__`."""

    def __init__(self, address, shape, typestr="<f4", strides=None, read_only=False, stream=None):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (address, read_only),
            "strides": strides,
            "stream": stream,
            "version": 3,
        }


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLPackTensor:
    """Exposes memory of any device through DLPack, and records the requested streams."""

    def __init__(self, address, shape, dtype=(2, 32), device=(1, 0), strides=None, offset=0, lanes=1):
        dimensions = ctypes.c_int64 * len(shape)
        self._keep = dimensions(*shape), dimensions(*strides) if strides else None
        self._tensor = _DLTensor(address, *device, len(shape), *dtype, lanes, *self._keep, offset)
        self._device = device
        self.streams = []

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self._tensor), b"dltensor", None)


def install_torch(allocate):
    """Install a fake module `torch` with the features that the package uses. `allocate(bytes, device)` provides memory."""
    torch = types.ModuleType("torch")
    sizes = {"float32": 4, "bfloat16": 2, "float16": 2}
    torch.stream = 0
    torch.grad_enabled = True
    torch.is_grad_enabled = lambda: torch.grad_enabled

    class dtype:
        def __init__(self, name):
            self.itemsize = sizes[name]
            self._name = name

        def __repr__(self):
            return f"torch.{self._name}"

    for name in sizes:
        setattr(torch, name, dtype(name))

    class device:
        def __init__(self, kind, index=None):
            self.type, self.index = kind, index

        def __eq__(self, other):
            return (self.type, self.index) == (other.type, other.index)

        def __hash__(self):
            return hash((self.type, self.index))

    class Tensor:
        def __init__(self, shape, strides, dtype, device):
            self.shape, self.dtype, self.device = tuple(shape), dtype, device
            self._strides = tuple(strides)
            self.requires_grad = False
            self.is_cuda = device.type == "cuda"
            span = 1 + sum((size - 1) * step for size, step in zip(shape, strides))
            self._address = allocate(span * dtype.itemsize, device)

        def stride(self):
            return self._strides

        def is_neg(self):
            return False

        def new_empty_strided(self, shape, strides, dtype=None):
            return Tensor(shape, strides, dtype or self.dtype, self.device)

        def data_ptr(self):
            return self._address

        def get_device(self):
            return self.device.index

    Tensor.__module__ = "torch"
    torch.Tensor, torch.device = Tensor, device
    torch.empty_strided = lambda shape, strides, dtype, device: Tensor(shape, strides, dtype, device)
    torch.version = types.SimpleNamespace(hip=None)
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda ordinal: torch.stream)
    sys.modules["torch"] = torch
    return torch


def install_cupy(allocate):
    """Install a fake module `cupy` with the features that the package uses. `allocate(bytes)` provides memory of a GPU."""
    cupy = types.ModuleType("cupy")
    cupy.stream = 0

    class dtype:
        def __init__(self, name):
            self.name, self.itemsize = name, 4

    class ndarray:
        def __init__(self, shape, dtype, ordinal=0):
            self.shape, self.dtype = shape, dtype
            self.strides = tuple(4 * step for step in row_major(shape))
            size = 4 * max(1, shape[0] * self.strides[0] // 4)
            self.data = types.SimpleNamespace(ptr=allocate(size, types.SimpleNamespace(index=ordinal)), device_id=ordinal)
            self.device = Device(ordinal)

        def data_ptr(self):
            return self.data.ptr

    class Device:
        def __init__(self, ordinal):
            self.id = ordinal

        def __enter__(self):
            cupy.ordinal = self.id

        def __exit__(self, *_):
            del cupy.ordinal

    ndarray.__module__ = "cupy"
    cupy.float32 = dtype("float32")
    cupy.ndarray, cupy.dtype = ndarray, lambda name: getattr(cupy, name)
    cupy.empty = lambda size, dtype: ndarray((size,), dtype, cupy.ordinal)
    strides = types.SimpleNamespace(as_strided=lambda array, shape, strides: array)
    cupy.lib = types.SimpleNamespace(stride_tricks=strides)
    get_stream = lambda ordinal: types.SimpleNamespace(ptr=cupy.stream)  # noqa: E731
    cupy.cuda = types.SimpleNamespace(runtime=types.SimpleNamespace(is_hip=False), get_current_stream=get_stream)
    sys.modules["cupy"] = cupy
    return cupy

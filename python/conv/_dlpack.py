# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensor that a DLPack capsule describes. The capsule keeps owning the tensor and frees it."""

from __future__ import annotations

import ctypes
from typing import Optional

from . import _dtypes

#: DLDeviceType of the supported devices, with their names in this package.
_DEVICES = {1: "host", 2: "cuda", 3: "host", 10: "hip", 11: "host", 13: "cuda"}


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


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def device_name(device: tuple[int, int]) -> str:
    """The device of a `__dlpack_device__()`."""
    kind = _DEVICES.get(int(device[0]), f"DLPack device {int(device[0])}")
    return kind if kind == "host" else f"{kind}:{device[1]}"


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a tensor without gaps, last dimension innermost."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def memory_order(shape: tuple[int, ...], strides: tuple[int, ...]) -> Optional[list[int]]:
    """The dimensions from the outermost to the innermost in memory; None if there are gaps between elements."""
    order = sorted(range(len(shape)), key=lambda place: (-strides[place], -shape[place]))
    ordered = row_major(tuple([shape[place] for place in order]))
    return order if ordered == tuple([strides[place] for place in order]) else None


def describe(capsule: object) -> tuple[int, tuple[int, ...], tuple[int, ...], str]:
    """Address, shape, strides in elements, and type."""
    tensor = _DLTensor.from_address(_get_pointer(capsule, b"dltensor"))
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else row_major(shape)
    dtype = _dtypes.from_dlpack(tensor.code, tensor.bits, tensor.lanes)
    return (tensor.data or 0) + tensor.byte_offset, shape, strides, dtype

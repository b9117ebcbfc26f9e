# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: the names of the artifact, of frameworks, and of DLPack."""

from __future__ import annotations

#: Bytes of an element, by the artifact's name.
SIZES = {
    "f64": 8,
    "f32": 4,
    "f16": 2,
    "bf16": 2,
    "f8E4M3FN": 1,
    "f8E5M2": 1,
    "f8E4M3FNUZ": 1,
    "f8E5M2FNUZ": 1,
    "i64": 8,
    "i32": 4,
    "i16": 2,
    "i8": 1,
    "u16": 2,
    "u8": 1,
}

#: Their names in NumPy (with ml_dtypes), PyTorch, CuPy and JAX.
FRAMEWORK_NAMES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u16": "uint16",
    "u8": "uint8",
}
_FROM_FRAMEWORK = {theirs: ours for ours, theirs in FRAMEWORK_NAMES.items()}

#: Types that NumPy lacks may be passed as the integers that hold their bits.
BIT_PATTERNS = {
    "bf16": "u16",
    "f8E4M3FN": "u8",
    "f8E5M2": "u8",
    "f8E4M3FNUZ": "u8",
    "f8E5M2FNUZ": "u8",
}

#: Type code and bits of a DLDataType.
_FROM_DLPACK = {
    (2, 64): "f64",
    (2, 32): "f32",
    (2, 16): "f16",
    (4, 16): "bf16",
    (10, 8): "f8E4M3FN",
    (11, 8): "f8E4M3FNUZ",
    (12, 8): "f8E5M2",
    (13, 8): "f8E5M2FNUZ",
    (0, 64): "i64",
    (0, 32): "i32",
    (0, 16): "i16",
    (0, 8): "i8",
    (1, 16): "u16",
    (1, 8): "u8",
}

#: `typestr` of an array interface without its byte order. bf16 and fp8 appear there as void types: as bits.
_FROM_TYPESTR = {
    "f8": "f64",
    "f4": "f32",
    "f2": "f16",
    "i8": "i64",
    "i4": "i32",
    "i2": "i16",
    "i1": "i8",
    "u2": "u16",
    "u1": "u8",
    "V2": "u16",
    "V1": "u8",
}


def accepted(dtype: str) -> frozenset[str]:
    """The types that a tensor may have for an argument of type `dtype`."""
    return frozenset({dtype, BIT_PATTERNS.get(dtype, dtype)})


def from_framework(dtype: object) -> str:
    """The name of a framework's dtype; its own name if the artifact has none for it."""
    name = getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]
    if not getattr(dtype, "isnative", True):
        return f"byte-swapped {name}"
    return _FROM_FRAMEWORK.get(name, name)


def from_dlpack(code: int, bits: int, lanes: int) -> str:
    known = _FROM_DLPACK.get((code, bits)) if lanes == 1 else None
    return known or f"DLPack type ({code}, {bits}, {lanes})"


def from_typestr(typestr: str) -> str:
    known = None if typestr[0] == ">" else _FROM_TYPESTR.get(typestr[1:])
    return known or typestr

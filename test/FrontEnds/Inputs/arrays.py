"""Reads and writes NumPy files without NumPy. `kind` is a format character of struct."""

import math
import struct


def save(path, shape, kind, values):
    """Write version 1 of the format."""
    header = str(
        {"descr": {"b": "|i1", "i": "<i4", "f": "<f4"}[kind], "fortran_order": False, "shape": tuple(shape)}
    ).encode()
    header = header.ljust(64 * math.ceil((len(header) + 11) / 64) - 11) + b"\n"
    path.write_bytes(
        b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}{kind}", *values)
    )


def load(path, kind):
    data = path.read_bytes()
    (header,) = struct.unpack_from("<H", data, 8)
    return [value for (value,) in struct.iter_unpack("<" + kind, data[10 + header :])]

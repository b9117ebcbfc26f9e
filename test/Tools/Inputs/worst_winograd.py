"""Writes .npy files of inputs for which the rounding errors of Winograd's algorithm are largest.

    worst_winograd.py cancel|add INPUT.npy FILTER.npy

`cancel`: the first result in each row of a tile sees zeros only, but is a sum of transformed large inputs, which cancel.
`add`: all elements are positive and use all of their bits, so that every sum is rounded and the products do not cancel.
"""

import random
import struct
import sys

INPUT, FILTER = (1, 14, 14, 8), (8, 3, 3, 8)
TILE = 4  # The results of a tile; windows have no padding.


def save(path, shape, elements):
    header = str({"descr": "<f4", "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack(f"<{len(elements)}f", *elements))


def element(kind, column):
    if kind == "cancel" and column % TILE < 3:
        return 0.0
    return random.uniform(1e4, 1e5) * (random.choice((-1, 1)) if kind == "cancel" else 1)


random.seed(1)
kind, input_path, filter_path = sys.argv[1:]
n, height, width, channels = INPUT
save(input_path, INPUT, [element(kind, x) for _ in range(height) for x in range(width) for _ in range(channels)])
save(filter_path, FILTER, [random.uniform(0.5, 1) for _ in range(8 * 3 * 3 * 8)])

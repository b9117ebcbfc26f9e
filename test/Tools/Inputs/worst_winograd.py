"""Writes .npy files of inputs for which the rounding errors of Winograd's algorithm are largest.

    worst_winograd.py cancel|add|smooth|order INPUT.npy FILTER.npy
    worst_winograd.py cancel|add|smooth INPUT.npy GRAD_OUTPUT.npy weight

`cancel`: the first results of each tile see zeros only, and the rest of the tile is large: all that they are made of cancels. Of the
gradient of a filter, these are all results: its tiles have large columns at the end, and gradients of the output at the start.
`add`: all elements are positive with all of their bits in use, so that every sum is rounded and none cancels in the products.
`smooth`: all elements are almost equal, so that transforms of operands cancel and the products are small beside their roundings.
`order`: the first two of 512 channels cancel, and the others are so small that a sum which has only one of these two loses them.
"""

import random
import struct
import sys

INPUT, FILTER = (1, 14, 14, 8), (8, 3, 3, 8)
WEIGHT_INPUT, GRAD_OUTPUT = (1, 14, 6, 8), (1, 12, 4, 8)
CHANNELS = 512  # Of `order`.
TILE = 4  # Results of a tile; windows without padding.


def save(path, shape, elements):
    header = str({"descr": "<f4", "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack(f"<{len(elements)}f", *elements))


def smooth():
    return 1e4 * (1 + random.uniform(-1, 1) * 2.0**-12)


def save_order(input_path, filter_path):
    """All channels of a position and of a filter's element have the same number, times a factor of the channel."""
    (n, height, width, _), (k, r, s, _) = INPUT, FILTER
    factors = [1.0, -1.0, *[2.0**-25] * (CHANNELS - 2)]
    image = [random.uniform(1e4, 1e5) for _ in range(n * height * width)]
    filters = [random.uniform(0.5, 1) for _ in range(k * r * s)]
    save(input_path, (n, height, width, CHANNELS), [x * factor for x in image for factor in factors])
    save(filter_path, (k, r, s, CHANNELS), [x for x in filters for _ in range(CHANNELS)])


def element(kind, column):
    if kind == "smooth":
        return smooth()
    if kind == "cancel" and column % TILE < 3:
        return 0.0
    return random.uniform(1e4, 1e5) * (random.choice((-1, 1)) if kind == "cancel" else 1)


def save_weight(kind, input_path, gradient_path):
    """Of a tile's six columns of the input, two are large, and of its four of the gradient, two are not zero."""
    for path, shape, columns in ((input_path, WEIGHT_INPUT, (4, 5)), (gradient_path, GRAD_OUTPUT, (0, 1))):
        _, height, width, channels = shape
        used = columns if kind == "cancel" else range(width)
        places = [x in used for _ in range(height) for x in range(width) for _ in range(channels)]
        large = smooth if kind == "smooth" else lambda: random.uniform(1e4, 1e5)
        save(path, shape, [large() if is_used else 0.0 for is_used in places])


random.seed(1)
kind, input_path, other_path = sys.argv[1:4]
if sys.argv[4:] == ["weight"]:
    save_weight(kind, input_path, other_path)
    sys.exit()
if kind == "order":
    save_order(input_path, other_path)
    sys.exit()
n, height, width, channels = INPUT
save(input_path, INPUT, [element(kind, x) for _ in range(height) for x in range(width) for _ in range(channels)])
save(other_path, FILTER, [smooth() if kind == "smooth" else random.uniform(0.5, 1) for _ in range(8 * 3 * 3 * 8)])

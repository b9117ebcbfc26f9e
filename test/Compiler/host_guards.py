# RUN: %python %s
"""Kernels of the host read and write nothing outside of their operands.

Each operand ends where a page begins that cannot be accessed, or starts where one ends: any other access ends the process.
Results are compared with a convolution of NumPy in f64, so that kernels do not pass by doing nothing.
"""

import ctypes
import itertools
import mmap
import unittest

import conv
import numpy
from conv._device import open_device

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_FROM_START = {1: "W", 2: "HW", 3: "DHW"}


class Guarded:
    """Memory of `size` bytes between two pages without access, at one of its two ends."""

    def __init__(self, size, at_end):
        page = mmap.PAGESIZE
        self.length = (size + page - 1) // page * page + 2 * page
        private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.base = _libc.mmap(None, self.length, mmap.PROT_READ | mmap.PROT_WRITE, private, -1, 0)
        for start in (self.base, self.base + self.length - page):
            assert _libc.mprotect(start, page, 0) == 0
        end = self.base + self.length - page
        self.address = (end - size) // 16 * 16 if at_end else self.base + page  # Operands are aligned.

    def view(self, shape, dtype):
        count = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
        return numpy.frombuffer((ctypes.c_char * count).from_address(self.address), dtype).reshape(shape)

    def __del__(self):
        _libc.munmap(self.base, self.length)


def convolve(problem, x, w, y):
    """The results of all directions, by direction, in NCHW."""
    spatial = y.shape[2:]
    groups, k, c = problem.groups, problem.k // problem.groups, problem.c // problem.groups
    rank = len(spatial)
    low = problem.low or (0,) * rank
    padded = numpy.zeros(
        x.shape[:2] + tuple(size + a + b for size, a, b in zip(x.shape[2:], low, problem.high or low)), x.dtype
    )
    inside = (slice(None), slice(None)) + tuple(slice(a, a + size) for a, size in zip(low, x.shape[2:]))
    padded[inside] = x
    gradient = numpy.zeros_like(padded)
    dw = numpy.zeros_like(w)
    positions = [0, *range(2, y.ndim)]
    result = numpy.zeros_like(y)
    stride, dilation = problem.stride or (1,) * rank, problem.dilation or (1,) * rank
    for g in range(groups):
        ks, cs = slice(g * k, g * k + k), slice(g * c, g * c + c)
        for tap in itertools.product(*(range(size) for size in w.shape[2:])):
            window = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilation, spatial, stride))
            seen = padded[(slice(None), cs) + window]
            matrix = w[(ks, slice(None)) + tap]
            result[:, ks] += numpy.einsum("nc...,kc->nk...", seen, matrix)
            gradient[(slice(None), cs) + window] += numpy.einsum("nk...,kc->nc...", y[:, ks], matrix)
            dw[(ks, slice(None)) + tap] = numpy.tensordot(y[:, ks], seen, axes=(positions, positions))
    return {"forward": result, "backward_data": gradient[inside], "backward_weight": dw}


def reorder(values, last):
    """From NCHW to the order of memory."""
    return numpy.moveaxis(values, 1, -1) if last else values


class Guards(unittest.TestCase):
    def check(self, target, dtype, layout, direction, at_end, **sizes):
        rank = len(sizes["input"])
        last = layout == "last"
        order = "N" + _FROM_START[rank] + "C" if last else "NC" + _FROM_START[rank]
        problem = conv.Problem(
            dtype=dtype,
            direction=direction,
            input_layout=order,
            filter_layout=order,
            output_layout=order,
            **sizes,
        )
        full = {"low": (0,) * rank, "stride": (1,) * rank, "dilation": (1,) * rank, "groups": 1, **sizes}
        out = tuple(
            (i + 2 * p - d * (f - 1) - 1) // s + 1
            for i, p, d, f, s in zip(full["input"], full["low"], full["dilation"], full["filter"], full["stride"])
        )
        random = numpy.random.default_rng(0)
        tensors = {
            "input": random.integers(-3, 4, (full["n"], full["c"], *full["input"])).astype(float),
            "filter": random.integers(-3, 4, (full["k"], full["c"] // full["groups"], *full["filter"])).astype(float),
            "output": random.integers(-3, 4, (full["n"], full["k"], *out)).astype(float),
        }
        expected = convolve(problem, tensors["input"], tensors["filter"], tensors["output"])[direction]
        artifact = conv.load(conv.compile(problem, target))
        function = artifact[next(iter(artifact))]
        loaded = function._load("host")
        memories = []
        for argument in function.arguments:
            (tensor,) = [value for name, value in tensors.items() if name in argument.name]
            numbers = numpy.ascontiguousarray(reorder(tensor, last), dtype={"f32": "f4", "bf16": "f4"}[dtype])
            if dtype == "bf16":
                numbers = (numbers.view(numpy.uint32) >> 16).astype(numpy.uint16)
            memory = Guarded(numbers.nbytes, at_end)
            memory.view(numbers.shape, numbers.dtype)[...] = numbers if argument is not function.arguments[-1] else 0
            memories.append((memory, numbers))
        loaded.start([memory.address for memory, _ in memories], 0)
        memory, like = memories[-1]
        result = memory.view(like.shape, like.dtype)
        if dtype == "bf16":
            result = (result.astype(numpy.uint32) << 16).view(numpy.float32)
            numpy.testing.assert_allclose(result, reorder(expected, last), rtol=2**-8)
        else:
            numpy.testing.assert_array_equal(result, reorder(expected, last))

    def test_operands_beside_pages_without_access(self):
        problems = [
            dict(n=1, c=3, k=5, input=(7, 5), filter=(3, 3), low=(1, 1), high=(1, 1)),
            dict(n=2, c=16, k=16, input=(9, 17), filter=(3, 3), low=(1, 1), high=(1, 1)),
            dict(n=1, c=37, k=33, input=(6, 11), filter=(1, 1)),
            dict(n=1, c=8, k=24, input=(13, 19), filter=(3, 2), stride=(2, 2), low=(1, 1), high=(1, 1)),
            dict(n=1, c=7, k=40, input=(20, 21), filter=(3, 3), dilation=(2, 2)),
            dict(n=2, c=12, k=12, input=(10, 9), filter=(3, 3), low=(1, 1), high=(1, 1), groups=3),
            dict(n=1, c=19, k=19, input=(8, 23), filter=(5, 5), low=(2, 2), high=(2, 2), groups=19),
            dict(n=3, c=5, k=9, input=(50,), filter=(7,), low=(3,), high=(3,)),
            dict(n=1, c=4, k=6, input=(5, 6, 7), filter=(3, 3, 3), low=(1, 1, 1), high=(1, 1, 1)),
            dict(n=1, c=1, k=1, input=(1, 1), filter=(1, 1)),
        ]
        directions = ["forward", "backward_data", "backward_weight"]
        targets = open_device("host").targets
        for sizes, target, dtype, layout, direction, at_end in itertools.product(
            problems, targets, ["f32", "bf16"], ["last", "first"], directions, [False, True]
        ):
            with self.subTest(sizes=sizes, target=target, dtype=dtype, layout=layout, direction=direction, at_end=at_end):
                self.check(target, dtype, layout, direction, at_end, **sizes)


if __name__ == "__main__":
    unittest.main()

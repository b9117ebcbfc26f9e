# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems on the CPU and in the simulator, with NumPy: operands, the reference, and calls that are timed."""

from __future__ import annotations

import itertools
import platform
import re
import time
import typing

import numpy as np

from .._artifact import load
from .._device import open_device
from .._function import Function
from .._library import Error, ErrorKind, __version__
from .._problem import Problem
from .rule import worst_error

_DTYPES = {"bf16": np.uint16, "f16": np.float16, "f32": np.float32, "i8": np.int8, "i32": np.int32}  # bf16 as its bits.
#: For each role, its dimensions in the order of the reference.
ORDERS = {"input": "NCDHW", "filter": "KCTRS", "output": "NKZPQ"}

Arrays = typing.Dict[str, np.ndarray]


def part(name: str) -> str:
    """The role of a tensor: "grad_input" has the shape of "input"."""
    return name.replace("grad_", "")


def places(name: str, layout: str) -> typing.List[int]:
    """For each dimension of a layout, its index in the order of the reference."""
    order = [letter for letter in ORDERS[part(name)] if letter in layout]
    return [order.index(letter) for letter in layout]


def shapes(problem: Problem) -> typing.Dict[str, typing.Tuple[int, ...]]:
    """The shape of each role, in the order of the reference."""
    return {
        "input": (problem.n, problem.c, *problem.input),
        "filter": (problem.k, problem.c // problem.groups, *problem.filter),
        "output": (problem.n, problem.k, *problem.output),
    }


def _round_to_bf16(array: np.ndarray) -> np.ndarray:
    """The bits of the nearest bf16 numbers, ties to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def _to_float64(array: np.ndarray, dtype: str) -> np.ndarray:
    if dtype == "bf16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)


class _Calls:
    """Calls that are timed one after the other."""

    calls = 1

    def __init__(self, call: typing.Callable[[], object]) -> None:
        self._call = call

    def time(self, replays: int) -> float:
        start = time.perf_counter()
        for _ in range(replays):
            self._call()
        return time.perf_counter() - start


class NumpyBackend:
    """The CPU (`host`), or a chip in the simulator (`sim:gfx942`)."""

    def __init__(self, device: str) -> None:
        self.device = device

    def describe(self) -> dict:
        """What rows say about where they were measured."""
        try:
            with open("/proc/cpuinfo", encoding="utf-8") as file:
                found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
        except OSError:
            found = None
        return {
            "device": found[1] if found else platform.processor() or platform.machine(),
            "driver": f"conv {__version__}",
            "compute_units": open_device(self.device).compute_units,
        }

    def operands(self, problem: Problem, function: Function) -> Arrays:
        """Random values in the order of the reference."""
        random = np.random.default_rng(0)
        found = {}
        for argument in function.arguments:
            if argument.is_output:
                continue
            if argument.dtype not in _DTYPES:
                raise Error(ErrorKind.UNSUPPORTED, f"expects {', '.join(_DTYPES)} on the CPU, but got {argument.dtype}")
            shape = shapes(problem)[part(argument.name)]
            if argument.dtype == "i8":
                found[argument.name] = random.integers(-128, 128, shape, np.int8)
            else:
                values = random.standard_normal(shape)
                is_bf16 = argument.dtype == "bf16"
                found[argument.name] = _round_to_bf16(values) if is_bf16 else values.astype(_DTYPES[argument.dtype])
        return found

    def operand_sets(self, problem: Problem, function: Function) -> typing.List[Arrays]:
        return [self.operands(problem, function)]

    def expect(self, problem: Problem, operands: Arrays) -> typing.Tuple[np.ndarray, np.ndarray]:
        """The correct result, and the sums of the absolute products."""
        exact = {name: _to_float64(array, problem.dtype) for name, array in operands.items()}
        return reference(problem, exact), reference(problem, {name: abs(array) for name, array in exact.items()})

    def load(self, pack: bytes) -> Function:
        """The only function of an artifact."""
        artifact = load(pack, device=self.device)
        return artifact[next(iter(artifact))]

    def _arrange(self, function: Function, operands: Arrays) -> Arrays:
        """The operands in the function's memory layout."""
        layouts = {argument.name: argument.layout for argument in function.arguments}
        return {
            name: np.ascontiguousarray(array.transpose(places(name, layouts[name]))) for name, array in operands.items()
        }

    def verify(self, function: Function, operands: Arrays, expected: typing.Tuple[np.ndarray, np.ndarray]) -> float:
        """The worst error, as a share of the allowed one."""
        [entry] = function.entries.values()
        last = function.arguments[-1]
        result = np.empty(last.shape, _DTYPES[last.dtype])
        result.view(np.uint8).fill(0xFF)  # Unwritten elements stay wrong: NaN, or -1.
        function(**self._arrange(function, operands), out=result)
        result = result.transpose(np.argsort(places(last.name, last.layout)))
        return worst_error(np, _to_float64(result, last.dtype), *expected, 0, last.dtype, entry.error_bound)

    def prepare(self, function: Function, sets: typing.List[Arrays]) -> _Calls:
        """Prepares the calls to be timed."""
        operands = self._arrange(function, sets[0])
        result = function(**operands)
        return _Calls(lambda: function(**operands, out=result))


def reference(problem: Problem, operands: Arrays) -> np.ndarray:
    """One tap of the filter after the other, in float64: the definition."""
    sizes, groups, rank = shapes(problem), problem.groups, len(problem.input)
    ones = (1,) * rank
    low = problem.low or (0,) * rank
    high = problem.high or low
    strides, dilations = problem.stride or ones, problem.dilation or ones

    def by_group(array: np.ndarray, axis: int) -> np.ndarray:
        """Splits the dimension of channels into groups."""
        shape = array.shape
        return array.reshape(*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :])

    padded = np.pad(operands.get("input", np.zeros(sizes["input"])), [(0, 0), (0, 0), *zip(low, high)])
    x = by_group(padded, 1)  # n g c ...
    w = by_group(operands.get("filter", np.zeros(sizes["filter"])), 0)  # g k c ...
    y = by_group(operands.get("grad_output", np.zeros(sizes["output"])), 1)  # n g k ...
    flat_y = y.reshape(*y.shape[:3], -1)
    for tap in itertools.product(*map(range, problem.filter)):
        window = tuple(
            slice(place * dilation, place * dilation + (size - 1) * stride + 1, stride)
            for place, dilation, size, stride in zip(tap, dilations, sizes["output"][2:], strides)
        )
        pixels, weights = (..., *window), w[(..., *tap)]  # g k c
        if problem.direction == "backward_data":
            x[pixels] += (weights.swapaxes(1, 2) @ flat_y).reshape(x[pixels].shape)
            continue
        flat_x = x[pixels].reshape(*x.shape[:3], -1)
        if problem.direction == "forward":
            flat_y += weights @ flat_x
        else:
            weights[...] = (flat_y @ flat_x.swapaxes(2, 3)).sum(axis=0)
    if problem.direction == "forward":
        return y.reshape(sizes["output"])
    if problem.direction == "backward_weight":
        return w.reshape(sizes["filter"])
    inside = tuple(slice(before, before + size) for before, size in zip(low, problem.input))
    return x.reshape(padded.shape)[(..., *inside)]

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems on the CPU and in the simulator, with NumPy: operands, the reference, and calls that are timed."""

from __future__ import annotations

import time
import typing

import numpy as np

from .._artifact import load
from .._device import open_device
from .._function import Function
from .._library import Error, ErrorKind, __version__
from .._problem import Problem
from .arrays import Arrays, Window, convolve, processor_name, round_to_bf16, to_float64
from .rule import worst_error

_DTYPES = {"bf16": np.uint16, "f16": np.float16, "f32": np.float32, "i8": np.int8, "i32": np.int32}  # bf16 as its bits.
#: For each role, its dimensions in the order of the reference.
ORDERS = {"input": "NCDHW", "filter": "KCTRS", "output": "NKZPQ"}


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
        return {
            "device": processor_name(),
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
                found[argument.name] = round_to_bf16(values) if is_bf16 else values.astype(_DTYPES[argument.dtype])
        return found

    def operand_sets(self, problem: Problem, function: Function) -> typing.List[Arrays]:
        return [self.operands(problem, function)]

    def expect(self, problem: Problem, operands: Arrays) -> typing.Tuple[np.ndarray, np.ndarray]:
        """The correct result, and the sums of the absolute products."""
        exact = {name: to_float64(array, problem.dtype) for name, array in operands.items()}
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
        return worst_error(np, to_float64(result, last.dtype), *expected, 0, last.dtype, entry.error_bound)

    def prepare(self, function: Function, sets: typing.List[Arrays]) -> _Calls:
        """Prepares the calls to be timed."""
        operands = self._arrange(function, sets[0])
        result = function(**operands)
        return _Calls(lambda: function(**operands, out=result))


def reference(problem: Problem, operands: Arrays) -> np.ndarray:
    """The result by definition in float64."""
    ones = (1,) * len(problem.input)
    low = problem.low or (0,) * len(problem.input)
    window = Window(low, problem.high or low, problem.stride or ones, problem.dilation or ones)
    return convolve(problem.direction, shapes(problem), problem.groups, window, operands)

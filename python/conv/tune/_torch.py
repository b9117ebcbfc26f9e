# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems on GPUs, with PyTorch: operands, the reference, and calls as CUDA graphs."""

from __future__ import annotations

import math
import re
import typing

import torch

from .._artifact import load
from .._function import Function
from .._library import Error, ErrorKind
from .._problem import Problem
from ._numpy import ORDERS, part, shapes
from .graph import CapturedCalls
from .rule import worst_error

_DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "i8": torch.int8}
_MAX_SETS = 256

Tensors = typing.Dict[str, torch.Tensor]


class TorchBackend:
    """One GPU: `cuda`, `cuda:1`, `hip`, ..."""

    def __init__(self, device: str) -> None:
        if not torch.cuda.is_available():
            raise Error(ErrorKind.SYSTEM, f"expects a GPU for the device {device}, but PyTorch finds none")
        kind, _, index = device.partition(":")
        if not (index or "0").isdecimal() or int(index or 0) >= torch.cuda.device_count():
            raise Error(ErrorKind.BAD_INPUT, f"expects one of {torch.cuda.device_count()} GPUs, but got {device}")
        self.device = torch.device("cuda", int(index or 0))
        torch.cuda.set_device(self.device)
        self.name = f"{kind}:{self.device.index}"
        self.stream = torch.cuda.Stream(self.device)
        self.properties = torch.cuda.get_device_properties(self.device)

    def describe(self) -> dict:
        """What rows say about where they were measured."""
        return {
            "device": self.properties.name,
            "driver": _driver(),
            "compute_units": self.properties.multi_processor_count,
        }

    def _random(self, shape: typing.Tuple[int, ...], order: typing.List[int], dtype: str) -> torch.Tensor:
        """In the reference's order of dimensions, with the memory order of a layout."""
        memory = [shape[place] for place in order]
        if dtype == "i8":
            values = torch.randint(-128, 128, memory, dtype=torch.int8, device=self.device)
        else:
            values = torch.randn(memory, device=self.device).to(_DTYPES[dtype])
        return values.permute([order.index(place) for place in range(len(order))])

    def operands(self, problem: Problem, function: Function) -> Tensors:
        """Random values in the order of the reference, which is PyTorch's."""
        found = {}
        for argument in function.arguments:
            if argument.dtype not in _DTYPES and not argument.is_output:
                raise Error(ErrorKind.UNSUPPORTED, f"expects {', '.join(_DTYPES)} on a GPU, but got {argument.dtype}")
            if not argument.is_output:
                name = argument.name
                # `load` has given the function that order; the strides give the order in memory.
                order = sorted(range(len(argument.shape)), key=lambda place: -argument.strides[place])
                found[name] = self._random(shapes(problem)[part(name)], _settle(order, argument), argument.dtype)
        return found

    def operand_sets(self, problem: Problem, function: Function) -> typing.List[Tensors]:
        """Enough sets of operands to exceed the L2 cache three times."""
        size = sum(argument.bytes for argument in function.arguments)
        count = math.ceil(3 * self.properties.L2_cache_size / size)
        return [self.operands(problem, function) for _ in range(min(max(count, 2), _MAX_SETS))]

    def expect(self, problem: Problem, operands: Tensors) -> typing.Tuple[torch.Tensor, torch.Tensor]:
        """The correct result, and the sums of the absolute products."""
        exact = {name: tensor.double() for name, tensor in operands.items()}
        return _reference(problem, exact), _reference(problem, {name: tensor.abs() for name, tensor in exact.items()})

    def load(self, pack: bytes) -> Function:
        """The only function of an artifact, for tensors that name their dimensions as PyTorch does."""
        artifact = load(pack)
        function = artifact[next(iter(artifact))]
        function.prepare(self.name, self.stream)
        return function.with_layouts(
            **{
                argument.name: "".join(letter for letter in ORDERS[part(argument.name)] if letter in argument.layout)
                for argument in function.arguments
            }
        )

    def verify(
        self, function: Function, operands: Tensors, expected: typing.Tuple[torch.Tensor, torch.Tensor]
    ) -> float:
        """The worst error, as a share of the allowed one."""
        [entry] = function.entries.values()
        torch.cuda.synchronize(self.device)  # Another stream made the operands.
        with torch.cuda.stream(self.stream):
            result = function(**operands)
            # Unwritten elements stay wrong.
            result.fill_(float("nan") if result.is_floating_point() else torch.iinfo(result.dtype).min)
            function(**operands, out=result)
        self.stream.synchronize()
        dtype = function.arguments[-1].dtype
        return worst_error(torch, result.double(), *expected, 0, dtype, entry.error_bound)

    def prepare(self, function: Function, sets: typing.List[Tensors]) -> CapturedCalls:
        """Prepares the calls to be timed."""
        torch.cuda.synchronize(self.device)
        with torch.cuda.stream(self.stream):
            results = [function(**operands) for operands in sets]
        self.stream.synchronize()
        return CapturedCalls(self.stream, [lambda t=t, y=y: function(**t, out=y) for t, y in zip(sets, results)])


def _settle(order: typing.List[int], argument: typing.Any) -> typing.List[int]:
    """Dimensions of one element have any stride; of equal ones, the outer dimension of the order comes first."""
    return sorted(order, key=lambda place: (-argument.strides[place], argument.shape[place] != 1, place))


def _driver() -> str:
    """The versions of the driver and of PyTorch's library."""
    library = f"HIP {torch.version.hip}" if torch.version.hip else f"CUDA {torch.version.cuda}"
    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            found = re.search(r"\b(\d+\.\d+(?:\.\d+)?)\b", file.read())
    except OSError:
        found = None
    return f"{library}, driver {found[1]}" if found else library


def _reference(problem: Problem, operands: Tensors) -> torch.Tensor:
    """In float64, with explicit padding, because a library pads both sides alike."""
    rank, sizes = len(problem.input), shapes(problem)
    low = problem.low or (0,) * rank
    high = problem.high or low
    options = {
        "stride": problem.stride or (1,) * rank,
        "padding": [0] * rank,
        "dilation": problem.dilation or (1,) * rank,
        "groups": problem.groups,
        "transposed": False,
        "output_padding": [0] * rank,
    }
    padded = (*sizes["input"][:2], *(a + size + b for a, size, b in zip(low, problem.input, high)))
    if "input" in operands:
        sides = [side for pair in zip(low[::-1], high[::-1]) for side in pair]
        operands = {**operands, "input": torch.nn.functional.pad(operands["input"], sides)}
    with torch.backends.cudnn.flags(enabled=True, benchmark=False):
        if problem.direction == "forward":
            return torch.ops.aten.convolution(operands["input"], operands["filter"], None, **options)
        gradient = operands["grad_output"]
        is_input = problem.direction == "backward_data"
        unused = gradient.new_empty(padded if is_input else sizes["filter"])  # Only its shape matters.
        image, filter_ = (unused, operands["filter"]) if is_input else (operands["input"], unused)
        gradients = torch.ops.aten.convolution_backward(
            gradient, image, filter_, None, **options, output_mask=[is_input, not is_input, False]
        )
    result = gradients[0] if is_input else gradients[1]
    if is_input:
        for axis, (before, size) in enumerate(zip(low, problem.input), 2):
            result = result.narrow(axis, before, size)
    return result

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a module for inference computes what its model computes.

Both run on the example. For each floating-point result, the norm of the difference, relative to the norm of the model's
result, is at most `MOST_DIFFERENCE` of the least precise type that the graph computes in, and `1 + max_error` times as much if
kernels may have larger errors. That is several times what rounding explains in the networks of bench/networks, and a result
that is wrong in one layer is far beyond it. Elements that are not finite in the model's result are not compared.
"""

from __future__ import annotations

import contextlib
import typing

import torch
from torch.utils._pytree import tree_leaves

from ._example import Example

MOST_DIFFERENCE = {torch.float64: 1e-3, torch.float32: 1e-3, torch.float16: 0.02, torch.bfloat16: 0.1}
_UNKNOWN = MOST_DIFFERENCE[torch.bfloat16]


def most_difference(graph: torch.fx.GraphModule, tf32: bool, max_error: float = 0.0) -> float:
    """The tolerance for a graph; with `tf32`, products of f32 have the precision of f16."""
    values = tree_leaves([node.meta.get("val") for node in graph.graph.nodes])
    dtypes = {value.dtype for value in values if isinstance(value, torch.Tensor) and value.is_floating_point()}
    if tf32 and torch.float32 in dtypes:
        dtypes.add(torch.float16)
    return max((MOST_DIFFERENCE.get(dtype, _UNKNOWN) for dtype in dtypes), default=_UNKNOWN) * (1 + max_error)


def difference(actual: torch.Tensor, expected: torch.Tensor) -> float:
    """The norm of the difference of the elements that are finite in `expected`, relative to the norm of these."""
    finite = torch.isfinite(expected)
    reference = torch.where(finite, expected, 0).double()
    norm = torch.linalg.vector_norm(reference).item()
    error = torch.linalg.vector_norm(torch.where(finite, actual, 0).double() - reference).item()
    return error / norm if norm else error


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.flatten().contiguous().view(torch.uint8)


def _are_same(buffer: torch.Tensor, value: torch.Tensor) -> bool:
    if buffer.layout is not torch.strided:
        return False  # No operator compares sparse tensors.
    return torch.equal(buffer, value) or torch.equal(_bits(buffer), _bits(value))  # NaN is not equal to itself.


def _is_dense(tensor: torch.Tensor) -> bool:
    return tensor.layout is torch.strided and not tensor.is_nested


def _write(tensor: torch.Tensor, value: torch.Tensor) -> None:
    """Gives a tensor its value. The elements of an expanded dimension are one in memory, which is written once."""
    for dim, (size, stride) in enumerate(zip(tensor.shape, tensor.stride())):
        if size > 1 and stride == 0:
            tensor, value = tensor.narrow(dim, 0, 1), value.narrow(dim, 0, 1)
    tensor.copy_(value)


class _Input:
    """A tensor of the example, and the value that it had.

    Quantized tensors, those of 8 bits and subclasses lack operators, so values are not compared: versions tell of changes.
    """

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor, self._value = tensor, tensor.detach().clone()
        self.remember_version()

    def _get_version(self) -> typing.Optional[int]:
        return None if self._tensor.is_inference() else self._tensor._version

    def remember_version(self) -> None:
        self._version = self._get_version()

    def may_have_changed(self) -> bool:
        version = self._get_version()
        if version is None:  # Such tensors are written in inference mode only.
            return torch.is_inference_mode_enabled()
        return version != self._version

    def write(self) -> None:
        """Gives it its value; an input that refuses that keeps what a model has written."""
        with contextlib.suppress(Exception):  # Of subclasses, any.
            _write(self._tensor, self._value)


def _keep(tensors: typing.Iterable[torch.Tensor]) -> typing.List[_Input]:
    kept = []
    for tensor in tensors:
        with contextlib.suppress(Exception):  # What cannot be copied is not restored.
            kept.append(_Input(tensor))
    return kept


class Check:
    """The results of a model on an example, and the comparison of other modules with it.

    All modules start with the same random numbers, the same `buffers` and the same example; models may change both in place,
    and both keep their values.
    """

    def __init__(
        self, model: torch.nn.Module, example: Example, buffers: typing.Iterable[torch.Tensor], most: float
    ) -> None:
        self._example, self._most = example, most
        inputs = [value for value in tree_leaves(example) if isinstance(value, torch.Tensor)]
        # Buffers that nothing changes are not written: their versions tell `_inference.Sources` so.
        self._buffers = [(buffer, buffer.detach().clone()) for buffer in buffers]
        self._inputs = _keep(filter(_is_dense, inputs))
        self._devices = {value.device for value in inputs}
        self._expected = self._run(model)

    def restore(self) -> None:
        """Gives the buffers and the example the values that they had."""
        with torch.no_grad():
            for buffer, value in self._buffers:
                if not _are_same(buffer, value):
                    buffer.copy_(value)
            changed = [kept for kept in self._inputs if kept.may_have_changed()]
            for kept in changed:
                kept.write()
            for kept in changed:  # After all are written, since views share a version.
                kept.remember_version()

    def _run(self, module: typing.Callable) -> typing.List[torch.Tensor]:
        gpus = [device for device in self._devices if device.type == "cuda"]
        self.restore()
        with torch.no_grad(), torch.random.fork_rng(gpus):
            for generator in (torch.default_generator, *(torch.cuda.default_generators[gpu.index] for gpu in gpus)):
                generator.manual_seed(0)
            results = tree_leaves(module(*self._example))
        self.restore()
        return [
            result.clone() for result in results if isinstance(result, torch.Tensor) and result.is_floating_point()
        ]

    def explain(self, module: typing.Callable) -> str:
        """What is wrong with the results of a module; empty if nothing is."""
        actual = self._run(module)
        shapes = [[tuple(result.shape) for result in results] for results in (actual, self._expected)]
        if shapes[0] != shapes[1]:
            return f"expects results of shapes {shapes[1]}, but got {shapes[0]}"
        for place, (result, expected) in enumerate(zip(actual, self._expected)):
            error = difference(result, expected)
            if not error <= self._most:  # Not a number counts as wrong.
                return f"result {place} differs by {error:.2g} of the model's, and rounding explains {self._most:.2g}"
        return ""

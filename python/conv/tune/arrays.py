# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions on NumPy arrays by definition, in float64, and the element types that NumPy has not."""

from __future__ import annotations

import dataclasses
import itertools
import platform
import re
import typing

import numpy as np

Arrays = typing.Dict[str, np.ndarray]
Sizes = typing.Sequence[int]


def round_to_bf16(array: np.ndarray) -> np.ndarray:
    """The bits of the nearest bf16 numbers, ties to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def to_float64(array: np.ndarray, dtype: str) -> np.ndarray:
    """The numbers of an array in float64; those of "bf16" are given as bits."""
    if dtype == "bf16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)


def processor_name() -> str:
    """The model name of the processor if the system knows it, else its architecture."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


@dataclasses.dataclass(frozen=True)
class Window:
    """How a window moves over the input: a number for each spatial dimension."""

    low: Sizes
    high: Sizes
    stride: Sizes
    dilation: Sizes


def convolve(
    direction: str, shapes: typing.Dict[str, typing.Tuple[int, ...]], groups: int, window: Window, operands: Arrays
) -> np.ndarray:
    """One tap of the filter after the other: the definition of the convolution.

    `shapes` has those of "input" (N, C, ...), "filter" (K, C / groups, ...) and "output" (N, K, ...). `operands` are two
    of "input", "filter" and "grad_output".
    """

    def by_group(array: np.ndarray, axis: int) -> np.ndarray:
        """Splits the dimension of channels into groups."""
        shape = array.shape
        return array.reshape(*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :])

    padding = [(0, 0), (0, 0), *zip(window.low, window.high)]
    padded = np.pad(operands.get("input", np.zeros(shapes["input"])), padding)
    x = by_group(padded, 1)  # n g c ...
    w = by_group(operands.get("filter", np.zeros(shapes["filter"])), 0)  # g k c ...
    y = by_group(operands.get("grad_output", np.zeros(shapes["output"])), 1)  # n g k ...
    flat_y = y.reshape(*y.shape[:3], -1)
    for tap in itertools.product(*map(range, shapes["filter"][2:])):
        places = tuple(
            slice(place * dilation, place * dilation + (size - 1) * stride + 1, stride)
            for place, dilation, size, stride in zip(tap, window.dilation, shapes["output"][2:], window.stride)
        )
        pixels, weights = (..., *places), w[(..., *tap)]  # g k c
        if direction == "backward_data":
            x[pixels] += (weights.swapaxes(1, 2) @ flat_y).reshape(x[pixels].shape)
            continue
        flat_x = x[pixels].reshape(*x.shape[:3], -1)
        if direction == "forward":
            flat_y += weights @ flat_x
        else:
            weights[...] = (flat_y @ flat_x.swapaxes(2, 3)).sum(axis=0)
    if direction == "forward":
        return y.reshape(shapes["output"])
    if direction == "backward_weight":
        return w.reshape(shapes["filter"])
    inside = tuple(slice(before, before + size) for before, size in zip(window.low, shapes["input"][2:]))
    return x.reshape(padded.shape)[(..., *inside)]

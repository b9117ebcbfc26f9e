# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The requirements of a function on its tensors, and the errors for tensors that violate them."""

from __future__ import annotations

import ctypes
from typing import Sequence, Tuple

from . import _dtypes
from ._frameworks import Tensor
from ._library import Error, bad_input
from ._manifest import Argument, Entry


class Signature:
    """The arguments of one entry, in the form with which a call compares tensors."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.arguments = entry.arguments
        self.accepted = [_dtypes.accepted(argument.dtype) for argument in self.arguments]
        self.array_type = ctypes.c_void_p * len(self.arguments)

    def check(self, tensors: Sequence[Tensor], device: str) -> None:
        for argument, accepted, tensor in zip(self.arguments, self.accepted, tensors):
            _, shape, strides, dtype, where, is_read_only, _ = tensor
            if (
                shape != argument.shape
                or (strides != argument.strides and not _same_steps(argument, strides))
                or dtype not in accepted
                or where != device
                or (is_read_only and (argument.is_output or argument.is_updated))
            ):
                raise _mismatch(argument, accepted, tensor, device)


def _same_steps(argument: Argument, strides: Tuple[int, ...]) -> bool:
    """Whether strides agree in every dimension with more than one element."""
    return all(size == 1 or ours == theirs for size, ours, theirs in zip(argument.shape, argument.strides, strides))


def _other_order(argument: Argument, tensor: Tensor) -> str:
    """A hint for a tensor whose shape is the argument's with channels first or last; empty for another shape."""
    first = "".join(sorted(argument.layout, key="NKCDHWTRSZPQG".index))
    channels = "K" if "N" in first and "K" in first else "C"  # Channels of an output, and of others.
    for order in (first, first.replace(channels, "") + channels):
        if "G" in order or not argument.layout:
            continue
        other = argument.reordered(order)
        if other.shape == tuple(tensor.shape):
            memory = "" if _same_steps(other, tensor.strides) else f" with {argument.layout} memory"
            return f'; with_layouts({argument.name}="{order}") takes a tensor of this shape{memory}'
    return ""


def _mismatch(argument: Argument, accepted: frozenset[str], tensor: Tensor, device: str) -> Error:
    """The first error of a tensor."""
    layout = f" ({argument.layout})" if argument.layout else ""
    if tensor.device != device:
        text = f"a tensor on {device}, but got one on {tensor.device}"
    elif tensor.dtype not in accepted:
        text = f"type {' or '.join(sorted(accepted))}, but got {tensor.dtype}"
    elif tuple(tensor.shape) != argument.shape:
        text = f"shape {argument.shape}{layout}, but got {tuple(tensor.shape)}{_other_order(argument, tensor)}"
    elif not _same_steps(argument, tensor.strides):
        text = f"strides {argument.strides}{layout} in elements, but got {tuple(tensor.strides)}"
    else:
        text = "memory that can be written, but got a read-only tensor"
    return bad_input(f"argument '{argument.name}': expects {text}")

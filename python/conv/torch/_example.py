# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model and the positional inputs of an example, which users give to whatever prepares or reports a model."""

from __future__ import annotations

import typing

import torch
from torch.utils._pytree import tree_map_only

Example = typing.Sequence[object]


def check_model(model: object) -> None:
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"expects a model that is a torch.nn.Module, but got {type(model).__name__}")


def check_example(model: object, example: object) -> None:
    """Refuses a tensor as the example: it is a sequence too, of its images."""
    check_model(model)
    if isinstance(example, (str, torch.Tensor)) or not isinstance(example, typing.Sequence):
        kind = type(example).__name__
        raise TypeError(f"expects an example that is a tuple of the positional inputs, such as (x,), but got {kind}")


def check_values(model: torch.nn.Module, example: Example) -> None:
    """Refuses tensors without data, where results are compared."""
    tensors = [value for value in example if isinstance(value, torch.Tensor)]
    if any(tensor.is_meta for tensor in (*tensors, *model.parameters(), *model.buffers())):
        raise ValueError("expects a model and an example with data, but got tensors on meta")


def distinct(example: Example) -> typing.Tuple[object, ...]:
    """The example with other tensors, on the same data, for those that occur again: tracers take a tensor that occurs twice for
    one input, and ignore the second one in later calls."""
    seen: typing.Set[int] = set()

    def once(tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) in seen:
            return tensor.detach().requires_grad_(tensor.requires_grad)
        seen.add(id(tensor))
        return tensor

    return tree_map_only(torch.Tensor, once, tuple(example))

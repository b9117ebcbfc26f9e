# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prepares kernels before the first call that counts."""

from __future__ import annotations

import copy
import typing

import torch

from ._example import Example, check_example
from ._report import Report, report
from ._settings import settings


def warmup(
    model: torch.nn.Module, example: Example, *, training: typing.Optional[bool] = None
) -> Report:
    """Runs the model once, so that the kernels of all its convolutions are compiled, measured and loaded.

    With `training` (by default if a parameter requires a gradient and gradients are enabled), backward too. It runs a copy of
    the model, whose statistics and gradients are discarded.

    Args:
        model: any module; it is not changed.
        example: the positional inputs, on the device that counts.

    Returns:
        The report, with one row for each problem.

    Raises:
        Any exception of the model.
    """
    check_example(model, example)
    if training is None:
        training = torch.is_grad_enabled() and any(parameter.requires_grad for parameter in model.parameters())
    trial = copy.deepcopy(model)
    was, settings.background = settings.background, False
    try:
        with torch.set_grad_enabled(training), torch.random.fork_rng():
            result = trial(*example)
            if training:
                sum(tensor.float().sum() for tensor in _tensors(result) if tensor.requires_grad).backward()
    finally:
        settings.background = was
    return report()


def _tensors(value: object) -> typing.Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)

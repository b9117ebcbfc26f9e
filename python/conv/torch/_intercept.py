# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For models that call PyTorch's convolution functions directly."""

from __future__ import annotations

import typing

import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from . import functional
from ._geometry import check_max_error

_NAMES = ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
_OURS = {getattr(F, name): getattr(functional, name) for name in _NAMES}


class intercept(TorchFunctionMode):  # noqa: N801 - used as a function
    """A context in which conv's functions, with this `max_error`, replace PyTorch's convolution functions for all callers.

    `replace` swaps modules; this is for modules of other classes, such as modules that standardise their weights, and for
    code that calls `torch.nn.functional.conv2d`. Every call of a PyTorch function inside takes one microsecond longer.

        with conv.torch.intercept():
            y = model(x)
    """

    def __init__(self, max_error: float = 0.0) -> None:
        super().__init__()
        check_max_error(max_error)
        self._more = {"max_error": max_error} if max_error else {}

    def __torch_function__(
        self, func: typing.Callable, types: object, args: tuple = (), kwargs: typing.Optional[dict] = None
    ) -> typing.Any:
        ours = _OURS.get(func)
        return ours(*args, **(kwargs or {}), **self._more) if ours else func(*args, **(kwargs or {}))

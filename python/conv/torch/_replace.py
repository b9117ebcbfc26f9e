# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Swapping a model's convolutions in place."""

from __future__ import annotations

import typing

import torch

from . import _modules

_SWAPS = {
    getattr(torch.nn, name): getattr(_modules, name)
    for name in ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
}


class Replacement(typing.NamedTuple):
    """What became of one convolution: `reason` says why it was left alone, and is empty if it was swapped."""

    name: str
    kind: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.kind} {f'left alone: {self.reason}' if self.reason else 'replaced'}"


def _reason(module: torch.nn.Module) -> str:
    if type(module) in _SWAPS:
        return ""
    if isinstance(module, torch.nn.modules.lazy.LazyModuleMixin):
        return "its sizes are not known before its first call"
    if torch.nn.utils.parametrize.is_parametrized(module):
        return "its parameters are computed by a parametrization"
    return "its class is not PyTorch's own and may compute something else"


def replace(model: torch.nn.Module) -> typing.List[Replacement]:
    """Makes each `nn.Conv*` and `nn.ConvTranspose*` of a model the module of conv.torch with the same name, in place.

    Parameters, buffers, hooks and the `state_dict` stay what they are. Returns what became of every convolution.
    """
    found = []
    for name, module in model.named_modules():
        if not isinstance(module, tuple(_SWAPS)) or type(module) in _SWAPS.values():
            continue
        kind, reason = type(module).__name__, _reason(module)
        if not reason:
            module.__class__ = _SWAPS[type(module)]
        found.append(Replacement(name, kind, reason))
    return found

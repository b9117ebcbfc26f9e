# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Swaps a model's convolutions in place."""

from __future__ import annotations

import typing

import torch

from . import _modules
from ._example import check_model
from ._geometry import check_max_error

_NAMES = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
_SWAPS = {
    getattr(torch.nn, prefix + name): getattr(_modules, prefix + name) for prefix in ("", "Lazy") for name in _NAMES
}


class Replacement(typing.NamedTuple):
    """The outcome for one convolution: `reason` says why it was left alone, and is empty if it was swapped."""

    name: str
    kind: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.kind} {f'left alone: {self.reason}' if self.reason else 'replaced'}"


def _is_convolution(module: torch.nn.Module) -> bool:
    """Whether it is one of PyTorch's convolutions, or a quantised one, which has a class of its own."""
    kind = type(module)
    return isinstance(module, tuple(_SWAPS)) or (
        "Conv" in kind.__name__ and _is_quantised(kind) and not isinstance(module, torch.nn.Sequential)
    )


def _is_quantised(kind: type) -> bool:
    return kind.__module__.startswith(("torch.ao.nn.", "torch.nn.quantized", "torch.nn.qat", "torch.nn.intrinsic"))


def _counterpart(module: torch.nn.Module, classes: typing.Mapping[type, type]) -> typing.Optional[type]:
    """The class to which `classes` maps the class of a module, which may be parametrized; None if there is none."""
    kind = type(module)
    if kind in classes:
        return classes[kind]
    own = kind.__bases__[0]
    if torch.nn.utils.parametrize.is_parametrized(module) and own in classes:
        # PyTorch made this class for this module alone, as a subclass whose properties compute the parameters.
        members = {name: value for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")}
        return type(kind.__name__, (classes[own],), members)
    return None


def _swapped(module: torch.nn.Module) -> typing.Union[type, str]:
    """The class that replaces a module's class, or why the module keeps its own."""
    kind = type(module)
    swapped = _counterpart(module, _SWAPS)
    if swapped:
        return swapped
    if _is_quantised(kind):
        return "it is of PyTorch's quantisation, whose arithmetic is another one"
    return "its class is not PyTorch's own and may compute something else"


def replace(model: torch.nn.Module, *, max_error: typing.Optional[float] = None) -> typing.List[Replacement]:
    """Turns each `nn.Conv*` and `nn.ConvTranspose*` of a model into the conv.torch module of the same name, in place.

    Lazy modules stay lazy until their first call. Parameters, parametrizations (`weight_norm`, `spectral_norm`), buffers,
    hooks and the `state_dict` do not change. `max_error` is as for `conv.compile`, for all convolutions of the model that are
    of conv.torch afterwards; None keeps theirs, which is 0 at first. Returns the outcome for every convolution that was not.
    """
    check_model(model)
    if max_error is not None:
        check_max_error(max_error)
    found = []
    for name, module in model.named_modules():
        kind = type(module)
        if not _is_convolution(module):
            continue
        is_ours = issubclass(kind, tuple(_SWAPS.values()))
        swapped = kind if is_ours else _swapped(module)
        if isinstance(swapped, type):
            module.__class__ = swapped
            if max_error is not None:
                module.max_error = max_error
        if is_ours:
            continue
        found.append(Replacement(name, kind.__name__, "" if isinstance(swapped, type) else swapped))
    return found


def restore(model: torch.nn.Module) -> typing.List[str]:
    """Turns the conv.torch modules of a model back into PyTorch's, in place, and returns their names.

    For consumers that know only PyTorch's own modules and operators: `torch.jit.script`, ONNX, quantisation, DTensor.
    """
    check_model(model)
    theirs = {ours: kind for kind, ours in _SWAPS.items()}
    found = []
    for name, module in model.named_modules():
        kind = _counterpart(module, theirs)
        if kind:
            module.__class__ = kind
            vars(module).pop("max_error", None)
            found.append(name)
    return found

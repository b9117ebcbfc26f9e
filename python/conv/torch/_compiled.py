# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph compiled by inductor, the compiler of `torch.compile`, around the kernels of conv.

The graph exists already, with known shapes, so inductor compiles it directly: without Dynamo, calls check no guards, and a
call under `torch.inference_mode` is not another graph than one under `torch.no_grad`.
"""

from __future__ import annotations

import copy
import threading
import typing

import torch
import torch._inductor
from torch.utils._pytree import tree_map_only

from . import _calls
from ._example import distinct
from ._inference import check_inputs, sources_of

_lock = threading.Lock()  # Inductor compiles one graph at a time.


def _describe(value: object) -> typing.Hashable:
    """What code depends on in an input. Other values than tensors are constants of a graph, which checks them itself."""
    if isinstance(value, torch.Tensor):
        return value.shape, value.stride(), value.dtype, value.device
    if isinstance(value, (list, tuple)):
        return tuple(map(_describe, value))
    if isinstance(value, dict):
        return tuple((name, _describe(item)) for name, item in value.items())
    return type(value), repr(value)


class CompiledModule(torch.nn.Module):
    """A graph for inference, compiled for each set of types, shapes and strides at the first call with them."""

    def __init__(self, module: torch.fx.GraphModule) -> None:
        super().__init__()
        self.module = module
        self._forget()

    def _forget(self) -> None:
        self.__dict__["_compiled"] = {}

    def forward(self, *inputs: object) -> object:
        tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
        is_tracked = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
        # The operators explain why they have no gradient, and can be traced; code of the compiler can do neither.
        if is_tracked or _calls.is_anything_traced() or any(type(tensor) not in _calls.PLAIN for tensor in tensors):
            return self.module(*inputs)
        if any(tensor.is_neg() for tensor in tensors):
            inputs = tree_map_only(torch.Tensor, torch.resolve_neg, inputs)
        sources_of(self.module).check()
        key = tuple(map(_describe, inputs))
        run = self._compiled.get(key)
        with torch.no_grad():
            if run is None:
                check_inputs(self.module, inputs)
                run = self._compiled[key] = self._compile(inputs)
            return run(*inputs)

    def _compile(self, inputs: typing.Sequence[object]) -> typing.Callable[..., object]:
        # The compiler changes the graph that it is given, but not the parameters, which both graphs share.
        graph = torch.fx.GraphModule(self.module, copy.deepcopy(self.module.graph))
        with _lock, torch.inference_mode(False), torch.no_grad():
            from . import _inductor  # noqa: F401 - Teaches inductor the operator, and imports it, which takes seconds.

            return torch._inductor.compile(graph, list(distinct(inputs)))

    # The code holds the parameters themselves, which these may replace.
    def _apply(self, *arguments: object, **named: object) -> torch.nn.Module:
        self._forget()
        return super()._apply(*arguments, **named)

    def _load_from_state_dict(self, *arguments: object, **named: object) -> None:
        self._forget()
        super()._load_from_state_dict(*arguments, **named)

    def __getstate__(self) -> dict:
        return {name: value for name, value in self.__dict__.items() if name != "_compiled"}

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self._forget()

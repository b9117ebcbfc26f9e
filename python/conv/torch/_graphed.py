# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module for inference as one CUDA graph."""

from __future__ import annotations

import typing

import torch

from ._compiled import CompiledModule
from ._example import Example
from ._inference import ADVICE, sources_of


def check_devices(devices: typing.Collection[torch.device]) -> None:
    """Refuses tensors that no CUDA graph can read."""
    others = sorted(str(device) for device in devices if device.type != "cuda")
    if others or not devices:
        raise ValueError(f"cuda_graph: expects an example on a CUDA device, but got one on {others[0] if others else 'none'}")


class GraphedModule(torch.nn.Module):
    """A module as one CUDA graph, for tensors of the example's shapes and types.

    The graph owns the tensors that a call returns: the next call overwrites them.
    """

    def __init__(self, module: torch.nn.Module, example: Example) -> None:
        super().__init__()
        check_devices({value.device for value in example if isinstance(value, torch.Tensor)})
        self.module = module
        graph = module.module if isinstance(module, CompiledModule) else module
        self._sources = sources_of(graph)
        self._inputs = [value.clone() if isinstance(value, torch.Tensor) else value for value in example]
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream), torch.no_grad():
            for _ in range(3):
                module(*self._inputs)
        torch.cuda.current_stream().wait_stream(stream)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=stream), torch.no_grad():
            self._result = module(*self._inputs)

    def __reduce_ex__(self, protocol: int) -> typing.NoReturn:
        raise TypeError(f"expects a module without a CUDA graph to copy or pickle, but got one with a graph: {ADVICE}")

    def forward(self, *inputs: object) -> object:
        if len(inputs) != len(self._inputs):
            raise ValueError(f"expects {len(self._inputs)} inputs, but got {len(inputs)}")
        for place, (mine, given) in enumerate(zip(self._inputs, inputs)):
            if not isinstance(mine, torch.Tensor) or not isinstance(given, torch.Tensor):
                if mine is not given and mine != given:
                    raise ValueError(f"input {place}: expects {mine!r}, as the example, but got {given!r}")
                continue
            if mine.shape != given.shape or mine.dtype != given.dtype:
                raise ValueError(
                    f"input {place}: expects {tuple(mine.shape)} of {mine.dtype}, as the example, but got "
                    f"{tuple(given.shape)} of {given.dtype}"
                )
            if mine.data_ptr() != given.data_ptr():
                mine.copy_(given)
        self._graph.replay()
        self._sources.check()  # While the GPU runs.
        return self._result

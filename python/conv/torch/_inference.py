# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of `torch.export` as modules for inference."""

from __future__ import annotations

import typing

import torch

ADVICE = "conv.torch.save(model, example, path) writes a file for conv.torch.load"


class _Inference:
    """What differs from the modules of `torch.export`, which refuse `train` and `eval`, also those of a model that contains
    them, and whose pickles fail at a function that nobody knows. Copies (`copy.deepcopy`) are modules like the original."""

    def train(self, mode: bool = True) -> _Inference:
        """Changes nothing: the graph is for inference."""
        return self

    def eval(self) -> _Inference:
        """Changes nothing: the graph is for inference."""
        return self

    def __reduce_ex__(self, protocol: int) -> typing.NoReturn:
        raise TypeError(f"expects a module that can be pickled, but got a graph for inference: {ADVICE}")


def as_inference(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """The graph of `torch.export` itself, which then behaves as a module for inference."""
    kind = type(graph)  # PyTorch makes a class for each graph, and a copy has a class with the same bases.
    kind.__bases__ = (type("InferenceGraph", (_Inference, *kind.__bases__), {}),)
    for name in ("train", "eval"):
        vars(graph).pop(name, None)
    return graph

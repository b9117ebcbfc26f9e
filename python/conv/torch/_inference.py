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

    def __deepcopy__(self, memo: dict) -> _Inference:
        copied = super().__deepcopy__(memo)
        if _check_call not in copied._forward_pre_hooks.values():  # Copies of graphs have none of the hooks.
            copied.register_forward_pre_hook(_check_call, prepend=True)
        return copied

    def __reduce_ex__(self, protocol: int) -> typing.NoReturn:
        raise TypeError(f"expects a module that can be pickled, but got a graph for inference: {ADVICE}")


def check_shapes(graph: torch.fx.GraphModule, inputs: typing.Sequence[object]) -> None:
    """Refuses tensors of other shapes than the example's, which the graph's kernels are for. The graph checks its inputs too,
    and everything else about them, but speaks of its nodes."""
    taken = [node.meta.get("val") for node in graph.graph.nodes if node.op == "placeholder"]
    given = torch.utils._pytree.tree_leaves(tuple(inputs))
    if len(taken) != len(given):
        return
    for number, (example, value) in enumerate(zip(taken, given)):
        if not isinstance(example, torch.Tensor) or not isinstance(value, torch.Tensor):
            continue
        if example.shape != value.shape:
            raise ValueError(
                f"input {number}: expects the shape {tuple(example.shape)} of the example, but got {tuple(value.shape)}; a "
                "model is optimized or saved for each shape, and conv.torch.replace(model) takes any"
            )


def _check_call(graph: torch.fx.GraphModule, inputs: typing.Sequence[object]) -> None:
    if not torch.compiler.is_compiling():  # Tracers see the graph's own checks.
        check_shapes(graph, inputs)


def as_inference(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """The graph of `torch.export` itself, which then behaves as a module for inference."""
    kind = type(graph)  # PyTorch makes a class for each graph, and a copy has a class with the same bases.
    kind.__bases__ = (type("InferenceGraph", (_Inference, *kind.__bases__), {}),)
    for name in ("train", "eval"):
        vars(graph).pop(name, None)
    graph.register_forward_pre_hook(_check_call, prepend=True)
    return graph

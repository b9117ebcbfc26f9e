# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of `torch.export` as modules for inference."""

from __future__ import annotations

import operator
import typing

import torch

from . import _calls

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
            _check_first(copied)
        return copied

    def __reduce_ex__(self, protocol: int) -> typing.NoReturn:
        raise TypeError(f"expects a module that can be pickled, but got a graph for inference: {ADVICE}")


def _explain(example: torch.Tensor, value: object) -> str:
    """What an input of a graph differs in from the example's tensor; empty: in nothing that the graph's kernels are for."""
    if not isinstance(value, torch.Tensor):
        return f"expects a tensor, as in the example, but got {type(value).__name__}"
    if example.shape != value.shape:
        return (
            f"expects the shape {tuple(example.shape)} of the example, but got {tuple(value.shape)}; a "
            "model is optimized or saved for each shape, and conv.torch.replace(model) takes any"
        )
    if example.dtype != value.dtype:
        return f"expects the type {example.dtype} of the example, but got {value.dtype}"
    return ""


def check_inputs(graph: torch.fx.GraphModule, inputs: typing.Sequence[object]) -> None:
    """Refuses tensors of other shapes or types than the example's, which the graph's kernels are for, and other numbers of
    inputs. The graph checks its inputs too, and everything else about them, but speaks of its nodes."""
    taken = [node.meta.get("val") for node in graph.graph.nodes if node.op == "placeholder"]
    given = torch.utils._pytree.tree_leaves(tuple(inputs))
    if len(taken) != len(given):
        raise ValueError(f"expects {len(taken)} inputs, as in the example, but got {len(given)}")
    for number, (example, value) in enumerate(zip(taken, given)):
        detail = _explain(example, value) if isinstance(example, torch.Tensor) else ""
        if detail:
            raise ValueError(f"input {number}: {detail}")


_get_version = operator.attrgetter("_version")


class Sources(typing.NamedTuple):
    """Weights of a model that a graph has folded, and their versions then."""

    names: typing.List[str]
    aliases: typing.List[torch.Tensor]  #: Tensors without memory that share the versions of the weights.
    versions: typing.List[int]

    @classmethod
    def of(cls, tensors: typing.Dict[str, torch.Tensor]) -> Sources:
        aliases = []
        for tensor in tensors.values():
            alias = tensor.detach()
            alias.data = tensor.new_empty(0)  # Keeps the version.
            aliases.append(alias)
        return cls(list(tensors), aliases, list(map(_get_version, aliases)))

    def check(self) -> None:
        """Refuses weights that were changed in place since: the graph would use the old ones, and new ones of layers that
        it shares with the model. Takes 0.1 us for each."""
        versions = list(map(_get_version, self.aliases))
        if versions != self.versions:
            name = next(name for name, now, then in zip(self.names, versions, self.versions) if now != then)
            raise RuntimeError(
                f"expects the weights for which the model was optimized, but '{name}' has changed since: optimize the model "
                "again, or optimize a copy of it (copy.deepcopy) if it is to change"
            )


_NONE = Sources([], [], [])


def count_reads(graph: torch.fx.GraphModule) -> typing.Dict[str, int]:
    """How many operators of a graph read each parameter and buffer, by name."""
    reads: typing.Dict[str, int] = {}
    for node in graph.graph.find_nodes(op="get_attr"):
        reads[node.target] = reads.get(node.target, 0) + len(node.users)
    return reads


def tensors_of(graph: torch.fx.GraphModule) -> typing.Dict[str, torch.Tensor]:
    """The parameters and buffers that a graph reads, by name. Those of inference mode have no version and are left out."""
    values = {name: operator.attrgetter(name)(graph) for name in count_reads(graph)}
    return {name: value for name, value in values.items() if type(value) in _calls.PLAIN and not value.is_inference()}


def watch(graph: torch.fx.GraphModule, tensors: typing.Dict[str, torch.Tensor], before: typing.Dict[str, int]) -> None:
    """Makes calls of a graph check those of its `tensors` that fewer operators read than `before` its weights were folded.
    Copies of the graph do not: nothing that they read is the model's."""
    now = count_reads(graph)
    folded = {name: value for name, value in tensors.items() if now.get(name, 0) < before[name]}
    vars(graph)["_sources"] = Sources.of(folded)


def sources_of(graph: torch.nn.Module) -> Sources:
    return vars(graph).get("_sources", _NONE)


def _check_call(graph: torch.fx.GraphModule, inputs: typing.Sequence[object]) -> None:
    if not torch.compiler.is_compiling():  # Tracers see the graph's own checks.
        check_inputs(graph, inputs)
        sources_of(graph).check()


def _check_first(graph: torch.fx.GraphModule) -> None:
    """Makes `_check_call` the first hook, also in the order of a plain dictionary, in which Dynamo looks hooks up: PyTorch's
    `prepend` changes only that of an ordered one."""
    hooks = graph._forward_pre_hooks
    others = list(hooks)
    graph.register_forward_pre_hook(_check_call)
    for other in others:
        hooks[other] = hooks.pop(other)


def as_inference(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """The graph of `torch.export` itself, which then behaves as a module for inference."""
    kind = type(graph)  # PyTorch makes a class for each graph, and a copy has a class with the same bases.
    kind.__bases__ = (type("InferenceGraph", (_Inference, *kind.__bases__), {}),)
    for name in ("train", "eval"):
        vars(graph).pop(name, None)
    _check_first(graph)
    return graph

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inference: a model as a graph in which each convolution is one kernel, with the operators around it."""

from __future__ import annotations

import concurrent.futures
import os
import sys
import typing

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from .._library import Error
from .._problem import Problem
from . import _choices, _operators, _pack, _rest
from ._fold import fold
from ._settings import settings

Progress = typing.Union[bool, typing.Callable[[int, int], None], None]


def trace(
    model: torch.nn.Module, example: typing.Sequence[object], channels_last: bool, max_error: float
) -> torch.fx.GraphModule:
    """The model's graph with its convolutions folded. Shares the parameters that are not folded."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            program = torch.export.export(model, tuple(example), strict=False)
    finally:
        model.train(was_training)
    graph = program.run_decompositions({}).module()
    fold(graph, channels_last, max_error)
    return graph


class _Planner(torch.fx.Interpreter):
    """Runs a graph on tensors without data, and collects the problems of its convolutions."""

    def __init__(self, module: torch.fx.GraphModule, tf32: bool) -> None:
        super().__init__(module)
        self.problems: typing.Dict[Problem, None] = {}
        self._tf32 = tf32

    def call_function(self, target, args, kwargs):
        if target is torch.ops.conv.convolution.default:
            problem = _operators.plan(*args, tf32=self._tf32, **kwargs)
            if problem is not None:
                self.problems[problem] = None
        return super().call_function(target, args, kwargs)


def plan(graph: torch.fx.GraphModule, example: typing.Sequence[object], tf32: bool) -> typing.List[Problem]:
    """The problems of a graph's convolutions, each once."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    planner = _Planner(graph, tf32)
    with mode, torch.no_grad():
        planner.run(*torch.utils._pytree.tree_map_only(torch.Tensor, mode.from_tensor, tuple(example)))
    return list(planner.problems)


def _notify(progress: Progress) -> typing.Callable[[int, int], None]:
    if callable(progress):
        return progress
    if progress is False or (progress is None and not sys.stderr.isatty()):
        return lambda finished, all_of_them: None

    def show(finished: int, all_of_them: int) -> None:
        end = "\n" if finished == all_of_them else ""
        print(f"\rcompiling convolutions: {finished} of {all_of_them}", end=end, file=sys.stderr, flush=True)

    return show


def _in_parallel(
    work: typing.Callable[[Problem], object], problems: typing.Sequence[Problem], progress: Progress
) -> typing.List[object]:
    notify = _notify(progress)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        futures = [pool.submit(work, problem) for problem in problems]
        for finished, _ in enumerate(concurrent.futures.as_completed(futures), 1):
            notify(finished, len(problems))
        return [future.result() for future in futures]


def graph_of(
    model: torch.nn.Module, example: typing.Sequence[object], channels_last: bool, max_error: float
) -> torch.fx.GraphModule:
    """The graph of a model, which exists already if `optimize` made the model."""
    while isinstance(model, (GraphedModule, _rest.CompiledModule)):
        model = model.module
    if isinstance(model, torch.fx.GraphModule) and any(
        node.target is torch.ops.conv.convolution.default for node in model.graph.nodes
    ):
        return model
    return trace(model, example, channels_last, max_error)


def compile_kernels(
    model: torch.nn.Module,
    example: typing.Sequence[object],
    targets: typing.Union[str, typing.Sequence[str]],
    *,
    channels_last: bool = True,
    max_error: float = 0.0,
    progress: Progress = None,
) -> typing.Tuple[bytes, typing.Dict[str, str]]:
    """The kernels that `optimize` would compile, for any targets, as the bytes of a `.convpack` file.

    They can be made on a machine with another GPU, or with none; `preload` takes them on the target machine. The second
    result lists the refused problems and the reasons.
    """
    targets = targets.split(",") if isinstance(targets, str) else list(targets)
    graph = graph_of(model, example, channels_last, max_error)
    packs: typing.List[bytes] = []
    refused: typing.Dict[str, str] = {}
    hosts = [target for target in targets if target == "host"]
    for group in (hosts, [target for target in targets if target != "host"]):
        if not group:
            continue
        problems = plan(graph, example, tf32=group is not hosts and torch._C._get_cudnn_allow_tf32())

        def compile_one(problem: Problem, group: typing.Sequence[str] = group) -> typing.Union[bytes, Error]:
            try:
                return _choices.compile_problem(problem, group)
            except Error as error:
                return error

        for problem, result in zip(problems, _in_parallel(compile_one, problems, progress)):
            if isinstance(result, Error):
                refused[repr(problem)] = str(result)
            else:
                packs.append(result)
    return _pack.merge(packs), refused


class GraphedModule(torch.nn.Module):
    """A module as one CUDA graph, for tensors of the example's shapes and types.

    The graph owns the tensors that a call returns: the next call overwrites them.
    """

    def __init__(self, module: torch.nn.Module, example: typing.Sequence[object]) -> None:
        super().__init__()
        self.module = module
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

    def forward(self, *inputs: object) -> object:
        if len(inputs) != len(self._inputs):
            raise ValueError(f"expects {len(self._inputs)} inputs, but got {len(inputs)}")
        for place, (mine, given) in enumerate(zip(self._inputs, inputs)):
            if not isinstance(mine, torch.Tensor):
                continue
            if mine.shape != given.shape or mine.dtype != given.dtype:
                raise ValueError(
                    f"input {place}: expects {tuple(mine.shape)} of {mine.dtype}, as the example, but got "
                    f"{tuple(given.shape)} of {given.dtype}"
                )
            if mine.data_ptr() != given.data_ptr():
                mine.copy_(given)
        self._graph.replay()
        return self._result


def optimize(
    model: torch.nn.Module,
    example: typing.Sequence[object],
    *,
    channels_last: bool = True,
    measure: typing.Optional[bool] = True,
    max_error: float = 0.0,
    compile_rest: typing.Optional[bool] = None,
    cuda_graph: bool = False,
    progress: Progress = None,
) -> torch.nn.Module:
    """A module for inference that computes what `model` computes in `eval()`, for tensors of the example's shapes.

    Batch norms are folded into the weights; bias, residual and activation run in the kernel of their convolution; tensors
    between convolutions are channels-last. Kernels are compiled in parallel, then the module runs once.

    Args:
        model: a module that `torch.export` can trace; it is not changed.
        example: the positional inputs, on the device where the module is to run.
        channels_last: keep activations channels-last, whatever the input is.
        measure: on a GPU, time PyTorch's way for each convolution too and keep the faster one; `report` shows both.
        max_error: as for `conv.compile`, for all convolutions.
        compile_rest: whether `torch.compile` compiles all other operators. None: it does if its compilers are installed, and
            the faster way stays (without `measure`, the compiled one stays); `report` shows both times.
        cuda_graph: replay one CUDA graph. The results are then overwritten by the next call.
        progress: show the progress of the compilation (by default if stderr is a terminal), or a function that is called
            with the number of finished kernels and the number of all kernels.

    Raises:
        Any exception of `torch.export` for a model that it cannot trace.
    """
    graph = graph_of(model, example, channels_last, max_error)
    devices = {value.device for value in example if isinstance(value, torch.Tensor)}
    tf32 = any(device.type == "cuda" for device in devices) and torch._C._get_cudnn_allow_tf32()
    if cuda_graph and any(device.type != "cuda" for device in devices):
        raise ValueError("cuda_graph: expects an example on a CUDA device, but got one on the CPU")
    for device in devices:
        _in_parallel(lambda problem: _choices.choose(problem, device), plan(graph, example, tf32), progress)

    def wrap(module: torch.nn.Module) -> torch.nn.Module:
        return GraphedModule(module, example) if cuda_graph else module

    device = min(devices, key=str) if devices else torch.device("cpu")
    before = [(buffer, buffer.clone()) for buffer in graph.buffers()]  # Calls may change what the model shares.
    was, settings.measure = settings.measure, measure
    try:
        with torch.no_grad():
            graph(*example)
        settings.measure = was
        return _rest.finish(graph, example, device, wrap, compile_rest, measure is not False)
    finally:
        settings.measure = was
        with torch.no_grad():
            for buffer, value in before:
                buffer.copy_(value)

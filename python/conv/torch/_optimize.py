# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inference: a model as a graph in which each convolution is one kernel, with the operators around it."""

from __future__ import annotations

import concurrent.futures
import contextlib
import sys
import typing
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from .._library import Error, ErrorKind
from .._problem import Problem
from .._processors import count_processors
from . import _choices, _fused, _operators, _pack, _rest, _verify
from ._compiled import CompiledModule
from ._example import Example, check_example, check_values, distinct
from ._fold import fold
from ._geometry import check_max_error
from ._graphed import GraphedModule, check_devices
from ._inference import as_inference, count_reads, tensors_of, watch
from ._settings import settings

_CONVOLUTIONS = (_fused.fused_convolution, torch.ops.conv.convolution.default)
Progress = typing.Union[bool, typing.Callable[[int, int], None], None]


@contextlib.contextmanager
def in_eval(model: torch.nn.Module) -> typing.Iterator[None]:
    """Inside, all modules are in `eval()`; afterwards, each is as it was."""
    was_training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in was_training:
            module.training = True


def _export(model: torch.nn.Module, example: Example) -> torch.fx.GraphModule:
    """The model's graph of PyTorch's operators, which shares its parameters."""
    with in_eval(model), torch.no_grad():
        program = torch.export.export(model, distinct(example), strict=False)
        return as_inference(program.run_decompositions({}).module())


def _convolution(target, args, kwargs) -> typing.Optional[_operators.CallArguments]:
    """The arguments of a node that is a convolution; None for any other node."""
    if target not in _CONVOLUTIONS:
        return None
    return _fused.arguments(*args) if target is _fused.fused_convolution else _operators.CallArguments(*args, **kwargs)


class WithoutKernels(torch.fx.Interpreter):
    """Runs a graph in which PyTorch's operators compute the convolutions."""

    def call_function(self, target, args, kwargs):
        call = _convolution(target, args, kwargs)
        return super().call_function(target, args, kwargs) if call is None else call.reference()


class _Planner(torch.fx.Interpreter):
    """Runs a graph on tensors without data, and collects the problems of its convolutions."""

    def __init__(self, module: torch.fx.GraphModule, tf32: bool) -> None:
        super().__init__(module)
        self.problems: typing.Dict[Problem, None] = {}
        self._tf32 = tf32

    def call_function(self, target, args, kwargs):
        call = _convolution(target, args, kwargs)
        if call is not None:
            problem = _operators.plan(call, self._tf32)
            if problem is not None:
                self.problems[problem] = None
        return super().call_function(target, args, kwargs)


def plan(graph: torch.fx.GraphModule, example: Example, tf32: bool) -> typing.List[Problem]:
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
    with concurrent.futures.ThreadPoolExecutor(count_processors()) as pool:
        futures = [pool.submit(work, problem) for problem in problems]
        for finished, _ in enumerate(concurrent.futures.as_completed(futures), 1):
            notify(finished, len(problems))
        return [future.result() for future in futures]


def _optimized(model: torch.nn.Module) -> typing.Optional[torch.fx.GraphModule]:
    """The graph of a model that `optimize` made; None for any other model."""
    while isinstance(model, (GraphedModule, CompiledModule)):
        model = model.module
    is_graph = isinstance(model, torch.fx.GraphModule)
    return model if is_graph and any(node.target in _CONVOLUTIONS for node in model.graph.nodes) else None


def graph_of(
    model: torch.nn.Module, example: Example, channels_last: bool, max_error: float
) -> torch.fx.GraphModule:
    """The model's graph with its convolutions folded. Shares the parameters that are not folded."""
    check_max_error(max_error)
    graph = _optimized(model)
    if graph is None:
        graph = _export(model, example)
        tensors, reads = tensors_of(graph), count_reads(graph)
        fold(graph, channels_last, max_error)
        watch(graph, tensors, reads)
    return graph


def compile_kernels(
    model: torch.nn.Module,
    example: Example,
    targets: typing.Union[str, typing.Sequence[str]],
    *,
    channels_last: bool = True,
    max_error: float = 0.0,
    progress: Progress = None,
) -> typing.Tuple[bytes, typing.Dict[str, str]]:
    """The kernels that `optimize` would compile, for any targets, as the bytes of a `.convpack` file.

    They can be made on a machine with another GPU, or with none; `preload` takes them on the target machine.

    Args:
        model, example, channels_last, max_error, progress: as for `optimize`.
        targets: chips such as "sm_90a,gfx942,host".

    Returns:
        The bytes, and the refused problems with the reasons.

    Raises:
        ValueError: no convolution of the model could be compiled.
        Error: bad input, such as an unknown target.
        Any exception of `torch.export` for a model that it cannot trace.
    """
    check_example(model, example)
    graph = graph_of(model, example, channels_last, max_error)
    packs: typing.List[bytes] = []
    refused: typing.Dict[str, str] = {}
    for target in targets.split(",") if isinstance(targets, str) else targets:
        problems = plan(graph, example, tf32=not target.startswith("host") and torch._C._get_cudnn_allow_tf32())

        def compile_one(problem: Problem, target: str = target) -> typing.Union[bytes, Error]:
            try:
                return _choices.compile_problem(problem, target)
            except Error as error:
                if error.kind is ErrorKind.BAD_INPUT:
                    raise
                return error

        for problem, result in zip(problems, _in_parallel(compile_one, problems, progress)):
            if isinstance(result, Error):
                refused[repr(problem)] = str(result)
            else:
                packs.append(result)
    return _pack.merge(packs), refused


def optimize(
    model: torch.nn.Module,
    example: Example,
    *,
    channels_last: bool = True,
    measure: typing.Optional[bool] = None,
    max_error: float = 0.0,
    compile_rest: typing.Optional[bool] = None,
    cuda_graph: bool = False,
    progress: Progress = None,
) -> torch.nn.Module:
    """A module for inference that computes what `model` computes in `eval()`, for tensors of the example's shapes.

    Tensors of other shapes are refused (ValueError); `replace` makes modules that take any.
    It is for the weights of that moment: if those of the model change, optimize it again. Calls of the module then fail
    (RuntimeError), unless the weights were replaced by other tensors, or written through `.data` or NumPy; a copy of the module
    keeps the old weights, and runs.

    Batch norms are folded into the weights; bias, residual and activation run in the kernel of their convolution; tensors
    between convolutions are channels-last. Kernels are compiled in parallel. Then the model and the module run on the example,
    and if a result differs by more than rounding explains, PyTorch runs what causes it, the report says `differs`, and a
    warning is issued: the norm of the difference, relative to the norm of the model's result, is at most 0.001 in f32, 0.02 in
    f16 or tf32, 0.1 in bf16, and `1 + max_error` times as much with a `max_error`.

    Args:
        model: a module that `torch.export` can trace; it is not changed.
        example: the positional inputs, on the device where the module is to run.
        channels_last: keep activations channels-last, whatever the input is.
        measure: time PyTorch's way for each convolution too and keep the faster one; `report` shows both. None: on a GPU, and
            on the CPU as `conv.torch.settings.measure` says.
        max_error: as for `conv.compile`, for all convolutions.
        compile_rest: whether the compiler of `torch.compile` compiles all other operators. None: it does if the compilers
            that it needs are installed, and the faster way stays (without `measure`, the compiled one stays); `report` shows
            both times.
        cuda_graph: replay one CUDA graph. The results are then overwritten by the next call.
        progress: show the progress of the compilation (by default if stderr is a terminal), or a function that is called
            with the number of finished kernels and the number of all kernels.

    Raises:
        Any exception of `torch.export` for a model that it cannot trace, and with `compile_rest=True` those of the compiler.
    """
    check_example(model, example)
    check_values(model, example)
    devices = {value.device for value in example if isinstance(value, torch.Tensor)}
    tf32 = any(device.type == "cuda" for device in devices) and torch._C._get_cudnn_allow_tf32()
    if cuda_graph:
        check_devices(devices)
    graph = graph_of(model, example, channels_last, max_error)
    for device in devices:
        _in_parallel(lambda problem: _choices.choose(problem, device), plan(graph, example, tf32), progress)

    def wrap(module: torch.nn.Module) -> torch.nn.Module:
        return GraphedModule(module, example) if cuda_graph else module

    device = min(devices, key=str) if devices else torch.device("cpu")
    with in_eval(model):
        check = _verify.Check(model, example, model.buffers(), _verify.most_difference(graph, tf32, max_error))
    name = type(model).__name__
    try:
        with _measuring(measure if measure is not None else device.type != "cpu" or settings.measure):
            detail = check.explain(graph)
        if detail:
            warnings.warn(f"conv.torch: PyTorch runs all of {name}: {detail}: please report it", stacklevel=2)
            _choices.remember(_choices.RestChoice(f"{name} as a whole", device, "differs", detail))
            return wrap(_export(model, example))
        return _rest.finish(_rest.Graph(name, graph, example, device, wrap, check), compile_rest, measure is not False)
    finally:
        check.restore()


@contextlib.contextmanager
def _measuring(measure: typing.Optional[bool]) -> typing.Iterator[None]:
    was, settings.measure = settings.measure, measure
    try:
        yield
    finally:
        settings.measure = was

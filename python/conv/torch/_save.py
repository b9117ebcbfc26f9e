# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model as one file: its graph with the weights, and the kernels of its convolutions. `load` needs no compiler."""

from __future__ import annotations

import io
import os
import pathlib
import tempfile
import typing
import zipfile

import torch

from .._library import bad_input
from . import _choices, _pack, _rest
from ._optimize import GraphedModule, Progress, compile_kernels, graph_of

_GRAPH = "torch/graph.pt2"


def save(
    model: torch.nn.Module,
    example: typing.Sequence[object],
    path: typing.Union[str, os.PathLike],
    *,
    targets: typing.Union[str, typing.Sequence[str]] = "",
    channels_last: bool = True,
    max_error: float = 0.0,
    progress: Progress = None,
) -> typing.Dict[str, str]:
    """Writes the module that `optimize` would make, compiled ahead of time, to a `.convpack` file.

    The file is an artifact like any other: `conv-pack list` shows its functions. It also contains the weights, as
    `torch.export` writes them.

    Args:
        model, example, channels_last, max_error, progress: as for `optimize`.
        targets: chips such as "sm_90a,gfx942,host"; by default the chip of the example's device.

    Returns:
        The problems for which PyTorch's kernels run, and the reasons.
    """
    graph = graph_of(model, example, channels_last, max_error)
    if not targets:
        device = next((value.device for value in example if isinstance(value, torch.Tensor)), torch.device("cpu"))
        targets = _choices.open_device(_choices.device_name(device)).targets[0]
    kernels, refused = compile_kernels(graph, example, targets, channels_last=channels_last, progress=progress)
    with torch.no_grad():
        program = torch.export.export(graph, tuple(example), strict=False)
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    content = _pack.merge([kernels], {_GRAPH: buffer.getvalue()})
    target = pathlib.Path(path)
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=target.name, delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, target)
        except BaseException:
            os.unlink(file.name)
            raise
    return refused


def load(
    path: typing.Union[str, os.PathLike],
    *,
    device: typing.Union[str, torch.device, None] = None,
    example: typing.Optional[typing.Sequence[object]] = None,
    compile_rest: typing.Optional[bool] = False,
) -> torch.nn.Module:
    """The module of a file that `save` wrote, on `device` (by default the one where it was saved).

    With an `example`, it is one CUDA graph, as `optimize` makes it. Convolutions without a kernel for the device in the file
    are compiled if the compiler is installed, and otherwise run in PyTorch. `compile_rest` is as for `optimize`, but False
    by default; None, which keeps the faster way, needs an example.
    """
    with zipfile.ZipFile(path) as pack:
        if _GRAPH not in pack.namelist():
            raise bad_input(f"expects a file of conv.torch.save, but got '{os.fspath(path)}' without {_GRAPH}")
        graph = pack.read(_GRAPH)
    _choices.preload(path)
    program = torch.export.load(io.BytesIO(graph))
    if device is not None:
        program = torch.export.passes.move_to_device_pass(program, str(torch.device(device)))
    module = program.module()
    if example is None:
        return _rest.CompiledModule(module) if compile_rest else module
    where = next((value.device for value in example if isinstance(value, torch.Tensor)), torch.device("cpu"))
    return _rest.finish(module, example, where, lambda one: GraphedModule(one, example), compile_rest, True)

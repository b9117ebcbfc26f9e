# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model as one file: its graph with the weights, and the kernels of its convolutions. `load` needs no compiler."""

from __future__ import annotations

import errno
import io
import os
import pathlib
import secrets
import stat
import typing

import torch
from torch.export.passes import move_to_device_pass

from .. import _compiler
from .._library import bad_input
from . import _choices, _fused, _pack, _rest, _verify
from ._compiled import CompiledModule
from ._example import Example, check_example, check_values, distinct
from ._graphed import GraphedModule, check_devices
from ._inference import as_inference
from ._optimize import Progress, WithoutKernels, compile_kernels, graph_of, in_eval

_GRAPH = "torch/graph.pt2"
_DEVICE = "torch/device"  #: The name of the device of the example.


def save(
    model: torch.nn.Module,
    example: Example,
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
        targets: chips such as "sm_90a,gfx942,host"; by default the chip of the example's device, or every kind of CPU.

    Returns:
        The problems for which PyTorch's kernels run, and the reasons.

    Raises:
        RuntimeError: on the example, the module's results are not the model's, as `optimize` compares them. With kernels for
            the device of the example these run, and otherwise PyTorch's run in the module.
    """
    check_example(model, example)
    check_values(model, example)
    graph = graph_of(model, example, channels_last, max_error)
    device = _device_of(example)
    local = _choices.open_device(_choices.device_name(device)).targets
    if not targets:  # Another CPU may have fewer instructions.
        targets = local if device.type == "cpu" else _compiler.select_target(local)
    kernels, refused = compile_kernels(graph, example, targets, channels_last=channels_last, progress=progress)
    has_kernels = bool({*local} & {*(targets.split(",") if isinstance(targets, str) else targets)})
    _verify_graph(model, graph, example, max_error, kernels if has_kernels else None)
    with torch.no_grad():
        program = torch.export.export(graph, distinct(example), strict=False)
    if device.type != "cpu":  # So that any machine can read the weights.
        program = move_to_device_pass(program, "cpu")
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    content = _pack.merge([kernels], {_GRAPH: buffer.getvalue(), _DEVICE: str(device).encode()})
    _write(pathlib.Path(path), content)
    return refused


def _verify_graph(
    model: torch.nn.Module,
    graph: torch.fx.GraphModule,
    example: Example,
    max_error: float,
    kernels: typing.Optional[bytes],
) -> None:
    """Raises an error if the graph computes something else than the model, with these kernels or with PyTorch's."""
    tf32 = _device_of(example).type == "cuda" and torch._C._get_cudnn_allow_tf32()
    with in_eval(model):
        check = _verify.Check(model, example, model.buffers(), _verify.most_difference(graph, tf32, max_error))
    try:
        if kernels is not None:
            _choices.preload(kernels)
        detail = check.explain(WithoutKernels(graph).run if kernels is None else graph)
    finally:
        check.restore()
    if detail:
        raise RuntimeError(f"expects a graph with the results of the model, but {detail}: please report it")


def _device_of(example: Example) -> torch.device:
    return next((value.device for value in example if isinstance(value, torch.Tensor)), torch.device("cpu"))


def _write(path: pathlib.Path, content: bytes) -> None:
    """Writes a file under another name and renames it: it is whole, or as it was. It has the permissions of the one that it
    replaces, or those of new files. What is no file, such as a pipe, is written as it is."""
    exists = path.exists()
    if exists and not path.is_file():
        with open(path, "wb") as place:
            place.write(content)
        return
    if exists and not os.access(path, os.W_OK):  # A rename would replace it, too.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    target = pathlib.Path(os.path.realpath(path))  # A link stays a link.
    temporary = target.with_name(f"{target.name}.{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            if exists:
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _check_device(device: torch.device, is_given: bool) -> None:
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device.type == "cpu" or (device.type == "cuda" and (device.index or 0) < count):
        return
    here = "the CPU" if not count else f"the CPU and {count} CUDA device{'s' if count > 1 else ''}"
    hint = "" if is_given else ", where the model was saved: name another one, such as device='cpu'"
    raise bad_input(f"expects a device that PyTorch has here, {here}, but got '{device}'{hint}")


def load(
    path: typing.Union[str, os.PathLike],
    *,
    device: typing.Union[str, torch.device, None] = None,
    example: typing.Optional[Example] = None,
    compile_rest: typing.Optional[bool] = False,
) -> torch.nn.Module:
    """The module of a file that `save` wrote, on `device` (by default the one where it was saved).

    With an `example`, it is one CUDA graph, as `optimize` makes it. Convolutions without a kernel for the device in the file
    are compiled if the compiler is installed, and otherwise run in PyTorch. `compile_rest` is as for `optimize`, but False
    by default; None, which keeps the faster way, needs an example.

    Raises:
        Error: the file is damaged or has no module, or PyTorch does not have the device here.
        ValueError: the example is not on a CUDA device.
    """
    members = _pack.read(path, (_GRAPH, _DEVICE))
    if _GRAPH not in members:
        raise bad_input(f"expects a file of conv.torch.save, but got '{os.fspath(path)}' without {_GRAPH}")
    saved = members.get(_DEVICE, b"").decode()  # Earlier versions did not write it.
    where = torch.device(device) if device is not None else saved and torch.device(saved)
    if where:
        _check_device(where, device is not None)
    _choices.preload(path)
    program = torch.export.load(io.BytesIO(members[_GRAPH]))
    if where:
        program = move_to_device_pass(program, str(where))
    module = _fused.call_directly(as_inference(program.module()))
    if example is None:
        return CompiledModule(module) if compile_rest else module
    place = _device_of(example)
    check_devices({place})
    tf32 = torch._C._get_cudnn_allow_tf32()
    check = _verify.Check(module, example, module.buffers(), _verify.most_difference(module, tf32))
    name = f"'{os.path.basename(path)}'"
    rest = _rest.Graph(name, module, example, place, lambda one: GraphedModule(one, example), check)
    return _rest.finish(rest, compile_rest, True)

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libconv_python.so, which repeats calls of functions with one call.

`Function`, `Bound` and `conv.jit` ask it first. It declines calls that it does not know, and then their code in Python runs,
which checks everything, and teaches it the call. The library is optional: it needs a CPython with a lock.
"""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import sys
import typing

from ._frameworks import Framework, Protocol, framework_of
from ._library import check, library
from ._loaded import Loaded

if typing.TYPE_CHECKING:
    import torch


def has_memory(operand: torch.Tensor) -> bool:
    """Whether the elements of a tensor of PyTorch are somewhere: where its storage has no address, the tensor's is its offset."""
    return operand.data_ptr() > operand.storage_offset() * operand.element_size()


def open_library() -> typing.Tuple[typing.Optional[ctypes.PyDLL], str]:
    """The library beside that of the runtime; or None, and the reason why it is not in use."""
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    if sys.implementation.name != "cpython" or not has_lock:
        return None, "expects CPython with its lock, but got another Python"
    path = pathlib.Path(os.path.abspath(library._name)).with_name("libconv_python.so")
    try:
        return ctypes.PyDLL(str(path)), ""
    except OSError as error:
        return None, f"cannot load libconv_python.so: {error}"


class Calls(typing.NamedTuple):
    """Calls that are known. `operands` is a tuple, in which optional tensors may be None; `out` a tensor, a tuple of tensors and
    None, or None; `stream` a handle or None; and `options` what else the call depends on, a tuple."""

    run: typing.Callable[..., typing.Any]  #: (operands, out, stream, options) -> what the call returns; None if it is not known.
    find: typing.Callable[..., typing.Any]  #: (operands, out, stream, options) -> the plan of a known call.
    learn: typing.Callable[..., None]  #: (operands, out, stream, options, plan)


def _decline(*_: object) -> None:
    """What the library says about calls that it does not know, in its place."""


class _Functions(typing.NamedTuple):
    """The functions of the library; see FunctionCalls.cpp."""

    add_type: typing.Callable[..., None]
    set_torch: typing.Callable[..., int]
    make_plan: typing.Callable[..., typing.Any]
    make_calls: typing.Callable[[int], tuple]
    make_bound: typing.Callable[..., typing.Callable[[typing.Optional[int]], None]]


def _load() -> typing.Tuple[typing.Optional[_Functions], str]:
    opened, reason = open_library()
    if opened is None:
        return None, reason
    try:
        make = opened.conv_function_calls
    except AttributeError as error:
        return None, f"expects libconv_python.so of this version, but got: {error}"
    make.argtypes, make.restype = [ctypes.py_object] * 3, ctypes.py_object
    run, run_with_sizes = (
        ctypes.cast(function, ctypes.c_void_p).value
        for function in (library.conv_executable_run, library.conv_executable_run_sizes)
    )
    return _Functions(*make(run, run_with_sizes, check)), ""


#: The functions are None, and the reason is not empty, where all calls take the way through Python.
_functions, _reason = _load()
_types: typing.Dict[type, bool] = {}  #: Whether the library reads tensors of a type.
_MOST_TYPES = 64


def make_calls(results: int) -> Calls:
    """A table of calls with so many results."""
    return Calls(_decline, _decline, _decline) if _functions is None else Calls(*_functions.make_calls(results))


def _reads(kind: type, framework: Framework) -> bool:
    """Whether the library reads tensors of a type; tells it of types that are new."""
    known = _types.get(kind)
    if known is None:
        if len(_types) == _MOST_TYPES:
            return False
        known = _types[kind] = _add(kind, framework)
    return known


def _add(kind: type, framework: Framework) -> bool:
    protocol = framework.protocol_of(kind)
    if protocol is None or (protocol is Protocol.TORCH and not _set_torch(sys.modules["torch"])):
        return False
    _functions.add_type(kind, int(protocol), framework.native_stream(), framework.is_lazy)
    return True


def exchange_of(torch: typing.Any) -> typing.Any:
    """PyTorch's exchange interface of DLPack (2.11), a capsule; or None."""
    exchange = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
    return exchange if type(exchange).__name__ == "PyCapsule" else None


@functools.lru_cache(maxsize=None)
def _set_torch(torch: typing.Any) -> bool:
    exchange = exchange_of(torch)
    if exchange is None:
        return False
    return bool(_functions.set_torch(exchange, torch.Tensor.is_neg, has_memory, torch.is_grad_enabled))


def describe_calls() -> str:
    """How functions and `conv.jit` repeat calls, as a sentence: with one call of libconv_python.so, or why in Python."""
    if _functions is None:
        return f"calls run in Python: {_reason}"
    torch = sys.modules.get("torch")
    if torch is not None and not _set_torch(torch):
        return "libconv_python.so repeats calls, except those on tensors of PyTorch: expects PyTorch 2.11 or later"
    return "libconv_python.so repeats calls"


def _workspace_of(loaded: Loaded) -> typing.Optional[typing.Callable[[int], tuple]]:
    """What finds the workspace of a stream: its address, and what begins and ends a turn."""
    size = loaded.signature.entry.workspace_bytes
    if not size:
        return None

    def find(stream: int) -> tuple:
        workspace = loaded.device.workspace(stream, size)
        return workspace.address, workspace.lock.acquire, workspace.lock.release

    return find


def make_plan(
    loaded: Loaded,
    tensors: typing.Sequence[typing.Any],
    allocators: typing.Sequence[typing.Optional[typing.Callable[[typing.Any], typing.Any]]],
) -> typing.Any:
    """What repeats a call on tensors like these, results included; None if the library does not read them. `allocators` has for
    each result what makes it, from the first operand, or None if the caller gives it."""
    if _functions is None or not all(_reads(type(tensor), framework_of(tensor)) for tensor in tensors):
        return None
    sizes = None if loaded.sizes is None else tuple(loaded.sizes)
    return _functions.make_plan(loaded.executable, sizes, loaded, _workspace_of(loaded), tuple(allocators))


def make_bound(
    loaded: Loaded, addresses: typing.Sequence[int], current_stream: typing.Optional[typing.Callable[[], int]]
) -> typing.Optional[typing.Callable[[typing.Optional[int]], None]]:
    """What starts the kernels on these addresses, on a stream or, for None, on the current one."""
    plan = make_plan(loaded, (), ())
    return None if plan is None else _functions.make_bound(plan, tuple(addresses), current_stream)

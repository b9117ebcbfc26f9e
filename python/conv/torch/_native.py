# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libconv_python.so, which does what this package does in Python, with one call, if nothing about a call is unusual.

Each function takes the place of several steps in Python. It returns None, without any effect, if those have to run. The
library is optional: it needs CPython with a lock, and a PyTorch with DLPack's C exchange interface (2.11).
"""

from __future__ import annotations

import ctypes
import functools
import typing

import torch
from torch.autograd import forward_ad

from .._library import library
from .._native import exchange_of, has_memory, open_library
from ._settings import settings

Function = typing.Optional[typing.Callable]

#: (choice, kernel, executable, operands, low_bits, workspace_bytes, device_type, device_index, device, shape, strides, dtype,
#: empty_strided)
make_launcher: Function = None
launch: Function = None  #: (launcher, *operands) -> result
forward: Function = None  #: As `_shortcuts.run`, after a table of entries.
forward_key: Function = None  #: (input, weight, bias, sizes, others) -> the key in the table of entries
backward_key: Function = None  #: (mask, grad_output, input, weight) -> the key in the table of ways

# Memory usually has higher addresses, so that only lower ones are worth a second look.
USUAL_ADDRESS = 1 << 44

#: Whether PyTorch's profiler runs. The library does not tell it of calls.
is_profiled: typing.Callable[[], bool] = torch.autograd._profiler_enabled

_SHAPE, _STRIDES = (2, 3), (5, 1)  #: Of a tensor with which a function is tried.
_UNNORMALIZED = (7, 1)  #: Strides of a tensor (1, 2): some of DLPack's functions change the first.


@functools.lru_cache(maxsize=None)
def find_empty_strided(device: torch.device) -> Function:
    """The function empty_strided(shape, strides, dtype) with which code from `torch.compile` allocates tensors on a device; it
    takes half the time of `torch.empty_strided`. None where it would allocate elsewhere: its GPU is the current one."""
    if device.type != "cpu" and torch.cuda.device_count() != 1:
        return None
    guards = getattr(torch._C._dynamo, "guards", None)
    function = getattr(guards, f"_empty_strided_{device.type}", None)
    try:
        found = function(_SHAPE, _STRIDES, torch.float16)
    except (RuntimeError, TypeError):  # Another PyTorch's.
        return None
    is_right = (found.shape, found.stride(), found.dtype) == (_SHAPE, _STRIDES, torch.float16)
    return function if is_right and found.device.type == device.type else None


def _load() -> Function:
    """What makes the functions, from the library beside that of the runtime."""
    opened, _ = open_library()
    functions = getattr(opened, "conv_torch_functions", None)
    if functions is None:
        return None
    functions.argtypes, functions.restype = [ctypes.py_object], ctypes.py_object
    return functions


class Tracked(typing.NamedTuple):
    """A `torch.autograd.Function` whose forward and backward are those of the library, if there is one."""

    function: typing.Type[torch.autograd.Function]
    apply: typing.Callable
    convolve: typing.Callable  #: What computes the result where the library cannot: (input, weight, bias, entry).
    gradients: typing.Callable  #: And the gradients: (context, grad_output, saved tensors).


def set_up(tracked: Tracked) -> None:
    """Loads the library. `tracked` is for calls whose result has gradients; it takes the tensors, and an entry of the table."""
    global make_launcher, launch, forward, forward_key, backward_key  # noqa: PLW0603
    make_functions = _load()
    exchange = exchange_of(torch)
    if make_functions is None or exchange is None:
        return
    node = getattr(tracked.function, "_backward_cls", None)
    if not (isinstance(node, type) and hasattr(node, "apply") and hasattr(torch._C._FunctionBase, "to_save")):
        return  # Another PyTorch's autograd functions.
    transformers = (
        torch._C._get_tracing_state,
        torch._C._len_torch_dispatch_stack,
        torch._C._functorch.peek_interpreter_stack,
        is_profiled,
    )
    environment = {
        "tensor": torch.Tensor,
        "parameter": torch.nn.Parameter,
        "is_neg": torch.Tensor.is_neg,
        "empty_strided": torch.empty_strided,
        "is_grad_enabled": torch.is_grad_enabled,
        "get_num_threads": torch.get_num_threads,
        "allows_tf32": torch._C._get_cudnn_allow_tf32,
        "has_memory": has_memory,
        "current_stream": getattr(torch._C, "_cuda_getCurrentRawStream", None),
        "observers": (*transformers, torch._C._is_any_autocast_enabled, torch._C._is_torch_function_mode_enabled),
        "transformers": transformers,
        "forward_ad": forward_ad,
        "settings": settings,
        "track": tracked.apply,
        "convolve": tracked.convolve,
        "gradients": tracked.gradients,
        "node": node,
        "uint8": torch.uint8,
        "exchange": exchange,
        "run": ctypes.cast(library.conv_executable_run, ctypes.c_void_p).value,
        "limit_threads": ctypes.cast(library.conv_limit_threads, ctypes.c_void_p).value,
    }
    try:
        functions = make_functions(environment)
    except (RuntimeError, TypeError, ValueError):  # Another PyTorch's exchange interface.
        return
    if functions is None or functions[-1](torch.empty_strided((1, 2), _UNNORMALIZED)) != _UNNORMALIZED:
        return
    make_launcher, launch, forward, forward_key, track, backward, backward_key, _ = functions
    tracked.function.forward, node.apply = staticmethod(track), backward

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile convolutions, and run `.convpack` files on tensors of any framework.

    import conv

    layer = conv.load("layer.convpack")["conv2_3x3"]
    y = layer(x, w, bias)                             # allocates y as x was allocated
    layer(x, w, bias, out=y, stream=torch.cuda.Stream())

Tensors are NumPy arrays, PyTorch, CuPy or JAX tensors, or anything else with DLPack or `__cuda_array_interface__`. CUDA
tensors run on their GPU; others run on the CPU, or on the device that `load` names. This needs only the shared library that
comes with the package: no compiler, no LLVM, not even NumPy.

The package `conv-compiler`, which contains LLVM, compiles problems to artifacts in this process and caches them:

    problem = conv.Problem(n=1, c=64, k=64, input=(56, 56), filter=(3, 3), low=(1, 1), dtype="f16", bias=True)
    layer = conv.load(conv.compile(problem, "sm_90a,gfx942,host"))

`conv.torch` has PyTorch's functions and modules; `conv.jit` has functions for tensors of any framework.
"""

import importlib
import typing

from ._artifact import Artifact, load
from ._bound import Bound
from ._compiler import Refused, compile, explain
from ._device import Device, open_device
from ._dynamic import DynamicProblem
from ._function import Function
from ._library import Error, ErrorKind, __version__
from ._manifest import Argument, Constant, Entry, ErrorBound
from ._native import describe_calls
from ._problem import Problem

__all__ = [
    "Argument",
    "Artifact",
    "Bound",
    "Constant",
    "Device",
    "DynamicProblem",
    "Entry",
    "Error",
    "ErrorBound",
    "ErrorKind",
    "Function",
    "Problem",
    "Refused",
    "__version__",
    "compile",
    "describe_calls",
    "explain",
    "load",
    "open_device",
]


def __getattr__(name: str) -> typing.Any:
    """`conv.jit` is imported when it is used first: it loads the compiler's library."""
    if name == "jit":
        return importlib.import_module(".jit", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

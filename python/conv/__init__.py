# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run `.convpack` files on tensors of any framework.

    import conv

    layer = conv.load("layer.convpack")["conv2_3x3"]
    y = layer(x, w, bias)                             # allocates y as x was allocated
    layer(x, w, bias, out=y, stream=torch.cuda.Stream())

Tensors are NumPy arrays, PyTorch, CuPy or JAX tensors, or anything else with DLPack or `__cuda_array_interface__`. CUDA
tensors run on their GPU; others run on the CPU, or on the device that `load` names. All that is needed is the shared
library that comes with the package: no compiler, no LLVM, not even NumPy.
"""

from ._artifact import Artifact, load
from ._device import Device, open_device
from ._function import Function
from ._library import Error, ErrorKind, __version__
from ._manifest import Argument, Constant, Entry, ErrorBound

__all__ = [
    "Argument",
    "Artifact",
    "Constant",
    "Device",
    "Entry",
    "Error",
    "ErrorBound",
    "ErrorKind",
    "Function",
    "__version__",
    "load",
    "open_device",
]

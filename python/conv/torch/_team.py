# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The threads of PyTorch's operators, which kernels of the host share."""

from __future__ import annotations

import ctypes
import pathlib

import torch

from .._library import library


def share_threads(enabled: bool = True) -> bool:
    """Lets kernels of the host that the calling thread starts run on the OpenMP threads of PyTorch's operators, if it has such
    threads; whether it has. Importing `conv.torch` does so for its thread. With `enabled=False`, they have threads of their own.

    Threads of OpenMP keep their processors for milliseconds after each operator, so that other threads have to take turns with
    them. But each thread that calls operators has OpenMP threads of its own, and all of these do, too: kernels that several
    threads start at once are faster on conv's, for which they take turns.
    """
    if not enabled:
        library.conv_use_team(None)
        return False
    if not torch.backends.openmp.is_available():
        return False
    path = pathlib.Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
    try:
        # Found in what this library was linked to, so that it is the one of the operators, if there are several.
        team = ctypes.CDLL(str(path)).GOMP_parallel
    except (OSError, AttributeError):
        return False
    library.conv_use_team(ctypes.cast(team, ctypes.c_void_p))
    return True

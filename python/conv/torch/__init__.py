# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of the conv compiler in PyTorch.

    import conv.torch

    conv.torch.replace(model)                       # nn.Conv* by conv.torch.Conv*, for training and inference
    fast = conv.torch.optimize(model, (x,))         # inference: batch norm, bias, residual and activation in the kernels
    print(conv.torch.report())                      # which layers went where, and why

`conv.torch.functional` has PyTorch's functions. If no kernel exists for a convolution, or PyTorch's was measured to be
faster, it runs in PyTorch, and the report says so.
"""

from . import _fakes, _flops, functional  # noqa: F401 - They teach PyTorch's tracers and its counter the operators.
from ._causal_functions import causal_conv1d_fn, causal_conv1d_update, causal_conv1d_varlen_states
from ._choices import preload
from ._intercept import intercept
from ._modules import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
)
from ._optimize import compile_kernels, optimize
from ._replace import Replacement, replace, restore
from ._report import Report, report
from ._save import load, save
from ._settings import Settings, settings
from ._team import share_threads
from ._tokens import dynamic_conv
from ._warmup import warmup

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "Replacement",
    "Report",
    "Settings",
    "causal_conv1d_fn",
    "causal_conv1d_update",
    "causal_conv1d_varlen_states",
    "compile_kernels",
    "dynamic_conv",
    "functional",
    "intercept",
    "load",
    "optimize",
    "preload",
    "replace",
    "report",
    "restore",
    "save",
    "settings",
    "share_threads",
    "warmup",
]

share_threads()

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the operators of convolutions return for tensors without data: what PyTorch's tracers call before anything is compiled."""

from __future__ import annotations

import sys

import torch

from . import _gradients, _operators  # noqa: F401 - They define the operators.
from ._calls import library
from ._geometry import memory_format_of


def _teach_inductor() -> None:
    """Teaches inductor the operators, if a graph is traced for it. Its import takes seconds, which all others are spared."""
    if "torch._inductor.lowering" in sys.modules:
        from . import _inductor  # noqa: F401


@torch.library.register_fake("conv::convolution", lib=library)
def _convolution(*arguments) -> torch.Tensor:
    _teach_inductor()
    return _operators.CallArguments(*arguments).empty_result()


@torch.library.register_fake("conv::convolution_backward", lib=library)
def _convolution_backward(grad_output, input, weight, *arguments, weight_dtype=None):  # noqa: A002
    _teach_inductor()
    mask, dtype = arguments[8], weight_dtype or weight.dtype
    memory_format = memory_format_of(input, weight)
    return (
        torch.empty_like(input, memory_format=memory_format) if mask[0] else grad_output.new_empty(0),
        torch.empty_like(weight, dtype=dtype, memory_format=memory_format) if mask[1] else grad_output.new_empty(0),
        grad_output.new_empty(grad_output.shape[1] if mask[2] else 0, dtype=dtype if mask[2] else None),
    )

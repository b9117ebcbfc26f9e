# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places in compiled code that call `torch.ops.conv.convolution` or its backward.

Shapes, strides, types and options are the same at every call of a place, so that it looks its kernels up once. PyTorch's
dispatcher, which takes longer than all the rest for an operator in Python, is not asked.
"""

from __future__ import annotations

import typing

import torch

from . import _calls, _gradients, _operators
from ._geometry import OptionalTensor
from ._settings import settings

_Rest = typing.Any  #: What follows the tensors in the operator's schema.


class Convolution(_calls.Place):
    """A place that calls `conv::convolution`."""

    __slots__ = ()

    def __call__(
        self, input: torch.Tensor, weight: torch.Tensor, bias: OptionalTensor, *rest: _Rest, **named: _Rest
    ) -> torch.Tensor:  # noqa: A002
        residual = rest[8] if len(rest) > 8 else named.get("residual")
        result = self.run_known([tensor for tensor in (input, weight, bias, residual) if tensor is not None])
        if result is None:
            tf32 = torch._C._get_cudnn_allow_tf32()
            call = _operators.CallArguments(input, weight, bias, *map(_calls.as_key, rest), **named)
            result = _operators.convolve(*call)
            known = _calls.get_known(_operators.identify(call, call.operands()))
            # Another thread may change what is allowed meanwhile.
            is_same = tf32 == torch._C._get_cudnn_allow_tf32()
            self.keep(known if is_same else None, tf32)
        return result


class Backward:
    """A place that calls `conv::convolution_backward`, and gets None for gradients that nobody wants."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        #: What computes the gradients, what follows the tensors in the call, and whether TF32 was allowed.
        self._known: typing.Optional[typing.Tuple[_gradients.Ways, tuple, bool]] = None

    def __call__(
        self,
        grad_output: torch.Tensor,
        input: torch.Tensor,  # noqa: A002
        weight: torch.Tensor,
        *arguments: _Rest,
        weight_dtype: typing.Optional[torch.dtype] = None,
    ) -> _gradients.Gradients:
        if self._known is not None:
            ways, rest, tf32 = self._known
            if settings.enabled and tf32 == torch._C._get_cudnn_allow_tf32():
                grads = _gradients.compute_by(ways, grad_output, input, weight, *rest)
                if grads is not None:
                    return grads
        tf32 = torch._C._get_cudnn_allow_tf32()
        rest = *_gradients.split_arguments(arguments), weight_dtype or weight.dtype
        grads = _gradients.compute(grad_output, input, weight, *rest)
        ways = _gradients.find_ways(grad_output, input, weight, *rest)
        is_same = tf32 == torch._C._get_cudnn_allow_tf32()
        self._known = (ways, rest, tf32) if ways is not None and is_same else None
        return grads

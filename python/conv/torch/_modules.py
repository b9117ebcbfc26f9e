# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's modules of convolution with the same constructors, parameters and `state_dict`, but other kernels."""

from __future__ import annotations

import inspect
import typing

import torch
import torch.nn.functional as F

from . import functional
from ._geometry import check_max_error


def _constructor(theirs: type) -> typing.Callable[..., None]:
    """PyTorch's constructor with `max_error`, as for `conv.compile`: the only argument that it does not have."""
    signature = inspect.signature(theirs.__init__)
    more = inspect.Parameter("max_error", inspect.Parameter.KEYWORD_ONLY, default=0.0, annotation=float)

    def __init__(self, *arguments, max_error: float = 0.0, **named) -> None:  # noqa: N807
        theirs.__init__(self, *arguments, **named)
        check_max_error(max_error)
        if max_error:
            self.max_error = max_error

    __init__.__signature__ = signature.replace(parameters=[*signature.parameters.values(), more])
    return __init__


class _Module:
    """What all modules of conv.torch add to PyTorch's."""

    max_error: float = 0.0

    def __prepare_scriptable__(self) -> typing.NoReturn:
        raise RuntimeError(
            f"torch.jit.script expects PyTorch's own modules, but got conv.torch.{type(self).__name__}: "
            "conv.torch.restore(model) turns them back"
        )


class _Convolution(_Module):
    """What differs from PyTorch's module: the function that `forward` calls."""

    _rank: int
    _function: typing.Callable

    def _conv_forward(self, input, weight, bias):  # noqa: A002
        if self.padding_mode == "zeros":
            return self._convolve(input, weight, bias, self.padding)
        if isinstance(self.padding, str) or not isinstance(input, torch.Tensor):
            return self._convolve_padded(input, weight, bias)
        window = self.stride, self.padding, self.dilation, self.groups, self.padding_mode, self.max_error
        return functional._forward(
            self._rank, lambda *tensors: self._convolve_padded(*tensors[:3]), input, weight, bias, *window
        )

    def _convolve(self, input, weight, bias, padding):  # noqa: A002
        window = self.stride, padding, self.dilation, self.groups
        return self._function(input, weight, bias, *window, max_error=self.max_error)

    def _convolve_padded(self, input, weight, bias):  # noqa: A002
        """Like PyTorch's module: the sizes that it derives from `padding` are in F.pad's order, the last dimension first."""
        image = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return self._convolve(image, weight, bias, 0)


class _Transposed(_Module):
    _rank: int
    _function: typing.Callable

    def forward(self, input, output_size=None):  # noqa: A002
        if self.padding_mode != "zeros":
            raise ValueError(f"expects padding_mode 'zeros', but got '{self.padding_mode}'")
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self._rank, self.dilation
        )
        window = self.stride, self.padding, output_padding, self.groups, self.dilation
        return self._function(input, self.weight, self.bias, *window, max_error=self.max_error)


class Conv1d(_Convolution, torch.nn.Conv1d):
    """Like `torch.nn.Conv1d`."""

    _rank, _function = 1, staticmethod(functional.conv1d)
    __init__ = _constructor(torch.nn.Conv1d)


class Conv2d(_Convolution, torch.nn.Conv2d):
    """Like `torch.nn.Conv2d`."""

    _rank, _function = 2, staticmethod(functional.conv2d)
    __init__ = _constructor(torch.nn.Conv2d)


class Conv3d(_Convolution, torch.nn.Conv3d):
    """Like `torch.nn.Conv3d`."""

    _rank, _function = 3, staticmethod(functional.conv3d)
    __init__ = _constructor(torch.nn.Conv3d)


class ConvTranspose1d(_Transposed, torch.nn.ConvTranspose1d):
    """Like `torch.nn.ConvTranspose1d`."""

    _rank, _function = 1, staticmethod(functional.conv_transpose1d)
    __init__ = _constructor(torch.nn.ConvTranspose1d)


class ConvTranspose2d(_Transposed, torch.nn.ConvTranspose2d):
    """Like `torch.nn.ConvTranspose2d`."""

    _rank, _function = 2, staticmethod(functional.conv_transpose2d)
    __init__ = _constructor(torch.nn.ConvTranspose2d)


class ConvTranspose3d(_Transposed, torch.nn.ConvTranspose3d):
    """Like `torch.nn.ConvTranspose3d`."""

    _rank, _function = 3, staticmethod(functional.conv_transpose3d)
    __init__ = _constructor(torch.nn.ConvTranspose3d)


class LazyConv1d(torch.nn.LazyConv1d):
    """Like `torch.nn.LazyConv1d`: becomes a `Conv1d` at its first call."""

    cls_to_become = Conv1d
    __init__ = _constructor(torch.nn.LazyConv1d)


class LazyConv2d(torch.nn.LazyConv2d):
    """Like `torch.nn.LazyConv2d`: becomes a `Conv2d` at its first call."""

    cls_to_become = Conv2d
    __init__ = _constructor(torch.nn.LazyConv2d)


class LazyConv3d(torch.nn.LazyConv3d):
    """Like `torch.nn.LazyConv3d`: becomes a `Conv3d` at its first call."""

    cls_to_become = Conv3d
    __init__ = _constructor(torch.nn.LazyConv3d)


class LazyConvTranspose1d(torch.nn.LazyConvTranspose1d):
    """Like `torch.nn.LazyConvTranspose1d`: becomes a `ConvTranspose1d` at its first call."""

    cls_to_become = ConvTranspose1d
    __init__ = _constructor(torch.nn.LazyConvTranspose1d)


class LazyConvTranspose2d(torch.nn.LazyConvTranspose2d):
    """Like `torch.nn.LazyConvTranspose2d`: becomes a `ConvTranspose2d` at its first call."""

    cls_to_become = ConvTranspose2d
    __init__ = _constructor(torch.nn.LazyConvTranspose2d)


class LazyConvTranspose3d(torch.nn.LazyConvTranspose3d):
    """Like `torch.nn.LazyConvTranspose3d`: becomes a `ConvTranspose3d` at its first call."""

    cls_to_become = ConvTranspose3d
    __init__ = _constructor(torch.nn.LazyConvTranspose3d)

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's modules of convolution: the same constructors, parameters and `state_dict`, other kernels."""

from __future__ import annotations

import typing

import torch
import torch.nn.functional as F

from . import functional


class _Convolution:
    """What differs from PyTorch's module: the function that `forward` calls."""

    _rank: int

    def _conv_forward(self, input, weight, bias):  # noqa: A002
        padding, low = self.padding, self.padding
        if self.padding_mode != "zeros" and isinstance(padding, str):
            # What PyTorch makes of "same" and "valid": sizes for F.pad, the last dimension first.
            sizes = self._reversed_padding_repeated_twice
            input, low = F.pad(input, sizes, mode=self.padding_mode), 0  # noqa: A001
            return functional._forward(
                self._rank, self._fallback, input, weight, bias, self.stride, low, self.dilation, self.groups
            )
        return functional._forward(
            self._rank,
            lambda *arguments: super(_Convolution, self)._conv_forward(*arguments[:3]),
            input,
            weight,
            bias,
            self.stride,
            padding,
            self.dilation,
            self.groups,
            self.padding_mode,
        )


class Conv1d(_Convolution, torch.nn.Conv1d):
    """As `torch.nn.Conv1d`."""

    _rank, _fallback = 1, staticmethod(F.conv1d)


class Conv2d(_Convolution, torch.nn.Conv2d):
    """As `torch.nn.Conv2d`."""

    _rank, _fallback = 2, staticmethod(F.conv2d)


class Conv3d(_Convolution, torch.nn.Conv3d):
    """As `torch.nn.Conv3d`."""

    _rank, _fallback = 3, staticmethod(F.conv3d)


class _Transposed:
    _rank: int
    _function: typing.Callable

    def forward(self, input, output_size=None):  # noqa: A002
        if self.padding_mode != "zeros":
            raise ValueError(f"expects padding_mode 'zeros', but got '{self.padding_mode}'")
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self._rank, self.dilation
        )
        return self._function(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


class ConvTranspose1d(_Transposed, torch.nn.ConvTranspose1d):
    """As `torch.nn.ConvTranspose1d`."""

    _rank, _function = 1, staticmethod(functional.conv_transpose1d)


class ConvTranspose2d(_Transposed, torch.nn.ConvTranspose2d):
    """As `torch.nn.ConvTranspose2d`."""

    _rank, _function = 2, staticmethod(functional.conv_transpose2d)


class ConvTranspose3d(_Transposed, torch.nn.ConvTranspose3d):
    """As `torch.nn.ConvTranspose3d`."""

    _rank, _function = 3, staticmethod(functional.conv_transpose3d)

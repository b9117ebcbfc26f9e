# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dynamic convolutions as compositions of PyTorch's operators: for what conv has no kernel for, and for gradients of
gradients. 16-bit types are computed in f32 and rounded once."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def wide(tensor: torch.Tensor) -> torch.Tensor:
    """As f32, if the type has 16 bits."""
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def silu_slope(x: torch.Tensor) -> torch.Tensor:
    """The derivative, which `aten.silu_backward` has too, but that cannot be differentiated again."""
    share = torch.sigmoid(x)
    return share * (1 + x * (1 - share))


def _taps_last(kernel: torch.Tensor, order: str) -> torch.Tensor:
    return kernel if order == "BTGW" else kernel.transpose(2, 3)


def delayed(x: torch.Tensor, by: int, dim: int) -> torch.Tensor:
    """What each position of `dim` saw `by` positions ago; zero before the first one."""
    by = min(by, x.shape[dim])
    sizes = [0, 0] * (x.dim() - 1 - dim) + [by, 0]
    return F.pad(x.narrow(dim, 0, x.shape[dim] - by), sizes)


def _advanced(x: torch.Tensor, by: int) -> torch.Tensor:
    """What each token will see `by` tokens later; zero after the last one."""
    by = min(by, x.shape[1])
    return F.pad(x[:, by:], [0, 0] * (x.dim() - 2) + [0, by])


def dynamic_sum(x: torch.Tensor, kernel: torch.Tensor, order: str) -> torch.Tensor:
    """The sum of products, in f32 for 16-bit types."""
    x, taps = wide(x), wide(_taps_last(kernel, order))
    groups, width = taps.shape[2:]
    by_group = x.unflatten(2, (groups, -1))
    terms = [taps[..., w, None] * delayed(by_group, width - 1 - w, 1) for w in range(width)]
    return sum(terms).flatten(2)


def dynamic_conv(x: torch.Tensor, kernel: torch.Tensor, order: str, activation: str) -> torch.Tensor:
    result = dynamic_sum(x, kernel, order)
    return (F.silu(result) if activation else result).to(x.dtype)


def dynamic_sum_gradient(grad_output: torch.Tensor, x: torch.Tensor, kernel: torch.Tensor, order: str) -> torch.Tensor:
    """The gradient of the sum in front of a silu."""
    return (wide(grad_output) * silu_slope(dynamic_sum(x, kernel, order))).to(grad_output.dtype)


def dynamic_input_gradient(grad_sum: torch.Tensor, kernel: torch.Tensor, order: str) -> torch.Tensor:
    grad, taps = wide(grad_sum), wide(_taps_last(kernel, order))
    groups, width = taps.shape[2:]
    by_group = grad.unflatten(2, (groups, -1))
    terms = [_advanced(taps[..., w, None] * by_group, width - 1 - w) for w in range(width)]
    return sum(terms).flatten(2).to(grad_sum.dtype)


def dynamic_kernel_gradient(x: torch.Tensor, grad_sum: torch.Tensor, kernel: torch.Tensor, order: str) -> torch.Tensor:
    """That of kernels that look like `kernel`, whose values do not matter."""
    groups, width = _taps_last(kernel, order).shape[2:]
    x, grad = (wide(tensor).unflatten(2, (groups, -1)) for tensor in (x, grad_sum))
    terms = [(grad * delayed(x, width - 1 - w, 1)).sum(-1) for w in range(width)]
    return torch.stack(terms, -1 if order == "BTGW" else 2).to(grad_sum.dtype)

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal convolutions as compositions of PyTorch's operators, like dynamic ones in `_dynamic_reference`."""

from __future__ import annotations

import typing

import torch
import torch.nn.functional as F

from ._dynamic_reference import delayed, dynamic_sum, silu_slope, wide
from ._geometry import OptionalTensor



def _with_past(x: torch.Tensor, initial_states: OptionalTensor, width: int) -> torch.Tensor:
    past = x.new_zeros(*x.shape[:2], width - 1) if initial_states is None else initial_states
    return torch.cat([past, x], -1)


def find_starts(seq_idx: torch.Tensor) -> torch.Tensor:
    """Where a run of equal numbers starts in (B, T)."""
    is_start = torch.ones_like(seq_idx, dtype=torch.bool)
    is_start[:, 1:] = seq_idx[:, 1:] != seq_idx[:, :-1]
    return is_start


def _number_runs(seq_idx: OptionalTensor) -> OptionalTensor:
    """Each run of equal numbers is a sequence, also if its number occurs again later: the runs of (B, T), numbered from 0 on,
    and -1 for padding."""
    if seq_idx is None:
        return None
    return torch.where(seq_idx >= 0, find_starts(seq_idx).cumsum(1) - 1, -1)


def _causal_sum(
    x: torch.Tensor, weight: torch.Tensor, bias: OptionalTensor, seq_idx: OptionalTensor, initial_states: OptionalTensor
) -> torch.Tensor:
    """The sum and the bias, in f32 for 16-bit types."""
    width, tokens = weight.shape[1], x.shape[2]
    taps = wide(weight)
    if seq_idx is None:
        padded = wide(_with_past(x, initial_states, width))
        terms = [taps[:, w, None] * padded[:, :, w : w + tokens] for w in range(width)]
    else:
        terms = []
        for w in range(width):
            past = delayed(wide(x), width - 1 - w, 2)
            is_same = delayed(seq_idx + 1, width - 1 - w, 1) == seq_idx + 1  # Tokens before the first get 0.
            terms.append(taps[:, w, None] * torch.where(is_same[:, None], past, 0))
    result = sum(terms)
    return result if bias is None else result + bias.to(result.dtype)[:, None]


def causal_conv1d(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: OptionalTensor,
    seq_idx: OptionalTensor,
    initial_states: OptionalTensor,
    activation: str,
) -> torch.Tensor:
    """Tokens whose `seq_idx` is negative are padding: their results are zero."""
    seq_idx = _number_runs(seq_idx)
    result = _causal_sum(x, weight, bias, seq_idx, initial_states)
    result = F.silu(result) if activation else result
    if seq_idx is not None:
        result = torch.where((seq_idx >= 0)[:, None], result, 0)
    return result.to(x.dtype)


def packed_with_states(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: OptionalTensor,
    cu_seqlens: torch.Tensor,
    initial_states: torch.Tensor,
    activation: str,
) -> torch.Tensor:
    """Packed sequences (1, D, T) after their states (N, D, W - 1)."""
    states = initial_states.transpose(1, 2)
    result = dynamic_sum(x.transpose(1, 2), weight[None, None], "BTGW", cu_seqlens, states)
    result = result if bias is None else result + bias.to(result.dtype)
    return (F.silu(result) if activation else result).to(x.dtype).transpose(1, 2)


class CausalGradients(typing.NamedTuple):
    x: torch.Tensor
    weight: torch.Tensor
    bias: OptionalTensor
    initial_states: OptionalTensor


def packed_gradients(
    grad_output: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: OptionalTensor,
    cu_seqlens: torch.Tensor,
    initial_states: torch.Tensor,
    activation: str,
) -> CausalGradients:
    """The gradients of `packed_with_states`, which can be differentiated again."""
    given = [x, weight, initial_states] if bias is None else [x, weight, initial_states, bias]

    def forward(x, weight, states, bias=None):
        return packed_with_states(x, weight, bias, cu_seqlens, states, activation)

    grads = torch.func.vjp(forward, *given)[1](grad_output)
    return CausalGradients(grads[0], grads[1], None if bias is None else grads[3], grads[2])


def _where_seen(grad: torch.Tensor, seq_idx: OptionalTensor, by: int) -> torch.Tensor:
    """The gradient of tokens that see a token `by` positions earlier in their own sequence, and zeros."""
    if seq_idx is None:
        return grad
    return torch.where((delayed(seq_idx + 1, by, 1) == seq_idx + 1)[:, None], grad, 0)


def filter_gradient(
    grad_sum: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, seq_idx: OptionalTensor, initial_states: OptionalTensor
) -> torch.Tensor:
    """The gradient of filters of `weight`'s shape; its values do not matter."""
    seq_idx = _number_runs(seq_idx)
    grad, width, tokens = wide(grad_sum), weight.shape[1], x.shape[2]
    past = wide(_with_past(x, initial_states, width))
    taps = [
        (_where_seen(grad, seq_idx, width - 1 - w) * past[:, :, w : w + tokens]).sum((0, 2)) for w in range(width)
    ]
    return torch.stack(taps, 1).to(weight.dtype)


def causal_gradients(
    grad_output: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: OptionalTensor,
    seq_idx: OptionalTensor,
    initial_states: OptionalTensor,
    activation: str,
) -> CausalGradients:
    """The gradients of all operands, which can be differentiated again."""
    grad, width, seq_idx = wide(grad_output), weight.shape[1], _number_runs(seq_idx)
    if seq_idx is not None:
        grad = torch.where((seq_idx >= 0)[:, None], grad, 0)
    if activation:
        grad = grad * silu_slope(_causal_sum(x, weight, bias, seq_idx, initial_states))
    grad_past = F.pad(torch.zeros_like(grad), (width - 1, 0))
    for w in range(width):
        here = _where_seen(grad, seq_idx, width - 1 - w)
        grad_past = grad_past + F.pad(wide(weight)[:, w, None] * here, (w, width - 1 - w))
    return CausalGradients(
        grad_past[:, :, width - 1 :].to(x.dtype),
        filter_gradient(grad, x, weight, seq_idx, initial_states),
        None if bias is None else grad.sum((0, 2)).to(bias.dtype),
        None if initial_states is None else grad_past[:, :, : width - 1].to(initial_states.dtype),
    )

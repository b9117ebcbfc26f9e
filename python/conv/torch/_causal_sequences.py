# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal convolutions of sequences with contiguous channels: dynamic convolutions with one kernel for all tokens.

So existing kernels serve packed sequences, initial states, and every batch or length after the first."""

from __future__ import annotations

import typing

import torch
import torch.nn.functional as F

from .._dynamic import ACTIVATION, FORWARD, INPUT, STATE
from . import _dynamic
from . import _causal_reference
from . import _dynamic_reference as reference
from ._geometry import OptionalTensor


class Sequences(typing.NamedTuple):
    """Sequences (B, T, D) with filters (D, W); a batch of one may be packed sequences of any lengths."""

    x: torch.Tensor
    weight: torch.Tensor
    bias: OptionalTensor
    cu_seqlens: OptionalTensor
    initial_state: OptionalTensor  #: (B, W - 1, D), or (N, W - 1, D) for packed sequences.
    activation: str

    def _call(self) -> _dynamic.Call:
        kernel = self.weight[None, None]
        return _dynamic.Call(
            *(self.x, kernel, "BTGW", self.activation, self.cu_seqlens, self.initial_state, "", self.bias, True)
        )

    def _sum(self) -> torch.Tensor:
        """The sum and the bias as PyTorch computes them."""
        if self.cu_seqlens is not None:
            kernel = self.weight[None, None]
            total = reference.dynamic_sum(self.x, kernel, "BTGW", self.cu_seqlens, self.initial_state)
            return (total if self.bias is None else total + self.bias.to(total.dtype)).to(self.x.dtype)
        past, channels = self.weight.shape[1] - 1, self.x.shape[2]
        state = self.x.new_zeros(self.x.shape[0], past, channels) if self.initial_state is None else self.initial_state
        bias = None if self.bias is None else self.bias.to(self.x.dtype)
        everything = torch.cat([state, self.x], 1).transpose(1, 2)
        return F.conv1d(everything, self.weight[:, None], bias, groups=channels).transpose(1, 2)

    def convolve(self) -> torch.Tensor:
        def theirs() -> torch.Tensor:
            return F.silu(self._sum()) if self.activation else self._sum()

        call = self._call()
        return _dynamic.run(FORWARD, self.x, call.kernel, call, theirs, doubtful=True)

    def sum_gradient(self, grad_output: torch.Tensor) -> torch.Tensor:
        """The gradient of the activation's argument."""
        if not self.activation:
            return grad_output

        def theirs() -> torch.Tensor:
            return torch.ops.aten.silu_backward(grad_output, self._sum())

        call = self._call()
        return _dynamic.run(ACTIVATION, self.x, call.kernel, call, theirs, grad_output, doubtful=True)

    def input_gradient(self, grad_sum: torch.Tensor) -> torch.Tensor:
        def theirs() -> torch.Tensor:
            return reference.dynamic_input_gradient(grad_sum, call.kernel, "BTGW", self.cu_seqlens)

        call = self._call()
        return _dynamic.run(INPUT, grad_sum, call.kernel, call, theirs, doubtful=True)

    def state_gradient(self, grad_sum: torch.Tensor) -> torch.Tensor:
        def theirs() -> torch.Tensor:
            kernel = call.kernel.expand(*grad_sum.shape[:2], -1, -1)
            return reference.dynamic_state_gradient(grad_sum, kernel, "BTGW", self.cu_seqlens)

        call = self._call()
        return _dynamic.run(STATE, grad_sum, call.kernel, call, theirs, doubtful=True)

    def filter_gradient_of_heads(self, grad_sum: torch.Tensor) -> torch.Tensor:
        """The share of the first W - 1 tokens of each packed sequence in the gradient of filters (D, W), in f32. Other
        tokens see W - 1 tokens of their own sequence."""
        at, is_head = self._find_heads()
        past, width = self.weight.shape[1] - 1, self.weight.shape[1]

        def gather(values: torch.Tensor) -> torch.Tensor:
            return torch.where(is_head[..., None], values[0, at].float(), 0)

        states = self.x.new_zeros(at.shape[0], past, self.x.shape[2], dtype=torch.float32)
        if self.initial_state is not None:
            states[1:-1] = self.initial_state
        grads, seen = gather(grad_sum), torch.cat([states, gather(self.x)], 1)
        # A state that no token sees may be NaN.
        windows = (torch.where(is_head[..., None], seen[:, w : w + past], 0) for w in range(width))
        return torch.stack([(grads * window).sum((0, 1)) for window in windows], 1)

    def clear_heads(self, grad_sum: torch.Tensor) -> torch.Tensor:
        """The gradient of sums, in which the first W - 1 tokens of each packed sequence become zero."""
        at, is_head = self._find_heads()
        grad_sum[0].index_fill_(0, torch.where(is_head, at, 0).flatten(), 0)  # Token 0 is always one of these.
        return grad_sum

    def _find_heads(self) -> typing.Tuple[torch.Tensor, torch.Tensor]:
        """For the tokens before the first start, and for each start, the places of the first W - 1 tokens from there on, and
        whether these are tokens of that sequence."""
        past, tokens = self.weight.shape[1] - 1, self.x.shape[1]
        starts = F.pad(self.cu_seqlens.long(), (1, 0))
        numbers = torch.arange(-1, starts.shape[0] - 1, device=starts.device)
        places = starts[:, None] + torch.arange(past, device=starts.device)
        at = places.clamp(0, tokens - 1)
        return at, (at == places) & (reference.Neighbours.of(self.cu_seqlens, tokens).sequence[at] == numbers[:, None])


def starts_of(seq_idx: torch.Tensor) -> torch.Tensor:
    """The starts of the runs of equal numbers in (B, T), with the batch as one row. There are as many starts as tokens, since
    only the device knows the number of runs; the surplus runs at the end are empty."""
    batch, tokens = seq_idx.shape
    number = _causal_reference.find_starts(seq_idx).flatten().cumsum(0) - 1
    places = torch.arange(batch * tokens, device=seq_idx.device)
    starts = places.new_full((batch * tokens + 1,), batch * tokens)
    return starts.scatter_reduce_(0, number, places, "amin").int()

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operator of decoding: the next tokens of causal convolutions, whose states are updated in place."""

from __future__ import annotations

import typing

import torch

from . import _calls, _choices
from . import _causal_reference as reference
from ._calls import Optional, library
from ._causal_kernels import convolve

library.define(
    "causal_conv1d_update(Tensor x, Tensor(a!) conv_state, Tensor weight, Tensor? bias, str activation, "
    "Tensor? cache_seqlens, Tensor? conv_state_indices) -> Tensor"
)


class _Slots(typing.NamedTuple):
    """Which states belong to which sequences of a batch, where they are a selection.

    A negative index is padding: nothing of it is written. To say so without waiting for the device, such a sequence
    writes what the first other one writes, or what is there if there is no other one.
    """

    rows: torch.Tensor  #: Where each sequence reads; for padding, anywhere.
    is_real: torch.Tensor
    source: torch.Tensor  #: The sequence whose state each one writes.

    @classmethod
    def of(cls, indices: torch.Tensor) -> _Slots:
        is_real = indices >= 0
        everyone = torch.arange(indices.shape[0], device=indices.device)
        source = torch.where(is_real, everyone, is_real.to(torch.int8).argmax())
        return cls(indices.clamp(min=0).long(), is_real, source)

    def write(self, conv_state: torch.Tensor, old: torch.Tensor, new: torch.Tensor) -> None:
        values = torch.where(self.is_real[:, None, None], new, old)[self.source]
        conv_state.index_copy_(0, self.rows[self.source], values)


def _advance(
    states: torch.Tensor, x: torch.Tensor, taps: int, cache_seqlens: Optional
) -> typing.Tuple[torch.Tensor, torch.Tensor]:
    """The tokens that the next ones see, with them, and the states behind them."""
    length, count = states.shape[2], x.shape[2]
    if cache_seqlens is None:
        everything = torch.cat([states, x], -1)
        return everything[:, :, length - taps + 1 :], everything[:, :, -length:]

    def places(first: int, last: int) -> torch.Tensor:
        """Where tokens are in the ring, counted from the first new one."""
        offsets = torch.arange(first, last, device=x.device)
        at = torch.remainder(cache_seqlens.long()[:, None] + offsets, length)
        return at[:, None].expand(-1, x.shape[1], -1)

    seen = torch.cat([states.gather(2, places(1 - taps, 0)), x], -1)
    kept = min(count, length)  # More than the ring holds would be written twice.
    return seen, states.scatter(2, places(count - kept, count), x[:, :, count - kept :])


def _convolve(seen: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: Optional, activation: str):
    """The results of the last tokens, each of which sees all it needs."""
    line = _calls.report_line("causal_conv1d_update", x, weight)
    refused = _calls.refuse([x, weight])
    if refused:
        _choices.leave(line, x.device, *refused).calls += 1
        past = weight.shape[1] - 1
        return reference.causal_conv1d(seen[:, :, past:], weight, bias, None, seen[:, :, :past], activation)
    detail = "expects a kernel that updates states in place, but got none: PyTorch's move states, and conv's convolves"
    _choices.leave(line, x.device, "composed", detail).calls += 1
    return convolve(seen.contiguous(), weight.unsqueeze(1), bias, 0, activation, x.new_empty(x.shape))


@torch.library.impl(library, "causal_conv1d_update", "CPU")
@torch.library.impl(library, "causal_conv1d_update", "CUDA")
def _causal_conv1d_update(x, conv_state, weight, bias, activation, cache_seqlens, conv_state_indices):
    slots = None if conv_state_indices is None else _Slots.of(conv_state_indices)
    states = conv_state if slots is None else conv_state.index_select(0, slots.rows)
    seen, after = _advance(states, x, weight.shape[1], cache_seqlens)
    result = _convolve(seen, x, weight, bias, activation)
    if slots is None:
        conv_state.copy_(after)
        return result
    slots.write(conv_state, states, after)
    return torch.where(slots.is_real[:, None, None], result, 0)


@torch.library.register_fake("conv::causal_conv1d_update", lib=library)
def _causal_conv1d_update_fake(x, conv_state, weight, bias, activation, cache_seqlens, conv_state_indices):
    return x.new_empty(x.shape)


def causal_conv1d_update(x: torch.Tensor, conv_state: torch.Tensor, weight: torch.Tensor, *rest) -> torch.Tensor:
    """`torch.ops.conv.causal_conv1d_update`, by the shortest way."""
    if _calls.is_traced(x) or _calls.is_traced(weight):
        return torch.ops.conv.causal_conv1d_update(x, conv_state, weight, *rest)
    with torch.no_grad():
        return _causal_conv1d_update(x, conv_state, weight, *rest)

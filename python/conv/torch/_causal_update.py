# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operator of decoding: the next tokens of causal convolutions, with states updated in place."""

from __future__ import annotations

import typing

import torch

from .._states import UpdateProblem
from . import _calls, _choices
from . import _causal_reference as reference
from ._calls import library
from ._geometry import DTYPES, OptionalTensor
from ._states import INDEX_DTYPES, is_addressed, strides_of

_ALIGNMENT = 16  #: Bytes that buffers are aligned to.

library.define(
    "causal_conv1d_update(Tensor x, Tensor(a!) conv_state, Tensor weight, Tensor? bias, str activation, "
    "Tensor? cache_seqlens, Tensor? conv_state_indices) -> Tensor"
)


class _Slots(typing.NamedTuple):
    """The mapping of sequences of a batch to states, where indices select states.

    An index without a state is padding: its sequence must write nothing. To do so without waiting for the device, it writes
    what the first other sequence writes, or the present contents if there is no other one.
    """

    rows: torch.Tensor  #: The row that each sequence reads; any row for padding.
    is_real: torch.Tensor
    source: torch.Tensor  #: The sequence whose state each sequence writes.

    @classmethod
    def of(cls, indices: torch.Tensor, states: int) -> _Slots:
        is_real = (indices >= 0) & (indices < states)
        everyone = torch.arange(indices.shape[0], device=indices.device)
        source = torch.where(is_real, everyone, is_real.to(torch.int8).argmax())
        return cls(indices.clamp(0, states - 1).long(), is_real, source)

    def write(self, conv_state: torch.Tensor, old: torch.Tensor, new: torch.Tensor) -> None:
        values = torch.where(self.is_real[:, None, None], new, old)[self.source]
        conv_state.index_copy_(0, self.rows[self.source], values)


def _advance(
    states: torch.Tensor, x: torch.Tensor, taps: int, cache_seqlens: OptionalTensor
) -> typing.Tuple[torch.Tensor, torch.Tensor]:
    """The tokens that the next tokens see, with those, and the states after them."""
    length, count = states.shape[2], x.shape[2]
    if cache_seqlens is None:
        everything = torch.cat([states, x], -1)
        return everything[:, :, length - taps + 1 :], everything[:, :, -length:]

    def places(first: int, last: int) -> torch.Tensor:
        """The positions of tokens in the ring buffer, counted from the first new token."""
        offsets = torch.arange(first, last, device=x.device)
        at = torch.remainder(cache_seqlens.long()[:, None] + offsets, length)
        return at[:, None].expand(-1, x.shape[1], -1)

    seen = torch.cat([states.gather(2, places(1 - taps, 0)), x], -1)
    kept = min(count, length)  # More tokens than the ring buffer holds would overwrite each other.
    return seen, states.scatter(2, places(count - kept, count), x[:, :, count - kept :])


def _compose(x, conv_state, weight, bias, activation, cache_seqlens, conv_state_indices):
    """The step as a composition of PyTorch's operators."""
    if x.shape[0] == 0:  # Nothing selects a state.
        return torch.empty_like(x)
    slots = None if conv_state_indices is None else _Slots.of(conv_state_indices, conv_state.shape[0])
    states = conv_state if slots is None else conv_state.index_select(0, slots.rows)
    seen, after = _advance(states, x, weight.shape[1], cache_seqlens)
    past = weight.shape[1] - 1
    result = reference.causal_conv1d(seen[:, :, past:], weight, bias, None, seen[:, :, :past], activation)
    if slots is None:
        conv_state.copy_(after)
        return result
    slots.write(conv_state, states, after)
    return torch.where(slots.is_real[:, None, None], result, 0)


def _refuse(x, conv_state, weight, bias, numbers) -> typing.Optional[typing.Tuple[str, str]]:
    refused = _calls.refuse([x, weight, conv_state], numbers if bias is None else [*numbers, bias])
    if refused:
        return refused
    if bias is not None and bias.dtype not in DTYPES:
        return "element-type", f"expects a bias of float32, float16 or bfloat16, but got {bias.dtype}"
    # Other operands are copied if they do not fit; this one is updated.
    if not is_addressed(conv_state) or not _fits(conv_state):
        return "alignment", f"expects a conv_state at a multiple of {_ALIGNMENT} bytes whose elements are apart, not negated"
    return None


def _fits(conv_state: torch.Tensor) -> bool:
    """Whether a kernel can update it where it is."""
    return conv_state.data_ptr() % _ALIGNMENT == 0 and not conv_state.is_neg()


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy, without overlapping elements."""
    return tensor if is_addressed(tensor) else tensor.contiguous()


@torch.library.impl(library, "causal_conv1d_update", "CPU")
@torch.library.impl(library, "causal_conv1d_update", "CUDA")
def _causal_conv1d_update(x, conv_state, weight, bias, activation, cache_seqlens, conv_state_indices):
    numbers = [tensor for tensor in (cache_seqlens, conv_state_indices) if tensor is not None]
    given = [x, weight, conv_state, *numbers, *([] if bias is None else [bias])]
    seen = [(tensor.shape, tensor.stride(), tensor.dtype, tensor.device) for tensor in given]
    key = (UpdateProblem, activation, cache_seqlens is None, bias is None, *seen)
    if _fits(conv_state):
        result = _calls.run_known(key, given)
        if result is not None:
            return result
    arguments = x, conv_state, weight, bias, activation, cache_seqlens, conv_state_indices
    refused = _refuse(x, conv_state, weight, bias, numbers)
    if refused:
        line = _calls.report_line("causal_conv1d_update", x, weight)
        _choices.leave(line, x.device, *refused).calls += 1
        return _compose(*arguments)
    result = x.new_empty(x.shape)
    positions, indices = (
        tensor if tensor is None or tensor.dtype in INDEX_DTYPES else tensor.long()
        for tensor in (cache_seqlens, conv_state_indices)
    )
    rest = [tensor.contiguous() for tensor in (positions, indices, bias) if tensor is not None]
    operands = [_plain(x), _plain(weight), conv_state, *rest]

    def choose() -> _choices.Choice:
        problem = UpdateProblem(
            *x.shape,
            weight.shape[1],
            conv_state.shape[0],
            conv_state.shape[2],
            DTYPES[x.dtype],
            "" if bias is None else DTYPES[bias.dtype],
            activation,
            "" if positions is None else INDEX_DTYPES[positions.dtype],
            "" if indices is None else INDEX_DTYPES[indices.dtype],
            (*map(strides_of, operands[:3]), strides_of(result)),
        )
        return _choices.choose(problem, x.device)

    choice = _calls.find(key, choose)
    return _calls.start(choice, given, operands, result, lambda: _compose(*arguments), key, in_place=True)


@torch.library.register_fake("conv::causal_conv1d_update", lib=library)
def _causal_conv1d_update_fake(x, conv_state, weight, bias, activation, cache_seqlens, conv_state_indices):
    return x.new_empty(x.shape)


def causal_conv1d_update(x: torch.Tensor, conv_state: torch.Tensor, weight: torch.Tensor, *rest) -> torch.Tensor:
    """`torch.ops.conv.causal_conv1d_update`, by the shortest way."""
    arguments = x, conv_state, weight, *rest
    unusual = [value for value in arguments if isinstance(value, torch.Tensor) and type(value) not in _calls.PLAIN]
    with torch.no_grad():
        if unusual and _calls.is_wrapped("causal_conv1d_update", (x, weight), unusual):
            return _compose(*arguments)
        if unusual or _calls.is_traced(x) or weight.is_meta:
            return torch.ops.conv.causal_conv1d_update(*arguments)
        return _causal_conv1d_update(*arguments)

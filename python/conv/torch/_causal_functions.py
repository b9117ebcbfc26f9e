# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the package causal-conv1d, with its signatures: causal convolutions with a filter for each channel."""

from __future__ import annotations

import typing

import torch

from . import _causal, _causal_update, _states
from ._geometry import OptionalTensor
from ._tokens import activation_name, check_starts, check_tensors, with_empty_state
from .functional import cast_for_autocast


def _check_filters(x: torch.Tensor, weight: torch.Tensor, bias: OptionalTensor) -> None:
    channels = x.shape[1]
    if weight.dim() != 2 or weight.shape[0] != channels or weight.shape[1] < 1:
        raise ValueError(f"expects weight ({channels}, W), one filter for each channel, but got {tuple(weight.shape)}")
    if bias is not None and bias.shape != (channels,):
        raise ValueError(f"expects bias ({channels}), but got {tuple(bias.shape)}")
    for name, tensor in (("x", x), ("weight", weight), ("bias", bias)):
        if tensor is not None and not (tensor.is_floating_point() and tensor.device == x.device):
            raise ValueError(
                f"expects {name} of a floating type on {x.device}, but got {tensor.dtype} on {tensor.device}"
            )


def _check_vector(name: str, tensor: OptionalTensor, shape: typing.Sequence[int]) -> None:
    if tensor is None:
        return
    is_number = not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)
    if tuple(tensor.shape) != tuple(shape) or not is_number:
        raise ValueError(f"expects {name} of integers {tuple(shape)}, but got {tensor.dtype} {tuple(tensor.shape)}")


def _final_states(x: torch.Tensor, initial_states: OptionalTensor, width: int) -> torch.Tensor:
    """The last tokens, which the next tokens will see."""
    missing = width - 1 - x.shape[2]
    if missing <= 0:
        return x[:, :, x.shape[2] - width + 1 :].clone()
    past = x.new_zeros(*x.shape[:2], missing) if initial_states is None else initial_states[:, :, -missing:]
    return torch.cat([past.to(x.dtype), x], -1)


def causal_conv1d_fn(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: OptionalTensor = None,
    seq_idx: OptionalTensor = None,
    initial_states: OptionalTensor = None,
    return_final_states: bool = False,
    final_states_out: OptionalTensor = None,
    activation: typing.Optional[str] = None,
    *,
    cu_seqlens: OptionalTensor = None,
) -> typing.Union[torch.Tensor, typing.Tuple[torch.Tensor, torch.Tensor]]:
    """Like `causal_conv1d_fn` of the package causal-conv1d: `y[b, d, t] = activation(sum over w of weight[d, w] * x[b, d, t +
    w - (W - 1)] + bias[d])`, where elements before a sequence are its initial states, or zero.

    Args:
        x: (B, D, T), contiguous or channels-last, that is, a transposed view of (B, T, D); others are copied.
        weight: (D, W). If x has another type, both are converted to the wider one; under autocast, to its type.
        bias: (D), of any of the types float32, float16 and bfloat16.
        seq_idx: (B, T), integers: neighbouring tokens with the same number are a sequence, which sees no other sequence.
            Results of negative numbers are zero, which takes one more pass. If the number of sequences is known, `cu_seqlens`
            is the faster way to separate them, above all for the gradient of weight.
        initial_states: (B, D, W - 1), or (N, D, W - 1) with cu_seqlens: the tokens that the first W - 1 tokens see.
        return_final_states: return (y, final_states), with the last W - 1 tokens, which continue a sequence, like
            initial_states.
        final_states_out: receives the final states.
        activation: None, "silu" or "swish", in the same kernel; so is its gradient.
        cu_seqlens: (N + 1), integers: x is one batch of N consecutive sequences, as for `dynamic_conv`. If x is
            NaN or infinite somewhere, all of the gradient of weight may be, since it is a sum over all sequences.

    Returns:
        y, with the memory order of x. x, weight, bias and initial_states have gradients. On the CPU, both ways are timed once
        for each problem, unless `settings.measure` is False, and the faster one stays; on a GPU as `settings.measure` says.

    Raises:
        TypeError: an operand is no tensor.
        ValueError: shapes, types or devices do not fit, seq_idx comes with states or cu_seqlens, or cu_seqlens on the CPU is
            not a list of starts.
        NotImplementedError: another activation.

    Example:
        >>> causal_conv1d_fn(torch.ones(1, 1, 4), torch.tensor([[1.0, 2.0]]))
        tensor([[[2., 3., 3., 3.]]])
    """
    name = activation_name(activation)
    names = "x weight bias seq_idx initial_states final_states_out cu_seqlens"
    check_tensors(names, 2, x, weight, bias, seq_idx, initial_states, final_states_out, cu_seqlens)
    if x.dim() != 3:
        raise ValueError(f"expects x (B, D, T), but got {tuple(x.shape)}")
    x, weight, initial_states = cast_for_autocast(x, weight, initial_states)
    _check_filters(x, weight, bias)
    batch, channels, tokens = x.shape
    width = weight.shape[1]
    _check_vector("seq_idx", seq_idx, (batch, tokens))
    if seq_idx is not None and (initial_states is not None or return_final_states):
        raise ValueError("expects seq_idx without initial_states and return_final_states, but got both")
    if seq_idx is not None and cu_seqlens is not None:
        raise ValueError("expects seq_idx or cu_seqlens, but got both")
    sequences = batch
    if cu_seqlens is not None:
        cu_seqlens = check_starts(cu_seqlens, x.transpose(1, 2))
        sequences = cu_seqlens.shape[0] - 1
    shape = sequences, channels, width - 1
    for what, states in (("initial_states", initial_states), ("final_states_out", final_states_out)):
        if states is not None and (tuple(states.shape) != shape or states.dtype != x.dtype):
            expected = f"{shape} of {x.dtype}"
            raise ValueError(f"expects {what} {expected}, but got {tuple(states.shape)} of {states.dtype}")
    seen = initial_states if width > 1 else None
    y = _causal.causal_conv1d(x, weight, bias, seq_idx, seen, name, cu_seqlens)
    if width == 1:
        y = with_empty_state(y, initial_states)
    if not return_final_states:
        return y
    if width == 1:
        states = x[:1, :, :0].expand(sequences, -1, -1)
    elif cu_seqlens is None:
        states = _final_states(x, initial_states, width)
    else:
        before = None if seen is None else seen.transpose(1, 2)
        states = _states.final_states(x.transpose(1, 2), width - 1, cu_seqlens, before).transpose(1, 2)
    return y, states if final_states_out is None else final_states_out.copy_(states)


def causal_conv1d_varlen_states(x: torch.Tensor, cu_seqlens: torch.Tensor, state_len: int) -> torch.Tensor:
    """Like `causal_conv1d_varlen_states` of the package causal-conv1d: the last tokens of packed sequences (T, D), as states
    (N, D, state_len), with zeros in front if a sequence is shorter.

    Example:
        >>> causal_conv1d_varlen_states(torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([0, 1, 3]), 2)[:, 0]
        tensor([[0., 1.],
                [2., 3.]])
    """
    check_tensors("x cu_seqlens", 2, x, cu_seqlens)
    if x.dim() != 2 or state_len < 1:
        raise ValueError(f"expects x (T, D) and a positive state_len, but got {tuple(x.shape)} and {state_len}")
    starts = check_starts(cu_seqlens, x[None])
    return _states.final_states(x[None], state_len, starts, None).transpose(1, 2)


def causal_conv1d_update(
    x: torch.Tensor,
    conv_state: torch.Tensor,
    weight: torch.Tensor,
    bias: OptionalTensor = None,
    activation: typing.Optional[str] = None,
    cache_seqlens: OptionalTensor = None,
    conv_state_indices: OptionalTensor = None,
) -> torch.Tensor:
    """Like `causal_conv1d_update` of the package causal-conv1d: the next tokens of sequences, for decoding.

    One kernel computes up to 16 tokens of each sequence and updates the states in place.

    Args:
        x: (B, D), one token of each sequence, or (B, D, T).
        conv_state: (B, D, L) of the type of x, the last L >= W - 1 tokens, updated in place. It may have any strides.
        weight, bias, activation: as for `causal_conv1d_fn`, with weight of the type of x.
        cache_seqlens: (B), integers: the state is a ring buffer, and the new tokens start at `cache_seqlens % L`. Without
            it, new tokens push out the oldest. If n of T guessed tokens are accepted, the caller advances the count by n: the
            next call overwrites the others, if L is at least T + W - 1.
        conv_state_indices: (B), integers: the sequence's index in the first dimension of conv_state, which then has any
            size. Sequences with an index outside of it, such as -1, are padding: their results are zero, and no state
            changes. Two sequences with the same index give undefined results.

    Returns:
        The results, (B, D) or (B, D, T); without gradients. Calls without a kernel (more than 16 tokens, float64, a
        conv_state that is not aligned to 16 bytes, ...) run as a composition of PyTorch's operators, and `conv.torch.report`
        says so.

    Raises:
        TypeError: an operand is no tensor.
        ValueError: shapes, types or devices do not fit.
        NotImplementedError: another activation.

    Example:
        >>> state = torch.zeros(1, 1, 1)
        >>> [causal_conv1d_update(torch.ones(1, 1), state, torch.tensor([[1.0, 2.0]])).item() for _ in range(2)]
        [2.0, 3.0]
    """
    name = activation_name(activation)
    names = "x conv_state weight bias cache_seqlens conv_state_indices"
    check_tensors(names, 3, x, conv_state, weight, bias, cache_seqlens, conv_state_indices)
    if x.dim() not in (2, 3):
        raise ValueError(f"expects x (B, D) or (B, D, T), but got {tuple(x.shape)}")
    _check_filters(x, weight, bias)
    batch, channels = x.shape[:2]
    if weight.dtype != x.dtype:
        raise ValueError(f"expects x and weight of one type, but got {x.dtype} and {weight.dtype}")
    shape = conv_state.shape
    is_fit = len(shape) == 3 and shape[1] == channels and shape[2] >= max(1, weight.shape[1] - 1)
    if not is_fit or (conv_state_indices is None and shape[0] != batch) or conv_state.dtype != x.dtype:
        raise ValueError(
            f"expects conv_state ({batch if conv_state_indices is None else '...'}, {channels}, L) of {x.dtype} with L of "
            f"at least {max(1, weight.shape[1] - 1)}, but got {tuple(shape)} of {conv_state.dtype}"
        )
    for what, vector in (("cache_seqlens", cache_seqlens), ("conv_state_indices", conv_state_indices)):
        _check_vector(what, vector, (batch,))
    tokens = x.unsqueeze(-1) if x.dim() == 2 else x
    rest = bias, name, cache_seqlens, conv_state_indices
    y = _causal_update.causal_conv1d_update(tokens, conv_state, weight, *rest)
    return y.squeeze(-1) if x.dim() == 2 else y

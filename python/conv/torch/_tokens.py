# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions that mix neighbouring tokens of a sequence: dynamic ones, and causal ones with fixed filters."""

from __future__ import annotations

import typing

import torch

from .._dynamic import ORDERS
from . import _calls, _causal, _causal_update, _choices, _dynamic, _dynamic_reference, _states
from .functional import _autocast

_ACTIVATIONS = {None: "", "silu": "silu", "swish": "silu"}


def _activation(name: typing.Optional[str]) -> str:
    """The compiler's name of an activation."""
    try:
        return _ACTIVATIONS[name]
    except KeyError:
        raise NotImplementedError(f"expects activation None, 'silu' or 'swish', but got {name!r}") from None


Optional = typing.Optional[torch.Tensor]


def _check_starts(cu_seqlens: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Where packed sequences start, as numbers that kernels take. What the host can read without waiting is checked."""
    is_list = cu_seqlens.dim() == 1 and cu_seqlens.shape[0] > 1 and x.shape[0] == 1
    is_number = not (cu_seqlens.is_floating_point() or cu_seqlens.is_complex() or cu_seqlens.dtype == torch.bool)
    if not is_list or not is_number or cu_seqlens.device != x.device:
        raise ValueError(
            f"expects cu_seqlens of two or more integers on {x.device}, for sequences packed into a batch of one, but got "
            f"{cu_seqlens.dtype} {tuple(cu_seqlens.shape)} on {cu_seqlens.device} for {x.shape[0]}"
        )
    if cu_seqlens.device.type == "cpu" and not _calls.is_traced(cu_seqlens):
        starts = cu_seqlens.tolist()
        if starts[0] != 0 or starts[-1] > x.shape[1] or any(a > b for a, b in zip(starts, starts[1:])):
            raise ValueError(
                f"expects cu_seqlens that starts at 0, does not decrease, and does not exceed the {x.shape[1]} tokens, but "
                f"got {starts if len(starts) < 20 else [*starts[:9], '...', *starts[-9:]]}"
            )
    return cu_seqlens if cu_seqlens.dtype in _states.INDEX_DTYPES else cu_seqlens.long()


def _check_kernel(x: torch.Tensor, kernel: torch.Tensor, order: str) -> int:
    """The taps of a kernel for each of the tokens."""
    if order not in ORDERS:
        raise ValueError(f"order: expects 'BTGW' or 'BTWG', but got {order!r}")
    if x.dim() != 3 or kernel.dim() != 4:
        raise ValueError(
            f"expects x (B, T, D) and kernel ({', '.join(order)}), but got {tuple(x.shape)} and {tuple(kernel.shape)}"
        )
    if x.dtype != kernel.dtype or x.device != kernel.device or not x.is_floating_point():
        raise ValueError(
            f"expects x and kernel of one floating type on one device, but got {x.dtype} on {x.device} and "
            f"{kernel.dtype} on {kernel.device}"
        )
    groups, taps = (kernel.shape[order.index(letter)] for letter in "GW")
    if kernel.shape[:2] != x.shape[:2]:
        raise ValueError(
            f"expects kernel to have B and T of x, {tuple(x.shape[:2])}, but got {tuple(kernel.shape[:2])}"
        )
    if groups < 1 or taps < 1 or x.shape[2] % groups:
        raise ValueError(
            f"expects kernel of one or more taps, for groups that divide the {x.shape[2]} channels of x, but got {taps} "
            f"taps for {groups} groups"
        )
    return taps


def dynamic_conv(
    x: torch.Tensor,
    kernel: torch.Tensor,
    *,
    order: str = "BTGW",
    activation: typing.Optional[str] = None,
    cu_seqlens: Optional = None,
    initial_state: Optional = None,
    return_final_state: bool = False,
) -> typing.Union[torch.Tensor, typing.Tuple[torch.Tensor, torch.Tensor]]:
    """A causal convolution of sequences with a kernel of W taps for each token and channel, or group of channels.

    `y[b, t, d] = activation(sum over w of kernel[b, t, d // (D / G), w] * x[b, t + w - (W - 1), d])`, where elements
    before a sequence are its initial state, or zero: the last tap is the token itself. Sums are in f32, and rounded once.

    Args:
        x: (B, T, D), of float32, float16 or bfloat16.
        kernel: (B, T, G, W) for order "BTGW", (B, T, W, G) for "BTWG", of the type of x. G divides D; G = D gives each
            channel its own kernel. "BTWG" is the order that memory likes better; a transposed view of either is taken as
            it is.
        order: "BTGW" or "BTWG".
        activation: None, "silu" or "swish", in the same kernel; so is its gradient.
        cu_seqlens: (N + 1), integers: x is one batch of N sequences that follow each other, of which sequence i has the
            tokens from `cu_seqlens[i]` to before `cu_seqlens[i + 1]`. Nothing of one reaches another one. Those of the CPU
            are checked; of others see docs/callers-contract.md.
        initial_state: (B, W - 1, D), or (N, W - 1, D) with cu_seqlens, of the type of x: the tokens before the first ones.
            There is no kernel for both: a composition of PyTorch's operators runs.
        return_final_state: return (y, final_state) too, the last W - 1 tokens, which continue a sequence.

    Returns:
        (B, T, D), contiguous. x, kernel and initial_state have gradients, through both results. It can be compiled,
        exported and batched. Operands that are not contiguous are copied first. Each shape is compiled once; what the
        compiler refuses (more than 64 taps, float64, ...) runs as a composition of PyTorch's operators, and
        `conv.torch.report` says so.

    Raises:
        ValueError: shapes, types or devices do not fit, or cu_seqlens on the CPU is no list of starts.

    Example:
        >>> x, kernel = torch.ones(1, 5, 8), torch.ones(1, 5, 8, 3)
        >>> dynamic_conv(x, kernel)[0, :, 0]
        tensor([1., 2., 3., 3., 3.])
        >>> dynamic_conv(x, kernel, cu_seqlens=torch.tensor([0, 2, 5]))[0, :, 0]
        tensor([1., 2., 1., 2., 3.])
    """
    name = _activation(activation)
    x, kernel, initial_state = _autocast(x, kernel, initial_state)
    past = _check_kernel(x, kernel, order) - 1
    sequences = x.shape[0]
    if cu_seqlens is not None:
        cu_seqlens = _check_starts(cu_seqlens, x)
        sequences = cu_seqlens.shape[0] - 1
    if initial_state is not None:
        expected = (sequences, past, x.shape[2])
        state = initial_state
        if tuple(state.shape) != expected or state.dtype != x.dtype or state.device != x.device:
            raise ValueError(
                f"expects initial_state {expected} of {x.dtype} on {x.device}, but got {tuple(state.shape)} of "
                f"{state.dtype} on {state.device}"
            )
    seen = initial_state if past > 0 else None
    if cu_seqlens is not None and seen is not None:
        line = _calls.report_line("dynamic forward", x, kernel)
        detail = "expects cu_seqlens or initial_state, but got both, for which there is no kernel"
        _choices.leave(line, x.device, "packed-states", detail).calls += 1
        y = _dynamic_reference.dynamic_conv(x, kernel, order, name, cu_seqlens, seen)
    else:
        y = _dynamic.dynamic_conv(x, kernel, order, name, cu_seqlens, seen)
    if not return_final_state:
        return y
    if past == 0:
        return y, x.new_empty(sequences, 0, x.shape[2])
    return y, _states.final_states(x, past, cu_seqlens, seen)


def _check_filters(x: torch.Tensor, weight: torch.Tensor, bias: Optional) -> None:
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


def _check_vector(name: str, tensor: Optional, shape: typing.Sequence[int]) -> None:
    if tensor is None:
        return
    if tuple(tensor.shape) != tuple(shape) or tensor.is_floating_point():
        raise ValueError(f"expects {name} of integers {tuple(shape)}, but got {tensor.dtype} {tuple(tensor.shape)}")


def _final_states(x: torch.Tensor, initial_states: Optional, width: int) -> torch.Tensor:
    """The last tokens, which the next ones will see."""
    missing = width - 1 - x.shape[2]
    if missing <= 0:
        return x[:, :, x.shape[2] - width + 1 :].clone()
    past = x.new_zeros(*x.shape[:2], missing) if initial_states is None else initial_states[:, :, -missing:]
    return torch.cat([past.to(x.dtype), x], -1)


def causal_conv1d_fn(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: Optional = None,
    seq_idx: Optional = None,
    initial_states: Optional = None,
    return_final_states: bool = False,
    final_states_out: Optional = None,
    activation: typing.Optional[str] = None,
) -> typing.Union[torch.Tensor, typing.Tuple[torch.Tensor, torch.Tensor]]:
    """As `causal_conv1d_fn` of the package causal-conv1d: `y[b, d, t] = activation(sum over w of weight[d, w] *
    x[b, d, t + w - (W - 1)] + bias[d])`, where elements before a sequence are its initial states, or zero.

    Args:
        x: (B, D, T), contiguous or channels-last, that is, a transposed view of (B, T, D); what is neither is copied.
        weight: (D, W). If x has another type, both are converted to the wider one; under autocast, to its type.
        bias: (D), of any of the types float32, float16 and bfloat16.
        seq_idx: (B, T), integers: tokens see those of the same number alone, and results of negative ones are zero. There
            is no kernel for it yet: a composition of PyTorch's operators runs.
        initial_states: (B, D, W - 1), what the first W - 1 tokens see. These tokens are convolved once more, by a small
            kernel of their own; x is not copied.
        return_final_states: return (y, final_states) too, the last W - 1 tokens (B, D, W - 1), which continue a sequence.
        final_states_out: where the final states go.
        activation: None, "silu" or "swish", in the same kernel; so is its gradient.

    Returns:
        y, like x in memory. x, weight, bias and initial_states have gradients. On the CPU, both ways are timed once for
        each problem, unless `settings.measure` is False, and the faster one stays; on a GPU as `settings.measure` says.

    Raises:
        ValueError: shapes, types or devices do not fit, or seq_idx comes with states.
        NotImplementedError: another activation.

    Example:
        >>> causal_conv1d_fn(torch.ones(1, 1, 4), torch.tensor([[1.0, 2.0]]))
        tensor([[[2., 3., 3., 3.]]])
    """
    name = _activation(activation)
    if x.dim() != 3:
        raise ValueError(f"expects x (B, D, T), but got {tuple(x.shape)}")
    x, weight, initial_states = _autocast(x, weight, initial_states)
    _check_filters(x, weight, bias)
    batch, channels, tokens = x.shape
    width = weight.shape[1]
    _check_vector("seq_idx", seq_idx, (batch, tokens))
    if seq_idx is not None and (initial_states is not None or return_final_states):
        raise ValueError("expects seq_idx without initial_states and return_final_states, but got both")
    for what, states in (("initial_states", initial_states), ("final_states_out", final_states_out)):
        if states is not None and (states.shape != (batch, channels, width - 1) or states.dtype != x.dtype):
            expected = f"{(batch, channels, width - 1)} of {x.dtype}"
            raise ValueError(f"expects {what} {expected}, but got {tuple(states.shape)} of {states.dtype}")
    seen = initial_states if width > 1 else None
    y = _causal.causal_conv1d(x, weight, bias, seq_idx, seen, name)
    if not return_final_states:
        return y
    states = _final_states(x, initial_states, width)
    return y, states if final_states_out is None else final_states_out.copy_(states)


def causal_conv1d_update(
    x: torch.Tensor,
    conv_state: torch.Tensor,
    weight: torch.Tensor,
    bias: Optional = None,
    activation: typing.Optional[str] = None,
    cache_seqlens: Optional = None,
    conv_state_indices: Optional = None,
) -> torch.Tensor:
    """As `causal_conv1d_update` of the package causal-conv1d: the next tokens of sequences, for decoding.

    One kernel does all of it, up to 16 tokens of each sequence, and updates the states in place.

    Args:
        x: (B, D), one token of each sequence, or (B, D, T).
        conv_state: (B, D, L) of the type of x, the last L >= W - 1 tokens, updated in place. It may have any strides.
        weight, bias, activation: as for `causal_conv1d_fn`, with weight of the type of x.
        cache_seqlens: (B), integers: the state is a ring, in which the new tokens go to `cache_seqlens % L` and on. Without
            it, new tokens push out the oldest. Of T tokens that were guessed, n are accepted by counting on by n: the next
            call overwrites the others, if L is at least T + W - 1.
        conv_state_indices: (B), integers: the sequence's place in the first dimension of conv_state, which then has any
            size. Sequences whose index is of no place, such as -1, are padding: their results are zero, and no state
            changes. Two sequences of one place are undefined.

    Returns:
        The results, (B, D) or (B, D, T); without gradients. What there is no kernel for (more than 16 tokens, float64, a
        conv_state that is not aligned to 16 bytes, ...) runs as a composition of PyTorch's operators, and
        `conv.torch.report` says so.

    Raises:
        ValueError: shapes, types or devices do not fit.
        NotImplementedError: another activation.

    Example:
        >>> state = torch.zeros(1, 1, 1)
        >>> [causal_conv1d_update(torch.ones(1, 1), state, torch.tensor([[1.0, 2.0]])).item() for _ in range(2)]
        [2.0, 3.0]
    """
    name = _activation(activation)
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

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dynamic convolutions as compositions of PyTorch's operators: for calls without a kernel, and for gradients of gradients.
16-bit types are computed in f32 and rounded once."""

from __future__ import annotations

import typing

import torch
import torch.nn.functional as F

from ._geometry import OptionalTensor



def wide(tensor: torch.Tensor) -> torch.Tensor:
    """Converts 16-bit types to f32."""
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def silu_slope(x: torch.Tensor) -> torch.Tensor:
    """The derivative; `aten.silu_backward` computes it too, but cannot be differentiated again."""
    share = torch.sigmoid(x)
    return share * (1 + x * (1 - share))


def _taps_last(kernel: torch.Tensor, order: str) -> torch.Tensor:
    return kernel if order == "BTGW" else kernel.transpose(2, 3)


_LEAST_SQUARE = 1e-6  #: Added to the square of a norm, so that no division is by zero.


def _norm(kernel: torch.Tensor) -> torch.Tensor:
    return (kernel.square().sum(-1, keepdim=True) + _LEAST_SQUARE).sqrt()


def _normalized(kernel: torch.Tensor, normalize: str) -> torch.Tensor:
    """The taps in the sum, from kernels whose last dimension is the taps."""
    if normalize == "softmax":
        return kernel.softmax(-1)
    return kernel / _norm(kernel) if normalize else kernel


def _normalization_gradient(grad: torch.Tensor, kernel: torch.Tensor, normalize: str) -> torch.Tensor:
    """The gradient of kernels, from the gradient of their taps."""
    if not normalize:
        return grad
    taps = _normalized(kernel, normalize)
    along = (taps * grad).sum(-1, keepdim=True)
    return taps * (grad - along) if normalize == "softmax" else (grad - taps * along) / _norm(kernel)


def delayed(x: torch.Tensor, by: int, dim: int) -> torch.Tensor:
    """The element `by` positions earlier in `dim`, for each position; zero before the first one."""
    by = min(by, x.shape[dim])
    sizes = [0, 0] * (x.dim() - 1 - dim) + [by, 0]
    return F.pad(x.narrow(dim, 0, x.shape[dim] - by), sizes)


def _advanced(x: torch.Tensor, by: int) -> torch.Tensor:
    """The element `by` tokens later, for each token; zero after the last one."""
    by = min(by, x.shape[1])
    return F.pad(x[:, by:], [0, 0] * (x.dim() - 2) + [0, by])


class Neighbours(typing.NamedTuple):
    """The places of tokens in packed sequences, as vectors of integers."""

    before: torch.Tensor  #: The number of tokens of the same sequence before each token.
    after: torch.Tensor
    sequence: torch.Tensor  #: Each token's sequence, -1 before the first one; tokens after the last one have no state.

    @classmethod
    def of(cls, cu_seqlens: torch.Tensor, tokens: int) -> Neighbours:
        places = torch.arange(tokens, device=cu_seqlens.device)
        starts = cu_seqlens.long()
        number = torch.searchsorted(starts, places, right=True)
        bounds = torch.cat([starts.new_zeros(1), starts, starts.new_full((1,), tokens)])
        return cls(places - bounds[number], bounds[number + 1] - 1 - places, number - 1)


def find_neighbours(cu_seqlens: OptionalTensor, x: torch.Tensor) -> typing.Optional[Neighbours]:
    return None if cu_seqlens is None else Neighbours.of(cu_seqlens, x.shape[1])


def _mask(x: torch.Tensor, counts: OptionalTensor, by: int) -> torch.Tensor:
    """The tokens (B, T, ...) with at least `by` neighbours, and zeros for all others."""
    if counts is None or by == 0:
        return x
    return torch.where((counts >= by).view(-1, *(1,) * (x.dim() - 2)), x, 0)


def _states_of_tokens(state: torch.Tensor, neighbours: Neighbours, by: int) -> torch.Tensor:
    """For each token, the state (N, P, D) of its packed sequence `by` tokens earlier; zeros if a token is there."""
    rows = state.shape[1] - by + neighbours.before
    is_state = (neighbours.before < by) & (neighbours.sequence >= 0) & (neighbours.sequence < state.shape[0])
    seen = state[neighbours.sequence.clamp(0, state.shape[0] - 1), rows.clamp(0, state.shape[1] - 1)]
    return torch.where(is_state[:, None], seen, 0)[None]


def _seen(x: torch.Tensor, by: int, neighbours: typing.Optional[Neighbours], state: OptionalTensor) -> torch.Tensor:
    """For each token (B, T, D), the element `by` tokens earlier: of its sequence, of its initial state, or zero."""
    if by == 0:
        return x
    if neighbours is not None:
        seen = _mask(delayed(x, by, 1), neighbours.before, by)
        return seen if state is None else seen + _states_of_tokens(state, neighbours, by)
    if state is None:
        return delayed(x, by, 1)
    past = state.shape[1]
    return torch.cat([state, x], 1)[:, past - by : past - by + x.shape[1]]


def dynamic_sum(
    x: torch.Tensor,
    kernel: torch.Tensor,
    order: str,
    cu_seqlens: OptionalTensor = None,
    initial_state: OptionalTensor = None,
    normalize: str = "",
) -> torch.Tensor:
    """The sum of products, in f32 for 16-bit types."""
    neighbours, taps = find_neighbours(cu_seqlens, x), _normalized(wide(_taps_last(kernel, order)), normalize)
    x, state = wide(x), None if initial_state is None else wide(initial_state)
    groups, width = taps.shape[2:]
    terms = [
        taps[..., w, None] * _seen(x, width - 1 - w, neighbours, state).unflatten(2, (groups, -1)) for w in range(width)
    ]
    return sum(terms).flatten(2)


def dynamic_conv(
    x: torch.Tensor,
    kernel: torch.Tensor,
    order: str,
    activation: str,
    cu_seqlens: OptionalTensor = None,
    initial_state: OptionalTensor = None,
    normalize: str = "",
) -> torch.Tensor:
    result = dynamic_sum(x, kernel, order, cu_seqlens, initial_state, normalize)
    return (F.silu(result) if activation else result).to(x.dtype)


def dynamic_sum_gradient(
    grad_output: torch.Tensor,
    x: torch.Tensor,
    kernel: torch.Tensor,
    order: str,
    cu_seqlens: OptionalTensor = None,
    initial_state: OptionalTensor = None,
    normalize: str = "",
) -> torch.Tensor:
    """The gradient of the sum in front of a silu."""
    slope = silu_slope(dynamic_sum(x, kernel, order, cu_seqlens, initial_state, normalize))
    return (wide(grad_output) * slope).to(grad_output.dtype)


def dynamic_input_gradient(
    grad_sum: torch.Tensor, kernel: torch.Tensor, order: str, cu_seqlens: OptionalTensor = None, normalize: str = ""
) -> torch.Tensor:
    neighbours = find_neighbours(cu_seqlens, grad_sum)
    after = None if neighbours is None else neighbours.after
    grad, taps = wide(grad_sum), _normalized(wide(_taps_last(kernel, order)), normalize)
    groups, width = taps.shape[2:]
    by_group = grad.unflatten(2, (groups, -1))
    terms = [
        _mask(_advanced(taps[..., w, None] * by_group, width - 1 - w), after, width - 1 - w) for w in range(width)
    ]
    return sum(terms).flatten(2).to(grad_sum.dtype)


def dynamic_kernel_gradient(
    x: torch.Tensor,
    grad_sum: torch.Tensor,
    kernel: torch.Tensor,
    order: str,
    cu_seqlens: OptionalTensor = None,
    initial_state: OptionalTensor = None,
    normalize: str = "",
) -> torch.Tensor:
    """The gradient of kernels of `kernel`'s shape, whose values matter only for normalised kernels."""
    neighbours = find_neighbours(cu_seqlens, x)
    groups, width = _taps_last(kernel, order).shape[2:]
    x, grad = wide(x), wide(grad_sum).unflatten(2, (groups, -1))
    state = None if initial_state is None else wide(initial_state)
    terms = [
        (grad * _seen(x, width - 1 - w, neighbours, state).unflatten(2, (groups, -1))).sum(-1) for w in range(width)
    ]
    result = _normalization_gradient(torch.stack(terms, -1), wide(_taps_last(kernel, order)), normalize)
    return (result if order == "BTGW" else result.transpose(2, 3)).to(grad_sum.dtype)


def _tokens_at(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """The tokens (1, T, ...) at any places: others, or zeros if there are none, where a place has no token."""
    if x.shape[1] == 0:
        x = F.pad(x, [0, 0] * (x.dim() - 2) + [0, 1])
    return x[0, places.clamp(0, x.shape[1] - 1)]


def first_tokens(x: torch.Tensor, cu_seqlens: torch.Tensor, count: int) -> torch.Tensor:
    """The first tokens of each packed sequence (1, T, ...), as (N, count, ...), with zeros after shorter ones."""
    starts = cu_seqlens.long()
    tokens = starts[:-1, None] + torch.arange(count, device=x.device)
    is_token = (tokens >= 0) & (tokens < starts[1:, None]) & (tokens < x.shape[1])
    seen = _tokens_at(x, tokens)
    return torch.where(is_token.view(*is_token.shape, *(1,) * (x.dim() - 2)), seen, 0)


def dynamic_state_gradient(
    grad_sum: torch.Tensor, kernel: torch.Tensor, order: str, cu_seqlens: OptionalTensor = None, normalize: str = ""
) -> torch.Tensor:
    """The gradient of the tokens before the first ones, (B, W - 1, D), or (N, W - 1, D) for packed sequences."""
    grad, taps = wide(grad_sum), _normalized(wide(_taps_last(kernel, order)), normalize)
    if cu_seqlens is not None:
        count = taps.shape[3] - 1
        taps = taps.expand(-1, grad.shape[1], -1, -1)
        grad, taps = first_tokens(grad, cu_seqlens, count), first_tokens(taps, cu_seqlens, count)
    groups, width = taps.shape[2:]
    by_group = grad.unflatten(2, (groups, -1))[:, : width - 1]
    result = by_group.new_zeros(grad.shape[0], width - 1, *by_group.shape[2:])
    for w in range(width - 1):  # Tap w of token t sees state t + w.
        terms = (taps[:, : by_group.shape[1], :, w, None] * by_group)[:, : width - 1 - w]
        result = result + F.pad(terms, (0, 0, 0, 0, w, width - 1 - w - terms.shape[1]))
    return result.flatten(2).to(grad_sum.dtype)


def final_states(x: torch.Tensor, cu_seqlens: OptionalTensor, initial_state: OptionalTensor, count: int) -> torch.Tensor:
    """The last `count` tokens of sequences (B, T, D), or of packed ones, after their initial states or zeros."""
    places = torch.arange(count, device=x.device)
    if cu_seqlens is None:
        past = x.new_zeros(x.shape[0], count, x.shape[2]) if initial_state is None else initial_state
        return torch.cat([past, x], 1)[:, x.shape[1] :]
    starts = cu_seqlens.long()
    first, end = starts[:-1, None], starts[1:, None]
    tokens = end - count + places
    is_token = (tokens >= first) & (tokens >= 0) & (tokens < x.shape[1])
    result = torch.where(is_token[..., None], _tokens_at(x, tokens), 0)
    if initial_state is None:
        return result
    rows = count + tokens - first
    is_state = (tokens < first) & (rows >= 0)
    seen = initial_state.gather(1, rows.clamp(0, count - 1)[..., None].expand(-1, -1, x.shape[2]))
    return torch.where(is_state[..., None], seen, result)

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions that mix neighbouring tokens of a sequence: dynamic ones, and causal ones with fixed filters."""

from __future__ import annotations

import typing

import torch

from .._dynamic import NORMALIZATIONS, ORDERS
from . import _calls, _dynamic, _states
from ._geometry import OptionalTensor
from .functional import cast_for_autocast

_ACTIVATIONS = {None: "", "silu": "silu", "swish": "silu"}


def activation_name(name: typing.Optional[str]) -> str:
    """The compiler's name of an activation."""
    try:
        return _ACTIVATIONS[name]
    except (KeyError, TypeError):  # TypeError: a list, say, is no key.
        raise NotImplementedError(f"expects activation None, 'silu' or 'swish', but got {name!r}") from None


def check_tensors(names: str, required: int, *operands: object) -> None:
    """Raises TypeError unless the first operands are tensors, and each of the others is one or None. Takes the names as one
    string: steps of decoding take a few microseconds."""
    for place, operand in enumerate(operands):
        if not isinstance(operand, torch.Tensor) and (operand is not None or place < required):
            raise TypeError(f"expects {names.split()[place]} to be a tensor, but got {type(operand).__name__}")


def check_starts(cu_seqlens: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The starts of packed sequences in the form that kernels take, checked if the host can read them without waiting."""
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
    """The kernels of all tokens, with their sizes and order."""
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


def with_empty_state(y: torch.Tensor, state: OptionalTensor) -> torch.Tensor:
    """The result, bit by bit, as a function of a state without elements, whose gradient is as empty."""
    return y if state is None or not state.requires_grad else y - state.sum()


def dynamic_conv(
    x: torch.Tensor,
    kernel: torch.Tensor,
    *,
    order: str = "BTGW",
    activation: typing.Optional[str] = None,
    normalize: typing.Optional[str] = None,
    cu_seqlens: OptionalTensor = None,
    initial_state: OptionalTensor = None,
    return_final_state: bool = False,
) -> typing.Union[torch.Tensor, typing.Tuple[torch.Tensor, torch.Tensor]]:
    """A causal convolution of sequences with a kernel of W taps for each token and channel, or group of channels.

    `y[b, t, d] = activation(sum over w of kernel[b, t, d // (D / G), w] * x[b, t + w - (W - 1), d])`, where elements
    before a sequence are its initial state, or zero: the last tap is the token itself. Sums are in f32, and rounded once.

    Args:
        kernel: (B, T, G, W) for order "BTGW", (B, T, W, G) for "BTWG", of the type of x. G divides D; G = D gives
            each channel its own kernel. "BTWG" has the faster memory accesses; a transposed view of either order is used
            without a copy.
        order: "BTGW" or "BTWG".
        activation: None, "silu" or "swish", in the same kernel; so is its gradient.
        normalize: None; "softmax", of the W taps of each kernel, as in fairseq's DynamicConv and LightweightConv; or "l2":
            kernels of length 1, `kernel / sqrt(sum of squares + 1e-6)`. In the same kernel, in f32, and so is its gradient,
            which is the gradient of `kernel` as given. All W taps count, even taps that meet no token of a sequence.
        cu_seqlens: (N + 1), integers: x is one batch of N consecutive sequences; sequence i has the
            tokens from `cu_seqlens[i]` to before `cu_seqlens[i + 1]`. No sequence affects another one. On the CPU, starts are
            checked; for other devices see docs/callers-contract.md.
        initial_state: (B, W - 1, D), or (N, W - 1, D) with cu_seqlens, of the type of x: the tokens before the first ones.
        return_final_state: return (y, final_state), with the last W - 1 tokens, which continue a sequence.

    Returns:
        (B, T, D), contiguous. x, kernel and initial_state have gradients, through both results. It can be compiled, exported
        and batched. Operands that are not contiguous are copied first. Each shape is compiled once; calls that the compiler
        refuses (more than 64 taps, float64, ...) run as a composition of PyTorch's operators, and `conv.torch.report` says
        so.

    Raises:
        TypeError: an operand is no tensor.
        ValueError: shapes, types or devices do not fit, or cu_seqlens on the CPU is not a list of starts.

    Example:
        >>> x, kernel = torch.ones(1, 5, 8), torch.ones(1, 5, 8, 3)
        >>> dynamic_conv(x, kernel)[0, :, 0]
        tensor([1., 2., 3., 3., 3.])
        >>> dynamic_conv(x, kernel, cu_seqlens=torch.tensor([0, 2, 5]))[0, :, 0]
        tensor([1., 2., 1., 2., 3.])
    """
    name = activation_name(activation)
    check_tensors("x kernel cu_seqlens initial_state", 2, x, kernel, cu_seqlens, initial_state)
    x, kernel, initial_state = cast_for_autocast(x, kernel, initial_state)
    past = _check_kernel(x, kernel, order) - 1
    if normalize not in (None, *NORMALIZATIONS):
        raise ValueError(f"normalize: expects None, 'softmax' or 'l2', but got {normalize!r}")
    sequences = x.shape[0]
    if cu_seqlens is not None:
        cu_seqlens = check_starts(cu_seqlens, x)
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
    y = _dynamic.dynamic_conv(x, kernel, order, name, cu_seqlens, seen, normalize or "")
    if past == 0:
        y = with_empty_state(y, initial_state)
    if not return_final_state:
        return y
    if past == 0:
        return y, x[:1, :0].expand(sequences, -1, -1)
    return y, _states.final_states(x, past, cu_seqlens, seen)

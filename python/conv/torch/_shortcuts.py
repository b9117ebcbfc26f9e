# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shortest way through a call of a function like an earlier one: one look-up, then its kernel.

The look-up is by the arguments as users give them. Its result is that of the long way, because everything that the long way
depends on is in the key or asked before: what observes the call, autocast, and the types of sizes.
"""

from __future__ import annotations

import typing

import torch
from torch.autograd import forward_ad

from . import _autograd, _calls, _native, _operators
from ._geometry import OptionalTensor
from ._settings import settings

_entries: typing.Dict[tuple, _autograd.Entry] = {}  #: By what identifies a call.
native_entries: typing.Dict[tuple, _autograd.Entry] = {}  #: The same by what identifies a call to `_native.forward`.
_calls.caches += [_entries, native_entries]


def _identify(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: OptionalTensor,
    sizes: tuple,
    others: tuple,
) -> typing.Optional[tuple]:
    """What identifies a call; None if it has to go the long way."""
    if (
        _calls.is_anything_traced()
        or torch._C._is_any_autocast_enabled()
        or forward_ad._current_level >= 0
        or type(input) not in _calls.PLAIN
        or type(weight) not in _calls.PLAIN
        or torch._C._is_torch_function_mode_enabled()
    ):
        return None
    key = (
        *(input.shape, input.stride(), input.dtype, input.device),
        *(weight.shape, weight.stride(), weight.dtype, weight.device),
        torch._C._get_cudnn_allow_tf32(),
        sizes,
        others,
    )
    if bias is None:
        return key
    return (*key, bias.shape, bias.stride(), bias.dtype, bias.device) if type(bias) in _calls.PLAIN else None


def _is_exact(size: object) -> bool:
    """Whether a size has a type of valid ones. Others may equal a valid one, as 1.0 equals 1."""
    return type(size) in (int, str) or (type(size) is tuple and all(type(each) is int for each in size))


def run(
    theirs: typing.Callable[..., torch.Tensor],
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: OptionalTensor,
    sizes: tuple,
    others: tuple,
    asks_library: bool = True,
) -> OptionalTensor:
    """The result of a call like an earlier one; None if it has to go the long way.

    `sizes` are as users give them, in the order of the parameters of `theirs`, PyTorch's function. The `others` are what else
    the call depends on. `asks_library` is False if the caller has asked it.
    """
    if asks_library and not torch.compiler.is_compiling() and _native.forward is not None:
        result = _native.forward(native_entries, theirs, input, weight, bias, sizes, others)
        if result is not None:
            return result
    try:
        key = _identify(input, weight, bias, sizes, others)
        entry = _entries.get(key)
    except (TypeError, RuntimeError):  # Lists have no hash, and sparse tensors no strides.
        return None
    if entry is None:
        return None
    valid, _, known, left, _ = entry
    for size, earlier in zip(sizes, valid):
        if size is not earlier and not _is_exact(size):
            return None
    if torch.is_grad_enabled() and (
        input.requires_grad or weight.requires_grad or (bias is not None and bias.requires_grad)
    ):
        return None if known is None else _autograd.track_known(input, weight, bias, entry)
    if left is not None:
        if not settings.enabled:
            return None
        left.calls += 1
        return theirs(input, weight, bias, *sizes)
    result = _calls.run_again(known, (input, weight) if bias is None else (input, weight, bias))
    if result is None:  # It has no kernel any more, or none may run now.
        _entries.pop(key, None)
        if _native.forward_key is not None:
            native_entries.pop(_native.forward_key(input, weight, bias, sizes, others), None)
    return result


def learn(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: OptionalTensor,
    sizes: tuple,
    others: tuple,
    rest: tuple,
) -> None:
    """Keeps what `run` needs for calls like this one, which went the long way. The `rest` is what follows the tensors in a call
    of the operator."""
    if not all(map(_is_exact, sizes)):
        return
    key = _identify(input, weight, bias, sizes, others)
    if key is None or key in _entries:
        return
    call = _operators.CallArguments(input, weight, bias, *rest)
    own = _operators.identify(call, call.operands())
    # PyTorch's function has no padding modes.
    left = _calls.find_left(own) if call.padding_mode == "zeros" else None
    known = None if left else _calls.get_known(own)
    if known or left:
        entry = _entries[key] = _autograd.Entry(sizes, rest, known, left, {})
        native_key = None if _native.forward_key is None else _native.forward_key(input, weight, bias, sizes, others)
        if native_key is not None:
            native_entries[native_key] = entry

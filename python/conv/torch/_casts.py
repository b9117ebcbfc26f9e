# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""16-bit copies of f32 weights under autocast, which live as long as the copies that PyTorch makes for its own operators.

PyTorch forgets its copies at the end of the outermost region of autocast, and in `torch.clear_autocast_cache`. To notice this,
it gets a tensor without elements to copy, the probe. A token is attached to the copy's node in the graph of gradients, which only
that copy keeps: when PyTorch forgets the copy, the token is gone, and a weak reference to it reports so.
"""

from __future__ import annotations

import threading
import typing
import weakref

import torch

#: By the `id` of a weight and the type: the weight, since another one may get its number; its version when it was copied,
#: since these copies, unlike PyTorch's, notice changes in place; and the copy.
_copies: typing.Dict[typing.Tuple[int, torch.dtype], typing.Tuple[weakref.ref, int, torch.Tensor]] = {}
_probes: typing.Dict[torch.device, torch.Tensor] = {}  #: What PyTorch copies for us.
_watched: typing.Dict[torch.device, weakref.ref] = {}  #: The tokens of PyTorch's copies of the probes.
#: Of two threads that attached tokens to one copy, the token of the first would go, and nothing would tell when the copy goes.
_lock = threading.RLock()


class _Token:
    pass


def _forget(_: weakref.ref) -> None:
    _copies.clear()


def _watch(device: torch.device) -> bool:
    """Has PyTorch make a copy that it forgets together with all others. False if it makes or keeps none."""
    reference = _watched.get(device)
    if reference is not None and reference() is not None:
        return True
    probe = _probes.get(device)
    if probe is None:
        probe = _probes[device] = torch.empty(1, 0, dtype=torch.float32, device=device, requires_grad=True)
    with torch.enable_grad():  # A sum saves no tensors for its gradient: hooks, such as those of checkpoints, see nothing.
        result = torch.addmm(probe, probe.new_empty(1, 1), probe.new_empty(1, 0))  # Starts no kernel.
    if result.dtype == probe.dtype:
        return False
    token = _Token()
    result.grad_fn.next_functions[0][0].metadata[__name__] = token
    reference = _watched[device] = weakref.ref(token, _forget)
    del result, token
    return reference() is not None


def _copy(weight: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    copied = weight.to(dtype)
    key = id(weight), dtype
    _copies[key] = weakref.ref(weight), weight._version, copied  # First, so that a token that dies meanwhile takes it along.
    with _lock:
        if not _watch(weight.device):
            _copies.pop(key, None)
    return copied


def cast(weight: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The weight as `dtype`, where gradients are not tracked. Of a leaf that requires gradients, one copy serves a whole region
    of autocast."""
    if weight.is_cuda and torch.cuda.is_current_stream_capturing():
        return weight.to(dtype)  # Replays of the graph need a copy of the weight as it is then.
    if not torch.is_autocast_cache_enabled():
        return weight.to(dtype)
    known = _copies.get((id(weight), dtype))
    if known is not None and known[0]() is weight and known[1] == weight._version:
        return known[2]
    if not (weight.requires_grad and weight.is_leaf):
        return weight.to(dtype)
    if not torch.is_inference_mode_enabled():
        return _copy(weight, dtype)
    with torch.inference_mode(False), torch.no_grad():  # A tensor of inference mode could not be saved for a gradient.
        return _copy(weight, dtype)

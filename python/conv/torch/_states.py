# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of final states: the last tokens of sequences, which the next tokens see."""

from __future__ import annotations

import typing

import torch

from .._states import FinalStateProblem
from . import _calls, _choices
from . import _dynamic_reference as reference
from ._calls import library
from ._geometry import DTYPES, OptionalTensor

library.define("final_states(Tensor x, int count, Tensor? cu_seqlens=None, Tensor? initial_state=None) -> Tensor")
library.define(
    "final_states_backward(Tensor grad, Tensor x, int count, Tensor? cu_seqlens, Tensor? initial_state) "
    "-> (Tensor, Tensor)"
)

INDEX_DTYPES = {torch.int32: "i32", torch.int64: "i64"}  #: Types of indices in kernels.


def strides_of(tensor: torch.Tensor) -> typing.Tuple[int, ...]:
    """The strides, where dimensions of size 1, which may have any stride, get multiples of all vectors."""
    return tuple(stride if size > 1 else 16 for size, stride in zip(tensor.shape, tensor.stride()))


def is_addressed(tensor: torch.Tensor) -> bool:
    """Whether no elements overlap: no dimension with several elements has a stride of 0."""
    return all(stride > 0 for stride in strides_of(tensor))


def _shape(x: torch.Tensor, count: int, cu_seqlens: OptionalTensor) -> typing.Tuple[int, int, int]:
    return x.shape[0] if cu_seqlens is None else cu_seqlens.shape[0] - 1, count, x.shape[2]


@torch.library.impl(library, "final_states", "CPU")
@torch.library.impl(library, "final_states", "CUDA")
def _final_states(x, count, cu_seqlens=None, initial_state=None):
    optional = tuple(tensor for tensor in (cu_seqlens, initial_state) if tensor is not None)
    given = (x, *optional)
    seen = [(tensor.shape, tensor.stride(), tensor.dtype, tensor.device) for tensor in given]
    key = (FinalStateProblem, count, cu_seqlens is None, *seen)
    result = _calls.run_known(key, given)
    if result is not None:
        return result
    result = x.new_empty(_shape(x, count, cu_seqlens))

    def theirs() -> torch.Tensor:
        return result.copy_(reference.final_states(x, cu_seqlens, initial_state, count))

    refused = _calls.refuse([x, result, *([] if initial_state is None else [initial_state])])
    if refused:
        line = _calls.report_line("final states", x, result)
        _choices.leave(line, x.device, *refused).calls += 1
        return theirs()
    operands = [x if is_addressed(x) else x.contiguous(), *(tensor.contiguous() for tensor in optional)]

    def choose() -> _choices.Choice:
        problem = FinalStateProblem(
            result.shape[0],
            x.shape[1],
            x.shape[2],
            count,
            DTYPES[x.dtype],
            starts="" if cu_seqlens is None else INDEX_DTYPES[cu_seqlens.dtype],
            initial_state=initial_state is not None,
            strides=(strides_of(operands[0]), (), ()),
        )
        return _choices.choose(problem, x.device)

    return _calls.start(_calls.find(key, choose), given, operands, result, theirs, key)


@torch.library.register_fake("conv::final_states", lib=library)
def _final_states_fake(x, count, cu_seqlens=None, initial_state=None):
    return x.new_empty(_shape(x, count, cu_seqlens))


def _gradients(grad, x, count, cu_seqlens, initial_state):
    """Both gradients, from PyTorch's automatic differentiation of the same composition: all tensors but one are small."""
    differentiable = torch.is_grad_enabled()
    with torch.enable_grad():
        given = [x.detach().requires_grad_()]
        given += [] if initial_state is None else [initial_state.detach().requires_grad_()]
        states = reference.final_states(given[0], cu_seqlens, given[1] if len(given) > 1 else None, count)
        grads = torch.autograd.grad(states, given, grad, create_graph=differentiable, materialize_grads=True)
    return grads[0].contiguous(), grads[1].contiguous() if len(grads) > 1 else x.new_empty(0)


@torch.library.impl(library, "final_states_backward", "CPU")
@torch.library.impl(library, "final_states_backward", "CUDA")
def _final_states_backward(grad, x, count, cu_seqlens, initial_state):
    return _gradients(grad, x, count, cu_seqlens, initial_state)


@torch.library.register_fake("conv::final_states_backward", lib=library)
def _final_states_backward_fake(grad, x, count, cu_seqlens, initial_state):
    nothing = x.new_empty(0)
    return x.new_empty(x.shape), nothing if initial_state is None else initial_state.new_empty(initial_state.shape)


def _setup(ctx, inputs, output):
    x, ctx.count, cu_seqlens, initial_state = (*inputs, None, None)[:4]
    ctx.save_for_backward(x, cu_seqlens, initial_state)


def _backward(ctx, grad):
    x, cu_seqlens, initial_state = ctx.saved_tensors
    # For gradients of gradients, the composition, which is linear in grad.
    is_plain = not torch.compiler.is_compiling() and (torch.is_grad_enabled() or not _calls.is_traced(grad))
    backward = _gradients if is_plain else torch.ops.conv.final_states_backward
    grads = backward(grad, x, ctx.count, cu_seqlens, initial_state)
    return grads[0], None, None, None if initial_state is None else grads[1]


torch.library.register_autograd("conv::final_states", _backward, setup_context=_setup, lib=library)


class _Eager(torch.autograd.Function):
    forward = _calls.forward_of(torch.ops.conv.final_states, _final_states)
    setup_context = staticmethod(_setup)
    backward = staticmethod(_backward)


def _composed(x, count, cu_seqlens, initial_state):
    return reference.final_states(x, cu_seqlens, initial_state, count)


_OPERATOR = _calls.Operator("final states", torch.ops.conv.final_states, _final_states, _Eager, _composed)


def final_states(x: torch.Tensor, count: int, cu_seqlens: OptionalTensor, initial_state: OptionalTensor) -> torch.Tensor:
    """`torch.ops.conv.final_states`, by the shortest way."""
    arguments = x, count, cu_seqlens, initial_state
    return _calls.dispatch(_OPERATOR, (x, x, initial_state), arguments)

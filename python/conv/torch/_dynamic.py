# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of dynamic convolutions, which have a kernel for each token."""

from __future__ import annotations

import typing

import torch

from .._dynamic import ACTIVATION, FORWARD, INPUT, KERNEL, DynamicProblem
from . import _calls, _choices
from . import _dynamic_reference as reference
from ._calls import library
from ._geometry import DTYPES

library.define("dynamic_conv(Tensor input, Tensor kernel, str order, str activation) -> Tensor")
library.define(
    "dynamic_conv_backward(Tensor grad_output, Tensor input, Tensor kernel, str order, str activation, "
    "bool[2] output_mask) -> (Tensor, Tensor)"
)


class _Kernels(typing.NamedTuple):
    """The sizes of kernels, and the order that they have in memory."""

    b: int
    t: int
    groups: int
    taps: int
    order: str
    flipped: bool  #: Whether the order in memory is the other one than that of the dimensions.

    def empty(self, like: torch.Tensor) -> torch.Tensor:
        """Kernels without values, whose memory has this order."""
        last = (self.groups, self.taps) if self.order == "BTGW" else (self.taps, self.groups)
        result = like.new_empty(self.b, self.t, *last)
        return result.transpose(2, 3) if self.flipped else result


_OTHER = {"BTGW": "BTWG", "BTWG": "BTGW"}


def _kernels(kernel: torch.Tensor, order: str) -> _Kernels:
    """A transposed view of kernels is as good as they are: the order says how it is in memory."""
    groups, taps = kernel.shape[2:] if order == "BTGW" else (kernel.shape[3], kernel.shape[2])
    flipped = not kernel.is_contiguous() and kernel.transpose(2, 3).is_contiguous()
    return _Kernels(*kernel.shape[:2], groups, taps, _OTHER[order] if flipped else order, flipped)


def _run(
    direction: str,
    given: _calls.Tensors,
    kernel: torch.Tensor,
    order: str,
    activation: str,
    theirs: _calls.Theirs,
) -> torch.Tensor:
    """The result of a direction for its operands, or what `theirs` gives. `kernel` says what kernels look like."""
    seen = [(tensor.shape, tensor.stride(), tensor.dtype, tensor.device) for tensor in given]
    key = (DynamicProblem, direction, order, activation, kernel.shape, kernel.stride(), *seen)
    result = _calls.run_known(key, given)
    if result is not None:
        return result
    first, kernels = given[0], _kernels(kernel, order)
    result = kernels.empty(kernel) if direction == KERNEL else first.new_empty(first.shape)

    def theirs_as_promised() -> torch.Tensor:
        computed = theirs()
        return computed if computed.stride() == result.stride() else result.copy_(computed)

    refused = _calls.refuse(given)
    if refused:
        line = _calls.report_line(f"dynamic {direction}", *given[:2])
        _choices.leave(line, first.device, *refused).calls += 1
        return theirs_as_promised()
    operands = [tensor if tensor is kernel and kernels.flipped else tensor.contiguous() for tensor in given]

    def choose() -> _choices.Choice:
        sizes = (*first.shape, kernels.taps, kernels.groups, kernels.order)
        problem = DynamicProblem(*sizes, dtype=DTYPES[first.dtype], direction=direction, activation=activation)
        return _choices.choose(problem, first.device)

    # The same problem, of tensors that are copied.
    copied = (DynamicProblem, direction, activation, first.shape, kernels, first.dtype, first.device)
    return _calls.start(_calls.find(copied, choose), given, operands, result, theirs_as_promised, key)


@torch.library.impl(library, "dynamic_conv", "CPU")
@torch.library.impl(library, "dynamic_conv", "CUDA")
def _dynamic_conv(input, kernel, order, activation):  # noqa: A002
    def theirs():
        return reference.dynamic_conv(input, kernel, order, activation)

    return _run(FORWARD, (input, kernel), kernel, order, activation, theirs)


@torch.library.register_fake("conv::dynamic_conv", lib=library)
def _dynamic_conv_fake(input, kernel, order, activation):  # noqa: A002
    return input.new_empty(input.shape)


@torch.library.impl(library, "dynamic_conv_backward", "CPU")
@torch.library.impl(library, "dynamic_conv_backward", "CUDA")
def _dynamic_conv_backward(grad_output, input, kernel, order, activation, output_mask):  # noqa: A002
    grad = grad_output.contiguous()

    def grad_sum():
        return reference.dynamic_sum_gradient(grad_output, input, kernel, order)

    def grad_input():
        return reference.dynamic_input_gradient(grad, kernel, order)

    def grad_kernel():
        return reference.dynamic_kernel_gradient(input, grad, kernel, order)

    if activation and any(output_mask):
        grad = _run(ACTIVATION, (input, kernel, grad), kernel, order, activation, grad_sum)
    return (
        _run(INPUT, (grad, kernel), kernel, order, "", grad_input) if output_mask[0] else input.new_empty(0),
        _run(KERNEL, (input, grad), kernel, order, "", grad_kernel) if output_mask[1] else input.new_empty(0),
    )


@torch.library.register_fake("conv::dynamic_conv_backward", lib=library)
def _dynamic_conv_backward_fake(grad_output, input, kernel, order, activation, output_mask):  # noqa: A002
    return (
        input.new_empty(input.shape) if output_mask[0] else input.new_empty(0),
        _kernels(kernel, order).empty(kernel) if output_mask[1] else kernel.new_empty(0),
    )


def _setup(ctx, inputs, output):
    input, kernel, ctx.order, ctx.activation = inputs  # noqa: A001
    ctx.save_for_backward(input, kernel)


def _reference_gradients(grad, input, kernel, order, activation, mask):  # noqa: A002
    """Both gradients, which can be differentiated again."""
    if activation:
        grad = reference.dynamic_sum_gradient(grad, input, kernel, order)
    return (
        reference.dynamic_input_gradient(grad, kernel, order) if mask[0] else None,
        reference.dynamic_kernel_gradient(input, grad, kernel, order) if mask[1] else None,
    )


def _backward(ctx, grad_output):
    input, kernel = ctx.saved_tensors  # noqa: A001
    mask = list(ctx.needs_input_grad[:2])
    if torch.is_grad_enabled() and not torch.compiler.is_compiling():  # For gradients of gradients.
        backward = _reference_gradients
    else:
        is_traced = _calls.is_traced(grad_output)
        backward = torch.ops.conv.dynamic_conv_backward if is_traced else _dynamic_conv_backward
    grads = backward(grad_output, input, kernel, ctx.order, ctx.activation, mask)
    return (*(grad if wanted else None for grad, wanted in zip(grads, mask)), None, None)


torch.library.register_autograd("conv::dynamic_conv", _backward, setup_context=_setup, lib=library)


def _vmap(info, in_dims, input, kernel, order, activation):  # noqa: A002
    """A batch of batches is a larger batch."""

    def in_front(tensor, dim):
        return tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)

    both = [in_front(tensor, dim).flatten(0, 1) for tensor, dim in zip((input, kernel), in_dims)]
    result = torch.ops.conv.dynamic_conv(*both, order, activation)
    return result.unflatten(0, (info.batch_size, -1)), 0


torch.library.register_vmap("conv::dynamic_conv", _vmap, lib=library)


class _Eager(torch.autograd.Function):
    forward = staticmethod(_dynamic_conv)
    setup_context = staticmethod(_setup)
    backward = staticmethod(_backward)
    vmap = staticmethod(_vmap)


def dynamic_conv(input: torch.Tensor, kernel: torch.Tensor, order: str, activation: str) -> torch.Tensor:  # noqa: A002
    """`torch.ops.conv.dynamic_conv`, by the shortest way."""
    arguments = input, kernel, order, activation
    return _calls.dispatch(torch.ops.conv.dynamic_conv, _dynamic_conv, _Eager, arguments[:2], arguments)

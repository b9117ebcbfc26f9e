# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of dynamic convolutions, with a kernel for each token."""

from __future__ import annotations

import functools
import typing

import torch
from torch._C._functorch import TransformType

from .._dynamic import ACTIVATION, FORWARD, INPUT, KERNEL, STATE, DynamicProblem
from . import _calls, _choices
from . import _dynamic_reference as reference
from ._calls import library
from ._geometry import DTYPES, OptionalTensor
from ._states import INDEX_DTYPES

library.define(
    "dynamic_conv(Tensor input, Tensor kernel, str order, str activation, Tensor? cu_seqlens=None, "
    "Tensor? initial_state=None, str normalize='') -> Tensor"
)
library.define(
    "dynamic_conv_backward(Tensor grad_output, Tensor input, Tensor kernel, str order, str activation, "
    "Tensor? cu_seqlens, Tensor? initial_state, str normalize, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"
)

class _Kernels(typing.NamedTuple):
    """The sizes of kernels, and their order in memory."""

    b: int
    t: int
    groups: int
    taps: int
    order: str
    flipped: bool  #: Whether the order in memory differs from the order of the dimensions.

    def empty(self, like: torch.Tensor) -> torch.Tensor:
        """Kernels without values, with this order in memory."""
        last = (self.groups, self.taps) if self.order == "BTGW" else (self.taps, self.groups)
        result = like.new_empty(self.b, self.t, *last)
        return result.transpose(2, 3) if self.flipped else result


_OTHER = {"BTGW": "BTWG", "BTWG": "BTGW"}


def _kernels(kernel: torch.Tensor, order: str) -> _Kernels:
    """A transposed view of kernels needs no copy: the order describes its memory."""
    groups, taps = kernel.shape[2:] if order == "BTGW" else (kernel.shape[3], kernel.shape[2])
    flipped = not kernel.is_contiguous() and kernel.transpose(2, 3).is_contiguous()
    return _Kernels(*kernel.shape[:2], groups, taps, _OTHER[order] if flipped else order, flipped)


class Call(typing.NamedTuple):
    """The operands, as in the schema."""

    input: torch.Tensor
    kernel: torch.Tensor
    order: str
    activation: str
    cu_seqlens: OptionalTensor = None
    initial_state: OptionalTensor = None
    normalize: str = ""
    bias: OptionalTensor = None
    one_kernel: bool = False  #: Whether all tokens share one kernel, in a tensor (1, 1, ...).


def run(
    direction: str,
    first: torch.Tensor,
    second: torch.Tensor,
    call: Call,
    theirs: _calls.Theirs,
    *more: torch.Tensor,
    doubtful: bool = False,
) -> torch.Tensor:
    """The result of a direction for its first two operands and the `more` ones, or what `theirs` gives."""
    kernel, order = call.kernel, call.order
    activation = call.activation if direction in (FORWARD, ACTIVATION) else ""
    starts = call.cu_seqlens
    state = None if direction in (INPUT, STATE) else call.initial_state
    bias = call.bias if direction in (FORWARD, ACTIVATION) else None
    optional = tuple(tensor for tensor in (starts, state) if tensor is not None)
    given = (first, second, *optional, *more, *(() if bias is None else (bias,)))
    seen = [(tensor.shape, tensor.stride(), tensor.dtype, tensor.device) for tensor in given]
    flags = starts is None, bias is None, call.one_kernel
    key = (DynamicProblem, direction, order, activation, call.normalize, kernel.shape, kernel.stride(), *flags, *seen)
    result = _calls.run_known(key, given)
    if result is not None:
        return result
    kernels = _kernels(kernel, order)
    if direction == KERNEL:
        result = kernels.empty(kernel)
    elif direction == STATE:
        sequences = first.shape[0] if starts is None else starts.shape[0] - 1
        result = first.new_empty(sequences, kernels.taps - 1, first.shape[2])
    else:
        result = first.new_empty(first.shape)

    theirs = _calls.promising(result, theirs)
    others = [tensor for tensor in (starts, bias) if tensor is not None]
    factors = [tensor for tensor in given if not any(tensor is other for other in others)]
    refused = _calls.refuse(factors, others)
    if refused is None and bias is not None and bias.dtype not in DTYPES:
        refused = "element-type", f"expects a bias of float32, float16 or bfloat16, but got {bias.dtype}"
    if refused:
        line = _calls.report_line(f"dynamic {direction}", first, second)
        _choices.leave(line, first.device, *refused).calls += 1
        return theirs()
    operands = [tensor if tensor is kernel and kernels.flipped else tensor.contiguous() for tensor in given]

    def choose() -> _choices.Choice:
        sizes = (*first.shape, kernels.taps, kernels.groups, kernels.order)
        problem = DynamicProblem(
            *sizes,
            dtype=DTYPES[first.dtype],
            direction=direction,
            activation=activation,
            starts=0 if starts is None else starts.shape[0],
            starts_dtype="i32" if starts is None else INDEX_DTYPES[starts.dtype],
            initial_state=state is not None,
            one_kernel=call.one_kernel,
            bias="" if bias is None else DTYPES[bias.dtype],
            normalize=call.normalize,
        )
        return _choices.choose(problem, first.device)

    # The problem for copies of the tensors.
    packed = None if starts is None else (starts.shape, starts.dtype)
    of_bias = None if bias is None else bias.dtype
    same = call.normalize, state is None, of_bias, call.one_kernel
    copied = (DynamicProblem, direction, activation, first.shape, kernels, packed, *same)
    choice = _calls.find((*copied, first.dtype, first.device), choose)
    return _calls.start(choice, given, operands, result, theirs, key, doubtful)


@torch.library.impl(library, "dynamic_conv", "CPU")
@torch.library.impl(library, "dynamic_conv", "CUDA")
def _dynamic_conv(*arguments):
    call = Call(*arguments)
    return run(FORWARD, call.input, call.kernel, call, lambda: reference.dynamic_conv(*call[:7]))


@torch.library.register_fake("conv::dynamic_conv", lib=library)
def _dynamic_conv_fake(input, kernel, order, activation, cu_seqlens=None, initial_state=None, normalize=""):  # noqa: A002
    return input.new_empty(input.shape)


@torch.library.impl(library, "dynamic_conv_backward", "CPU")
@torch.library.impl(library, "dynamic_conv_backward", "CUDA")
def _dynamic_conv_backward(grad_output, *arguments):
    *operands, mask = arguments
    call = Call(*operands)
    rest, normalize = (call.order, call.cu_seqlens), call.normalize
    grad = grad_output.contiguous()
    if call.activation and any(mask):
        seen = call.input, call.kernel, *rest, call.initial_state, normalize
        theirs = functools.partial(reference.dynamic_sum_gradient, grad_output, *seen)
        grad = run(ACTIVATION, call.input, call.kernel, call, theirs, grad)
    results = [call.input.new_empty(0) for _ in mask]  # No shared tensor: results of operators do not alias.
    if mask[0]:
        theirs = functools.partial(reference.dynamic_input_gradient, grad, call.kernel, *rest, normalize)
        results[0] = run(INPUT, grad, call.kernel, call, theirs)
    if mask[1]:
        seen = call.input, grad, call.kernel, *rest, call.initial_state, normalize
        theirs = functools.partial(reference.dynamic_kernel_gradient, *seen)
        results[1] = run(KERNEL, call.input, grad, call, theirs, *((call.kernel,) if normalize else ()))
    if mask[2]:
        theirs = functools.partial(reference.dynamic_state_gradient, grad, call.kernel, *rest, normalize)
        results[2] = run(STATE, grad, call.kernel, call, theirs)
    return tuple(results)


@torch.library.register_fake("conv::dynamic_conv_backward", lib=library)
def _dynamic_conv_backward_fake(grad_output, *arguments):
    *operands, mask = arguments
    call = Call(*operands)
    nothing = [call.input.new_empty(0) for _ in mask]
    return (
        call.input.new_empty(call.input.shape) if mask[0] else nothing[0],
        _kernels(call.kernel, call.order).empty(call.kernel) if mask[1] else nothing[1],
        call.initial_state.new_empty(call.initial_state.shape) if mask[2] else nothing[2],
    )


def _setup(ctx, inputs, output):
    call = Call(*inputs)
    ctx.order, ctx.activation, ctx.normalize = call.order, call.activation, call.normalize
    ctx.save_for_backward(call.input, call.kernel, call.cu_seqlens, call.initial_state)


def _reference_gradients(grad, input, kernel, order, activation, cu_seqlens, initial_state, normalize, mask):  # noqa: A002
    """All gradients, which can be differentiated again."""
    rest = cu_seqlens, initial_state, normalize
    if activation:
        grad = reference.dynamic_sum_gradient(grad, input, kernel, order, *rest)
    return (
        reference.dynamic_input_gradient(grad, kernel, order, cu_seqlens, normalize) if mask[0] else None,
        reference.dynamic_kernel_gradient(input, grad, kernel, order, *rest) if mask[1] else None,
        reference.dynamic_state_gradient(grad, kernel, order, cu_seqlens, normalize) if mask[2] else None,
    )


def _backward(ctx, grad_output):
    input, kernel, cu_seqlens, initial_state = ctx.saved_tensors  # noqa: A001
    needed = ctx.needs_input_grad
    mask = [needed[0], needed[1], initial_state is not None and needed[5]]
    if torch.is_grad_enabled() and not torch.compiler.is_compiling():  # For gradients of gradients.
        backward = _reference_gradients
    else:
        is_traced = _calls.is_traced(grad_output)
        backward = torch.ops.conv.dynamic_conv_backward if is_traced else _dynamic_conv_backward
    call = Call(input, kernel, ctx.order, ctx.activation, cu_seqlens, initial_state, ctx.normalize)
    grads = backward(grad_output, *call[:7], mask)
    grad_input, grad_kernel, grad_state = (grad if wanted else None for grad, wanted in zip(grads, mask))
    return grad_input, grad_kernel, None, None, None, grad_state, None


torch.library.register_autograd("conv::dynamic_conv", _backward, setup_context=_setup, lib=library)


def _vmap_by(convolve):
    """The rule of vmap, which computes by calls of `convolve`; there are two, as `_autograd.vmap_by` explains."""

    def vmap(info, in_dims, input, kernel, order, activation, cu_seqlens=None, initial_state=None, normalize=""):  # noqa: A002
        """A batch of batches is a larger batch; packed sequences cannot be batched, and are computed one after another."""

        def in_front(tensor, dim):
            return tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)

        tensors = [input, kernel, cu_seqlens, initial_state]
        dims = [*in_dims[:2], *in_dims[4:], None, None][:4]
        each = [tensor if tensor is None else in_front(tensor, dim) for tensor, dim in zip(tensors, dims)]
        if cu_seqlens is not None:
            states = [None] * info.batch_size if each[3] is None else each[3]
            results = [
                convolve(each[0][n], each[1][n], order, activation, each[2][n], states[n], normalize)
                for n in range(info.batch_size)
            ]
            return torch.stack(results), 0
        flat = [tensor if tensor is None else tensor.flatten(0, 1) for tensor in each]
        result = convolve(*flat[:2], order, activation, None, flat[3], normalize)
        return result.unflatten(0, (info.batch_size, -1)), 0

    return vmap


torch.library.register_vmap("conv::dynamic_conv", _vmap_by(torch.ops.conv.dynamic_conv), lib=library)


class _Eager(torch.autograd.Function):
    forward = _calls.forward_of(torch.ops.conv.dynamic_conv, _dynamic_conv)
    setup_context = staticmethod(_setup)
    backward = staticmethod(_backward)
    vmap = staticmethod(_vmap_by(lambda *arguments: dynamic_conv(*arguments)))


_OPERATOR = _calls.Operator(
    *("dynamic_conv", torch.ops.conv.dynamic_conv, _dynamic_conv, _Eager, reference.dynamic_conv),
    (TransformType.Grad, TransformType.Vmap),
)


def dynamic_conv(
    input: torch.Tensor,  # noqa: A002
    kernel: torch.Tensor,
    order: str,
    activation: str,
    cu_seqlens: OptionalTensor = None,
    initial_state: OptionalTensor = None,
    normalize: str = "",
) -> torch.Tensor:
    """`torch.ops.conv.dynamic_conv`, by the shortest way."""
    arguments = input, kernel, order, activation, cu_seqlens, initial_state, normalize
    tensors = input, kernel, initial_state
    return _calls.dispatch(_OPERATOR, tensors, arguments)

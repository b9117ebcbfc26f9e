# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients, tangents and batches of `torch.ops.conv.convolution`, and the shortest way to call it."""

from __future__ import annotations

import typing

import torch
from torch._C._functorch import TransformType
from torch._library.autograd import Info, make_autograd_impl
from torch.autograd import forward_ad

from . import _calls, _casts, _choices, _gradients, _native, _reference
from ._calls import library
from ._operators import CallArguments, convolution_kernel, convolve, make_window

_INFERENCE = (
    "expects a convolution without residual and activation in its kernel, but got one of conv.torch.optimize, "
    "which is for inference: train with conv.torch.replace"
)


def setup(ctx, inputs, output):
    input, weight, _, *rest = inputs  # noqa: A002
    ctx.save_for_forward(input, weight)
    ctx.result_shape = output.shape
    _keep(ctx, input, weight, list(map(_calls.as_key, rest)))


def _keep(ctx, input, weight, rest):  # noqa: A002
    """Keeps what `gradients` reads; the `rest` is what follows the tensors in a call of the operator."""
    ctx.save_for_backward(input, weight)
    _keep_rest(ctx, rest)


def _keep_rest(ctx, rest):
    ctx.move, ctx.max_error = rest[:8], rest[11]
    ctx.is_fused = rest[8] is not None or rest[9] != ""


def gradients(ctx, grad_output, wide=None, saved=None):
    """The gradients of image, filter and bias; None for those that nobody needs. A `wide` filter is the f32 one of which a
    16-bit copy was multiplied. Tensors that were `saved` are read here, unless they were: a hook may refuse a second time."""
    if ctx.is_fused:
        raise NotImplementedError(_INFERENCE)
    input, weight = ctx.saved_tensors if saved is None else saved  # noqa: A001
    mask = ctx.needs_input_grad[:3]
    if torch.is_grad_enabled() and not torch.compiler.is_compiling():  # For gradients of gradients.
        stride, low, high, dilation, transposed, output_padding, groups, padding_mode = ctx.move
        window = make_window(stride, low, high, dilation, groups, padding_mode)
        operands = grad_output, input, weight if wide is None else wide.read().to(input.dtype)
        grads = _reference.gradients(*operands, window, transposed, output_padding, mask[:2])
        return *grads, grad_output.sum(dim=[0, *range(2, grad_output.dim())]) if mask[2] else None
    weight_dtype = weight.dtype if wide is None else wide.tensor.dtype
    if _calls.is_traced(grad_output):
        return _gradients.trace(grad_output, input, weight, ctx.move, mask, ctx.max_error, weight_dtype)
    return _gradients.compute(grad_output, input, weight, ctx.move, mask, ctx.max_error, weight_dtype)


def backward(ctx, grad_output):
    return *gradients(ctx, grad_output), *(None,) * 12


torch.library.register_autograd("conv::convolution", backward, setup_context=setup, lib=library)
_track = make_autograd_impl(torch.ops.conv.convolution.default, Info(backward, setup))


def _composed(*arguments):
    return CallArguments(*arguments).reference()


class _TracedMixed(torch.autograd.Function):
    """The operator on a 16-bit image and an f32 filter, as `torch.compile` traces it: the cast of the filter is an operator of
    the graph, and its gradient is not cast. Dynamo sees the operator alone: PyTorch caches no graphs with autograd functions."""

    @staticmethod
    def forward(ctx, input, weight, bias, *rest):  # noqa: A002
        narrow = weight.to(input.dtype)
        _keep(ctx, input, narrow, rest)
        ctx.weight_dtype = weight.dtype
        return torch.ops.conv.convolution(input, narrow, bias, *rest)

    @staticmethod
    def backward(ctx, grad_output):
        if ctx.is_fused:
            raise NotImplementedError(_INFERENCE)
        mask = ctx.needs_input_grad[:3]
        grads = _gradients.trace(grad_output, *ctx.saved_tensors, ctx.move, mask, ctx.max_error, ctx.weight_dtype)
        return *grads, *(None,) * 12


_apply_mixed = _calls.apply_of(_TracedMixed)


def _autograd(keys, *arguments):
    """The operator's autograd for tensors with data. If gradients are disabled, it calls the kernel directly, because going
    through the dispatcher a second time takes 10 us. Below torch.func's transforms, which have no rule for it, PyTorch's own
    operators run."""
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return _composed(*arguments)
    if arguments[0].dtype != arguments[1].dtype and arguments[1].dtype == torch.float32:
        apply = _apply_mixed if _calls.is_traced(arguments[0]) else _calls.apply_of(_Mixed)
        return apply(*map(_calls.as_key, CallArguments(*arguments)))
    if torch.is_grad_enabled() or _calls.is_traced(arguments[0]) or _calls.is_special(arguments[1]):
        return _track(keys, *arguments)
    return convolution_kernel(*arguments)


for _key in ("AutogradCPU", "AutogradCUDA"):
    library.impl("convolution", _autograd, _key, with_keyset=True)


def vmap_by(convolution):
    """The rule of vmap, which computes by calls of `convolution`: those of an operator cannot call autograd functions, and those
    of an autograd function cannot call operators, of which other transforms know no gradient."""

    def vmap(info, in_dims, *arguments, **named):
        """A batch of batches of images is a larger batch, unless each has its own filter or there is a residual: then they
        are computed one after another."""
        call = CallArguments(*map(_calls.as_key, arguments), **named)
        if in_dims[0] is not None and in_dims[1] is None and in_dims[2] is None and call.residual is None:
            images = call.input.movedim(in_dims[0], 0)
            result = convolution(*call._replace(input=images.flatten(0, 1)))
            return result.unflatten(0, images.shape[:2]), 0

        def at(tensor, dim, index):
            return tensor.select(dim, index) if isinstance(tensor, torch.Tensor) and dim is not None else tensor

        dims = (*in_dims, *(None,) * (len(call) - len(in_dims)))
        results = [
            convolution(*(at(value, dim, index) for value, dim in zip(call, dims))) for index in range(info.batch_size)
        ]
        return torch.stack(results), 0

    return vmap


vmap = vmap_by(torch.ops.conv.convolution)
torch.library.register_vmap("conv::convolution", vmap, lib=library)


def jvp(ctx, input_tangent, weight_tangent, bias_tangent, *_):
    """The tangent of the result: the convolution is linear in the image, in the filter and in the bias."""
    if ctx.is_fused:
        raise NotImplementedError(_INFERENCE)
    input, weight = ctx.saved_tensors  # noqa: A001
    window, tangents = (*ctx.move, None, "", 0.01, ctx.max_error), []
    if input_tangent is not None:
        tangents.append(convolution(input_tangent, weight, None, *window))
    if weight_tangent is not None:
        tangents.append(convolution(input, weight_tangent, None, *window))
    if bias_tangent is not None:
        tangents.append(bias_tangent.view(-1, *(1,) * (input.dim() - 2)).expand(ctx.result_shape))
    return sum(tangents[1:], tangents[0])


def _traced(*arguments):
    """What tracers see: the operator, or PyTorch's own operators for ONNX, which knows no others."""
    if torch.onnx.is_in_onnx_export():
        return _composed(*arguments)
    return torch.ops.conv.convolution(*arguments)


class Eager(torch.autograd.Function):
    """The operator's autograd without PyTorch's dispatcher, which costs an operator in Python 100 us a call."""

    forward = _calls.forward_of(_traced, convolve)
    setup_context = staticmethod(setup)
    backward = staticmethod(backward)
    jvp = staticmethod(jvp)
    vmap = staticmethod(vmap_by(lambda *arguments: convolution(*arguments)))


class _Wide(typing.NamedTuple):
    """An f32 weight whose gradient needs only the 16-bit copy. Gradients of that gradient need the weight itself; until
    then it may be changed in place, as PyTorch's autocast allows it."""

    tensor: torch.Tensor
    version: int

    def read(self) -> torch.Tensor:
        if self.tensor._version != self.version:
            raise RuntimeError("expects an unchanged weight for gradients of gradients, but it was changed in place")
        return self.tensor


class _Mixed(torch.autograd.Function):
    """Like `Eager`, for a 16-bit image and f32 parameters: kernels take the f32 bias, and write f32 gradients of the
    parameters, so that neither is cast."""

    @staticmethod
    def forward(ctx, input, weight, *rest):  # noqa: A002
        narrow = _casts.cast(weight, input.dtype)
        result = convolve(input, narrow, *rest)
        _keep(ctx, input, narrow, rest[1:])
        ctx.wide = _Wide(weight, weight._version)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return *gradients(ctx, grad_output, ctx.wide), *(None,) * 12


class Entry(typing.NamedTuple):
    """A call of a function that `_shortcuts` knows."""

    valid: tuple  #: Its sizes, as a user gave them.
    rest: tuple  #: What follows the tensors in a call of the operator.
    known: typing.Optional[_calls.Known]  #: Its kernel, or else:
    left: typing.Optional[_choices.Choice]  #: The choice of PyTorch's.
    ways: typing.Dict[bytes, typing.Optional[tuple]]  #: Of `_Native`. None: the gradients go the long way.


def _convolve_again(input, weight, bias, entry):  # noqa: A002
    result = _calls.run_again(entry.known, (input, weight) if bias is None else (input, weight, bias))
    return convolve(input, weight, bias, *entry.rest) if result is None else result


class _Tracked(torch.autograd.Function):
    """Like `Eager`, for a call like an earlier one, which nothing but autograd observes."""

    @staticmethod
    def forward(ctx, input, weight, bias, entry):  # noqa: A002
        result = _convolve_again(input, weight, bias, entry)
        ctx.save_for_backward(input, weight)
        ctx.entry = entry
        return result

    @staticmethod
    def backward(ctx, grad_output, saved=None):
        _keep_rest(ctx, ctx.entry.rest)
        return *gradients(ctx, grad_output, None, saved), None


class _Native(_Tracked):
    """`_Tracked` with a forward of `_native`, and a node that calls it back."""


def _find_gradients(ctx, grad_output, saved):
    """What the backward of `_Tracked` returns; later calls like this one are those of `_native`."""
    grads = _Tracked.backward(ctx, grad_output, saved)
    key = _native.backward_key(ctx.needs_input_grad, grad_output, *saved)
    if key is not None:
        ways = ctx.entry.ways
        ways[key] = _gradients.find_way(grad_output, *saved, ctx.move, ctx.needs_input_grad[:3], ctx.max_error)
    return grads


#: The result of a call like that of an `Entry`, and its gradients: of the tensors, where the third may be None, and the entry.
track_known = _calls.apply_of(_Tracked)
_native.set_up(_native.Tracked(_Native, _calls.apply_of(_Native), _convolve_again, _find_gradients))


@torch.compiler.assume_constant_result  # Dynamo has its own answers to these questions, which are always yes.
def _keeps_parameters() -> bool:
    """Whether graphs that `torch.compile` traces may have f32 parameters of 16-bit images. Graphs of `torch.export` are for others,
    and transforms of torch.func have no rule for them."""
    return not torch.compiler.is_exporting() and torch._C._functorch.peek_interpreter_stack() is None


def takes_mixed(*tensors) -> bool:
    """Whether `convolution` takes a 16-bit image with f32 parameters: only if nothing but autograd observes the call."""
    if torch.compiler.is_compiling():
        is_traced = torch.compiler.is_dynamo_compiling() and _keeps_parameters()
        return is_traced and not any(map(_calls.is_special, tensors))
    return not (_calls.is_anything_traced() or forward_ad._current_level >= 0 or any(map(_calls.is_special, tensors)))


TRANSFORMS = TransformType.Grad, TransformType.Vmap, TransformType.Jvp
_OPERATOR = _calls.Operator("convolution", _traced, convolve, Eager, _composed, TRANSFORMS)


def convolution(input, weight, bias, *rest):  # noqa: A002
    """`torch.ops.conv.convolution`, by the shortest way. Sizes are tuples. Types may be mixed as `takes_mixed` says."""
    arguments = input, weight, bias, *rest
    if len(arguments) < len(CallArguments._fields):
        arguments += tuple(CallArguments._field_defaults.values())[len(arguments) - len(CallArguments._fields) :]
    if weight.dtype != input.dtype:
        if torch.compiler.is_compiling():
            return torch.ops.conv.convolution(*arguments)
        is_tracked = any(tensor is not None and tensor.requires_grad for tensor in (input, weight, bias))
        if is_tracked and torch.is_grad_enabled():
            return _calls.apply_of(_Mixed)(*arguments)
        return convolve(input, _casts.cast(weight, input.dtype), *arguments[2:])
    return _calls.dispatch(_OPERATOR, (input, weight, bias, arguments[11]), arguments)

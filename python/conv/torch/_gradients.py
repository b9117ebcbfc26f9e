# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradients of a convolution: `torch.ops.conv.convolution_backward`, and the shortest way to compute them.

The first call chooses what computes each gradient; later calls like it find both choices with one look-up.
"""

from __future__ import annotations

import functools
import typing

import torch

from . import _calls, _choices, _operators, _reference
from ._calls import library
from ._geometry import DATA, FORWARD, WEIGHT, OptionalTensor, Window, memory_format_of
from ._settings import settings

library.define(
    "convolution_backward(Tensor grad_output, Tensor input, Tensor weight, "
    f"{_operators.WINDOW}, str padding_mode, bool[3] output_mask, float max_error=0.0, *, ScalarType? weight_dtype=None) "
    "-> (Tensor, Tensor, Tensor)"
)

Mask = typing.Sequence[bool]
Gradients = typing.Tuple[OptionalTensor, OptionalTensor, OptionalTensor]


class Ways(typing.NamedTuple):
    """What computes the gradients of a call, by place: 0 is the image's, 1 the filter's."""

    kernels: typing.List[typing.Tuple[int, _calls.Known]]
    left: typing.Dict[int, _choices.Choice]  #: Of the gradients that PyTorch computes.
    #: The format to which the output's gradient is copied first; None if kernels take it as it is.
    copied: typing.Optional[torch.memory_format]


_ways: typing.Dict[tuple, Ways] = {}  #: By what identifies a call.
_calls.caches.append(_ways)


class _Call(typing.NamedTuple):
    """One call. `move` is what follows the tensors in the operator's schema, through `padding_mode`, of tuples."""

    grad_output: torch.Tensor
    input: torch.Tensor
    weight: torch.Tensor
    move: typing.Sequence[object]
    mask: Mask
    max_error: float
    weight_dtype: torch.dtype

    def factors(self) -> typing.Tuple[_calls.Tensors, _calls.Tensors]:
        """The operands of each gradient's kernel."""
        return _factors(self.grad_output, self.input, self.weight, self.move[4])

    def window(self) -> Window:
        stride, low, high, dilation, _, _, groups, padding_mode = self.move
        return _operators.make_window(stride, low, high, dilation, groups, padding_mode)

    def theirs(self, mask: Mask) -> typing.Sequence[OptionalTensor]:
        """Gradients of image and filter by PyTorch."""
        transposed, output_padding = self.move[4:6]
        grads = _reference.gradients(*self[:3], self.window(), transposed, output_padding, mask)
        # Under autocast, that of the filter has the type of the parameter.
        return grads[0], grads[1].to(self.weight_dtype) if mask[1] else None


def _factors(grad_output, input, weight, transposed):  # noqa: A002
    return (grad_output, weight), (grad_output, input) if transposed else (input, grad_output)


def _dims_of_bias(grad_output: torch.Tensor) -> typing.Tuple[int, ...]:
    """All that the gradient of the bias is summed over."""
    return (0, *range(2, grad_output.dim()))


def sum_of_bias(grad_output: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The gradient of the bias."""
    return grad_output.sum(dim=_dims_of_bias(grad_output), dtype=dtype)


def _identify(grad_output, input, weight, move, mask, max_error, weight_dtype) -> tuple:  # noqa: A002
    """What identifies calls with the same kernels."""
    return (
        *(grad_output.shape, grad_output.stride(), grad_output.dtype, grad_output.device),
        *(input.shape, input.stride(), input.dtype, input.device),
        *(weight.shape, weight.stride(), weight.dtype, weight.device),
        *move,
        mask,
        max_error,
        weight_dtype,
        torch._C._get_cudnn_allow_tf32(),
    )


def find_way(
    grad_output: torch.Tensor,
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    move: typing.Sequence[object],
    mask: Mask,
    max_error: float,
) -> typing.Optional[tuple]:
    """How `_native` computes the gradients of calls like this one, which were computed once; None if it cannot."""
    ways = _ways.get(_identify(grad_output, input, weight, move, mask, max_error, weight.dtype))
    if ways is None or ways.left or any(known.launcher is None for _, known in ways.kernels):
        return None
    copy = None
    if ways.copied is not None:
        copy = functools.partial(torch.Tensor.contiguous, memory_format=ways.copied)
    launchers = [None, None]
    for place, known in ways.kernels:
        launchers[place] = known.launcher
    total = None
    if mask[2]:
        named = {} if weight.dtype == grad_output.dtype else {"dtype": weight.dtype}
        total = functools.partial(torch.Tensor.sum, dim=_dims_of_bias(grad_output), **named)
    return copy, *launchers, move[4], total


def trace(grad_output, input, weight, move, mask: Mask, max_error: float, weight_dtype: torch.dtype) -> Gradients:  # noqa: A002
    """What `compute` returns, for what traces calls. The sum that is the gradient of the bias is an operator of the graph, so
    that compilers fuse it with what computes the output's gradient."""
    grads = None, None
    if mask[0] or mask[1]:
        wanted = mask[0], mask[1], False
        own = None if weight_dtype == weight.dtype else weight_dtype
        operator = torch.ops.conv.convolution_backward
        grads = operator(grad_output, input, weight, *move, wanted, max_error, weight_dtype=own)
    return (
        grads[0] if mask[0] else None,
        grads[1] if mask[1] else None,
        sum_of_bias(grad_output, weight_dtype) if mask[2] else None,
    )


def compute(
    grad_output: torch.Tensor,
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    move: typing.Sequence[object],
    mask: Mask,
    max_error: float,
    weight_dtype: torch.dtype,
) -> Gradients:
    """The gradients of image, filter and bias, each where `mask` wants it. Those of filter and bias have the type
    `weight_dtype`; `_Call` explains `move`."""
    given = grad_output, input, weight, move, mask, max_error, weight_dtype
    key = _identify(*given)
    ways = _ways.get(key)
    if ways is not None and settings.enabled:
        grads = compute_by(ways, *given)
        if grads is not None:
            return grads
    return _choose(_Call(*given), key)


def find_ways(*given: object) -> typing.Optional[Ways]:
    """What computes the gradients of a call like an earlier one; None if that is not known. Arguments as for `compute`."""
    return _ways.get(_identify(*given))


def compute_by(
    ways: Ways, grad_output, input, weight, move, mask, max_error, weight_dtype  # noqa: A002
) -> typing.Optional[Gradients]:
    """The gradients of a call whose ways are known; None if a kernel is no longer there."""
    if ways.copied is not None:
        grad_output = grad_output.contiguous(memory_format=ways.copied)
    factors = _factors(grad_output, input, weight, move[4])
    grads: typing.List[OptionalTensor] = [None, None, None]
    for place, known in ways.kernels:
        grads[place] = _calls.run_again(known, factors[place])
        if grads[place] is None:
            return None
    if ways.left:
        call = _Call(grad_output, input, weight, move, mask, max_error, weight_dtype)
        theirs = call.theirs([place in ways.left for place in range(2)])
        for place, choice in ways.left.items():
            choice.calls += 1
            grads[place] = theirs[place]
    if mask[2]:
        grads[2] = sum_of_bias(grad_output, weight_dtype)
    return grads[0], grads[1], grads[2]


def _choose(given: _Call, key: tuple) -> Gradients:
    """The gradients of a call that is not known yet; later calls with the same `key` take a shortcut, if possible."""
    memory_format = memory_format_of(given.input, given.weight)
    call = given._replace(grad_output=given.grad_output.contiguous(memory_format=memory_format))
    directions = FORWARD if call.move[4] else DATA, WEIGHT
    results = (call.input, call.input.dtype), (call.weight, call.weight_dtype)
    grads: typing.List[OptionalTensor] = [None, None]
    kernels, left = [], {}
    for place, (direction, factors, (like, dtype)) in enumerate(zip(directions, call.factors(), results)):
        if not call.mask[place]:
            continue

        def theirs(place: int = place) -> torch.Tensor:
            return call.theirs([place == 0, place == 1])[place]

        own = key, place
        result = torch.empty_like(like, dtype=dtype, memory_format=memory_format)
        grads[place] = _operators.run(
            direction, *factors, result, call.window(), theirs, key=own, max_error=call.max_error
        )
        choice, known = _calls.find_left(own), _calls.get_known(own)
        if choice is not None:
            left[place] = choice
        elif known is not None:
            kernels.append((place, known))
    if len(kernels) + len(left) == sum(call.mask[:2]):
        is_copied = call.grad_output is not given.grad_output
        _ways[key] = Ways(kernels, left, memory_format if is_copied else None)
    return grads[0], grads[1], sum_of_bias(call.grad_output, call.weight_dtype) if call.mask[2] else None


def split_arguments(arguments: typing.Sequence[object]) -> typing.Tuple[list, tuple, float]:
    """`move`, `mask` and `max_error` of `compute` from what follows the tensors in a call of the operator, where the last
    one has a default and sizes may be lists."""
    *move, mask, max_error = arguments if len(arguments) == 10 else (*arguments, 0.0)
    return list(map(_calls.as_key, move)), tuple(mask), max_error


@torch.library.impl(library, "convolution_backward", "CPU")
@torch.library.impl(library, "convolution_backward", "CUDA")
def _convolution_backward(grad_output, input, weight, *arguments, weight_dtype=None):  # noqa: A002
    """The operator, which has empty tensors for gradients that nobody wants."""
    grads = compute(grad_output, input, weight, *split_arguments(arguments), weight_dtype or weight.dtype)
    return tuple(grad if grad is not None else grad_output.new_empty(0) for grad in grads)

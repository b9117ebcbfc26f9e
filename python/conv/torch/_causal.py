# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of causal convolutions with fixed filters, one for each channel."""

from __future__ import annotations

import typing

import torch

from . import _calls, _choices
from . import _causal_reference as reference
from ._calls import library
from ._causal_kernels import activation_gradient, convolve, do_channels_follow, empty_like, gradient, in_order
from ._causal_sequences import Sequences, starts_of
from ._dynamic_reference import Neighbours
from ._geometry import DATA, WEIGHT, OptionalTensor, order_of

_OPERANDS = "Tensor x, Tensor weight, Tensor? bias, Tensor? seq_idx, Tensor? initial_states, str activation"
library.define(f"causal_conv1d({_OPERANDS}, Tensor? cu_seqlens=None) -> Tensor")
library.define(
    f"causal_conv1d_backward(Tensor grad_output, {_OPERANDS}, Tensor? cu_seqlens, bool[4] output_mask) -> (Tensor, Tensor, Tensor, Tensor)"
)


class _Call(typing.NamedTuple):
    """The operands, as in the schema."""

    x: torch.Tensor
    weight: torch.Tensor
    bias: OptionalTensor
    seq_idx: OptionalTensor
    initial_states: OptionalTensor
    activation: str
    cu_seqlens: OptionalTensor = None

    def report(self, reason: str, detail: str) -> None:
        line = _calls.report_line("causal_conv1d", self.x, self.weight)
        _choices.leave(line, self.x.device, reason, detail).calls += 1

    def refuse(self) -> bool:
        """Whether PyTorch has to run it; the report says why."""
        states = [] if self.initial_states is None else [self.initial_states]
        refused = _calls.refuse([self.x, self.weight, *states])
        if refused:
            self.report(*refused)
        return refused is not None

    def of_one_type(self) -> _Call:
        """With x, weight and states in the wider of their types; the report mentions the copies."""
        if self.x.dtype == self.weight.dtype:
            return self
        dtype = torch.promote_types(self.x.dtype, self.weight.dtype)
        self.report("converted", f"expects x and weight of one type, but got {self.x.dtype} and {self.weight.dtype}")
        states = self.initial_states
        states = states if states is None else states.to(dtype)
        return self._replace(x=self.x.to(dtype), weight=self.weight.to(dtype), initial_states=states)

    def head(self) -> int:
        """The number of tokens that see initial states."""
        return min(self.x.shape[2], self.weight.shape[1] - 1)

    def _composed(self) -> typing.Tuple[object, ...]:
        """The operands of compositions, in which packed sequences have numbers."""
        if self.cu_seqlens is None:
            return self[:6]
        numbers = Neighbours.of(self.cu_seqlens, self.x.shape[2]).sequence + 1
        return self._replace(seq_idx=numbers[None])[:6]

    def _packed_with_states(self) -> typing.Optional[typing.Tuple[object, ...]]:
        if self.cu_seqlens is None or self.initial_states is None:
            return None
        return self.x, self.weight, self.bias, self.cu_seqlens, self.initial_states, self.activation

    def compose(self) -> torch.Tensor:
        """The result of PyTorch's operators."""
        packed = self._packed_with_states()
        return reference.packed_with_states(*packed) if packed else reference.causal_conv1d(*self._composed())

    def compose_gradients(self, grad_output: torch.Tensor) -> reference.CausalGradients:
        """All gradients from PyTorch's operators: they can be differentiated again."""
        packed = self._packed_with_states()
        if packed:
            return reference.packed_gradients(grad_output, *packed)
        return reference.causal_gradients(grad_output, *self._composed())

    def sequences(self) -> typing.Optional[Sequences]:
        """As sequences with contiguous channels, if they are so or have to be."""
        is_packed = self.seq_idx is not None or self.cu_seqlens is not None
        if not is_packed and order_of(self.x) != "NWC" and not do_channels_follow(self.x):
            return None
        x, starts = self.x.transpose(1, 2), self.cu_seqlens
        x = x.contiguous()
        if self.seq_idx is not None:
            x, starts = x.view(1, -1, x.shape[2]), starts_of(self.seq_idx)
        states = None if self.initial_states is None else self.initial_states.transpose(1, 2)
        return Sequences(x, self.weight, self.bias, starts, states, self.activation)

    def without_padding(self, tokens: torch.Tensor) -> torch.Tensor:
        """(B, T, D) with zeros for tokens that belong to no sequence."""
        if self.seq_idx is None:
            return tokens
        return torch.where((self.seq_idx >= 0)[..., None], tokens, 0)

    def start(self) -> torch.Tensor:
        """The initial states followed by the tokens that see them."""
        return torch.cat([self.initial_states, self.x[:, :, : self.head()]], -1).contiguous()


def _convolve(call: _Call, key: typing.Optional[tuple]) -> torch.Tensor:
    """Computes all tokens without states, and then again those that see states: x is not copied."""
    sequences = call.sequences()
    if sequences is not None:
        y = sequences.convolve().view(call.x.shape[0], -1, call.x.shape[1])
        return call.without_padding(y).transpose(1, 2)
    filters, low, head = call.weight.unsqueeze(1), call.weight.shape[1] - 1, call.head()
    result = empty_like(call.x)
    if call.initial_states is None or head < call.x.shape[2]:
        result = convolve(call.x, filters, call.bias, low, call.activation, result, key)
    if call.initial_states is not None:
        first = call.x.new_empty(*call.x.shape[:2], head)
        result[:, :, :head] = convolve(call.start(), filters, call.bias, 0, call.activation, first)
    return result


@torch.library.impl(library, "causal_conv1d", "CPU")
@torch.library.impl(library, "causal_conv1d", "CUDA")
def _causal_conv1d(*arguments):
    call = _Call(*arguments)
    key = None
    if call.seq_idx is None and call.initial_states is None and call.cu_seqlens is None:
        operands = [tensor for tensor in (call.x, call.weight, call.bias) if tensor is not None]
        seen = [(tensor.shape, tensor.stride(), tensor.dtype, tensor.device) for tensor in operands]
        key = (_Call, *seen, call.bias is None, call.activation, torch._C._get_cudnn_allow_tf32())
        result = _calls.run_known(key, operands)
        if result is not None:
            return result
    alike = call.of_one_type()
    if alike.refuse():
        result = empty_like(call.x)
        return result.copy_(alike.compose())
    return _calls.as_promised(_convolve(alike, key if alike is call else None), empty_like(call.x))


@torch.library.register_fake("conv::causal_conv1d", lib=library)
def _causal_conv1d_fake(x, weight, bias, seq_idx, initial_states, activation, cu_seqlens=None):
    return empty_like(x)


def _gradient_of_sum(call: _Call, grad_output: torch.Tensor) -> torch.Tensor:
    """The gradient of the activation's argument, dense and in the memory order of x."""
    if not call.activation:
        return in_order(grad_output, order_of(call.x))
    filters, low, head = call.weight.unsqueeze(1), call.weight.shape[1] - 1, call.head()
    grad = empty_like(call.x)
    if call.initial_states is None or head < call.x.shape[2]:
        grad = activation_gradient(call.x, filters, call.bias, grad_output, low)
    if call.initial_states is not None:
        grad[:, :, :head] = activation_gradient(call.start(), filters, call.bias, grad_output[:, :, :head], 0)
    return grad


def _state_gradients(call: _Call, seen: torch.Tensor, mask: typing.Sequence[bool]) -> typing.Tuple[OptionalTensor, OptionalTensor]:
    """The contribution of the tokens that see states to the gradients of the filters, in f32, and of the states. `seen` is
    the gradient of the sums of these tokens, (N, D, T)."""
    filters, states = call.weight.unsqueeze(1), call.initial_states.contiguous()
    seen, padding = seen.contiguous(), (0, seen.shape[2])
    grad_weight, grad_states = None, None
    if mask[1]:
        result = filters.new_empty(filters.shape, dtype=torch.float32)
        grad_weight = gradient(WEIGHT, states, seen, states, filters, padding, result).squeeze(1)
    if mask[3]:
        grad_states = gradient(DATA, seen, filters, states, filters, padding, states.new_empty(states.shape))
    return grad_weight, grad_states


def _filter_gradient(call: _Call, sequences: Sequences, grad: torch.Tensor) -> torch.Tensor:
    """The gradient of the weight (D, W), from the gradient of sums (B, T, D), which packed sequences overwrite."""
    if call.seq_idx is not None:  # How many sequences there are is not known.
        return reference.filter_gradient(grad.transpose(1, 2), *call[:2], call.seq_idx, None)
    filters, past = call.weight.unsqueeze(1), call.weight.shape[1] - 1
    x, more = in_order(call.x, "NWC"), None
    if past > 0 and call.cu_seqlens is not None:
        more = sequences.filter_gradient_of_heads(grad)
        grad = sequences.clear_heads(grad)
    elif call.initial_states is not None:
        more, _ = _state_gradients(call, grad[:, :past].transpose(1, 2), [False, True, False, False])
    result = filters.new_empty(filters.shape, dtype=call.weight.dtype if more is None else torch.float32)
    grad_weight = gradient(WEIGHT, x, grad.transpose(1, 2), x, filters, (past, 0), result).squeeze(1)
    return grad_weight if more is None else (grad_weight + more).to(call.weight.dtype)


def _sequence_gradients(
    call: _Call, sequences: Sequences, grad_output: torch.Tensor, mask: typing.Sequence[bool]
) -> reference.CausalGradients:
    """The gradients of sequences with contiguous channels."""
    given = call.without_padding(grad_output.transpose(1, 2)).contiguous()
    grad = sequences.sum_gradient(given.view(sequences.x.shape))
    grad_x, grad_weight, grad_bias, grad_states = None, None, None, None
    if mask[0]:
        grad_x = sequences.input_gradient(grad).view(given.shape).transpose(1, 2)
    if mask[2]:
        grad_bias = grad.sum((0, 1), dtype=call.bias.dtype)
    if mask[3]:
        grad_states = sequences.state_gradient(grad).transpose(1, 2)
    if mask[1]:
        is_given = call.cu_seqlens is not None and not call.activation  # It may be the caller's.
        own = grad.clone() if is_given else grad
        grad_weight = _filter_gradient(call, sequences, own.view(given.shape))
    return reference.CausalGradients(grad_x, grad_weight, grad_bias, grad_states)


def _gradients(call: _Call, grad_output: torch.Tensor, mask: typing.Sequence[bool]) -> reference.CausalGradients:
    sequences = call.sequences()
    if sequences is not None:
        return _sequence_gradients(call, sequences, grad_output, mask)
    call = call._replace(x=in_order(call.x, order_of(call.x) or "NCW"))
    grad, filters = _gradient_of_sum(call, grad_output), call.weight.unsqueeze(1)
    padding = (call.weight.shape[1] - 1, 0)
    grad_x, grad_weight, grad_bias, grad_states = None, None, None, None
    if mask[0]:
        grad_x = gradient(DATA, grad, filters, call.x, filters, padding, empty_like(call.x))
    if mask[1]:
        dtype = filters.dtype if call.initial_states is None else torch.float32
        result = filters.new_empty(filters.shape, dtype=dtype)
        grad_weight = gradient(WEIGHT, call.x, grad, call.x, filters, padding, result).squeeze(1)
    if mask[2]:
        grad_bias = grad.sum((0, 2), dtype=call.bias.dtype)
    if call.initial_states is not None:
        more, grad_states = _state_gradients(call, grad[:, :, : call.head()], mask)
        grad_weight = (grad_weight + more).to(filters.dtype) if mask[1] else None
    return reference.CausalGradients(grad_x, grad_weight, grad_bias, grad_states)


def _empty_gradients(call: _Call, mask: typing.Sequence[bool]) -> typing.Tuple[torch.Tensor, ...]:
    """The tensors that receive the gradients."""
    states = call.x if call.initial_states is None else call.initial_states
    return (
        empty_like(call.x) if mask[0] else call.x.new_empty(0),
        call.weight.new_empty(call.weight.shape) if mask[1] else call.weight.new_empty(0),
        call.bias.new_empty(call.bias.shape) if mask[2] else call.weight.new_empty(0),
        states.new_empty(states.shape) if mask[3] else states.new_empty(0),
    )


@torch.library.impl(library, "causal_conv1d_backward", "CPU")
@torch.library.impl(library, "causal_conv1d_backward", "CUDA")
def _causal_conv1d_backward(grad_output, *arguments):
    *operands, mask = arguments
    call = _Call(*operands)
    alike = call.of_one_type()
    if alike.refuse():
        computed = alike.compose_gradients(grad_output)
    else:
        computed = _gradients(alike, grad_output.to(alike.x.dtype), mask)
    results = _empty_gradients(call, mask)
    return tuple(_calls.as_promised(*both) if wanted else both[1] for *both, wanted in zip(computed, results, mask))


@torch.library.register_fake("conv::causal_conv1d_backward", lib=library)
def _causal_conv1d_backward_fake(grad_output, *arguments):
    *operands, mask = arguments
    return _empty_gradients(_Call(*operands), mask)


def _setup(ctx, inputs, output):
    *tensors, ctx.activation, cu_seqlens = inputs if len(inputs) == 7 else (*inputs, None)
    ctx.save_for_backward(*tensors, cu_seqlens)


def _backward(ctx, grad_output):
    *tensors, cu_seqlens = ctx.saved_tensors
    call = _Call(*tensors, ctx.activation, cu_seqlens)
    needed = ctx.needs_input_grad
    mask = [needed[0], needed[1], call.bias is not None and needed[2], call.initial_states is not None and needed[4]]
    if torch.is_grad_enabled() and not torch.compiler.is_compiling():  # For gradients of gradients.
        grads = call.compose_gradients(grad_output)
    else:
        is_traced = _calls.is_traced(grad_output)
        backward = torch.ops.conv.causal_conv1d_backward if is_traced else _causal_conv1d_backward
        grads = backward(grad_output, *call, mask)
    x, weight, bias, states = (grad if wanted else None for grad, wanted in zip(grads, mask))
    return x, weight, bias, None, states, None, None


torch.library.register_autograd("conv::causal_conv1d", _backward, setup_context=_setup, lib=library)


class _Eager(torch.autograd.Function):
    forward = _calls.forward_of(torch.ops.conv.causal_conv1d, _causal_conv1d)
    setup_context = staticmethod(_setup)
    backward = staticmethod(_backward)


_OPERATOR = _calls.Operator(
    "causal_conv1d", torch.ops.conv.causal_conv1d, _causal_conv1d, _Eager, lambda *arguments: _Call(*arguments).compose()
)


def causal_conv1d(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: OptionalTensor,
    seq_idx: OptionalTensor,
    initial_states: OptionalTensor,
    activation: str,
    cu_seqlens: OptionalTensor = None,
) -> torch.Tensor:
    """`torch.ops.conv.causal_conv1d`, by the shortest way."""
    tensors = x, weight, bias, initial_states
    arguments = x, weight, bias, seq_idx, initial_states, activation, cu_seqlens
    return _calls.dispatch(_OPERATOR, tensors, arguments)

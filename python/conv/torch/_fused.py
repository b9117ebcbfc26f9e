# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operator of graphs for inference: `torch.ops.conv.convolution` with everything except its tensors in one string.

A string identifies the call in the same way in every process. Graphs call `fused_convolution`, which starts the kernel without
PyTorch's dispatcher: for an operator in Python, the dispatcher takes twice as long as all the rest. What traces or compiles a
graph sees the operator.
"""

from __future__ import annotations

import functools
import json
import typing

import torch
from torch._library.autograd import Info, make_autograd_impl

from . import _autograd, _calls, _operators
from ._calls import library
from ._geometry import OptionalTensor
from ._operators import CallArguments

library.define(
    "fused_convolution(Tensor input, Tensor weight, Tensor? bias, Tensor? residual, str options) -> Tensor",
    tags=(torch.Tag.needs_exact_strides,),
)
OPERATOR = torch.ops.conv.fused_convolution.default


class Options(typing.NamedTuple):
    """The arguments of `conv::convolution` that are no tensors."""

    stride: typing.Tuple[int, ...]
    low: typing.Tuple[int, ...]
    high: typing.Tuple[int, ...]
    dilation: typing.Tuple[int, ...]
    transposed: bool
    output_padding: typing.Tuple[int, ...]
    groups: int
    padding_mode: str
    activation: str
    alpha: float
    max_error: float

    def text(self) -> str:
        """JSON in single quotes, since inductor puts the string between double quotes when it writes C++."""
        return json.dumps(self._asdict()).replace('"', "'")

    @staticmethod
    @functools.lru_cache(maxsize=4096)
    def parse(text: str) -> Options:
        """The options of a text; files of `conv.torch.save` may have one with double quotes."""
        values = json.loads(text.replace("'", '"'))
        return Options(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})


def arguments(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: OptionalTensor,
    residual: OptionalTensor,
    options: str,
) -> CallArguments:
    """The arguments of the same call of `conv::convolution`."""
    *window, activation, alpha, max_error = Options.parse(options)
    return CallArguments(input, weight, bias, *window, residual, activation, alpha, max_error)


def _identify(input, weight, bias, residual, options):  # noqa: A002
    """What identifies calls with the same kernel, whether TF32 is allowed first, and its operands."""
    key = (
        torch._C._get_cudnn_allow_tf32(),
        options,
        *(input.shape, input.stride(), input.dtype, input.device),
        *(weight.shape, weight.stride(), weight.dtype, weight.device),
    )
    operands = [input, weight]
    for other in (bias, residual):
        if other is None:
            key += (None,)
        else:
            key += other.shape, other.stride(), other.dtype, other.device
            operands.append(other)
    return key, operands


@torch.library.impl(library, "fused_convolution", "CPU")
@torch.library.impl(library, "fused_convolution", "CUDA")
def run(input, weight, bias, residual, options):  # noqa: A002
    """The kernel."""
    key, operands = _identify(input, weight, bias, residual, options)
    result = _calls.run_known(key, operands)
    return _operators.compute(arguments(input, weight, bias, residual, options), key) if result is None else result


@torch.library.register_fake("conv::fused_convolution", lib=library)
def _fused_fake(*given):
    return arguments(*given).empty_result()


def _setup(ctx, inputs, output):
    _autograd.setup(ctx, arguments(*inputs), output)


def _backward(ctx, grad_output):
    return *_autograd.backward(ctx, grad_output)[:3], None, None


torch.library.register_autograd("conv::fused_convolution", _backward, setup_context=_setup, lib=library)
_track = make_autograd_impl(OPERATOR, Info(_backward, _setup))


def _composed(*given):
    return arguments(*given).reference()


def _dispatch(keys, input, weight, bias, residual, options):  # noqa: A002
    if torch._C._functorch.peek_interpreter_stack() is not None:  # As in `_autograd`.
        return _composed(input, weight, bias, residual, options)
    if torch.is_grad_enabled() or _calls.is_traced(input) or _calls.is_special(weight):
        return _track(keys, input, weight, bias, residual, options)
    return run(input, weight, bias, residual, options)


for _key in ("AutogradCPU", "AutogradCUDA"):
    library.impl("fused_convolution", _dispatch, _key, with_keyset=True)


def _vmap_of(rule):
    """The rule of vmap that calls the one of `conv::convolution`."""

    def vmap(info, in_dims, *given):
        dims = (*in_dims[:3], *(None,) * 8, in_dims[3], *(None,) * 3)
        return rule(info, dims, *arguments(*given))

    return vmap


torch.library.register_vmap("conv::fused_convolution", _vmap_of(_autograd.vmap), lib=library)


class _Eager(torch.autograd.Function):
    forward = _calls.forward_of(OPERATOR, run)
    setup_context = staticmethod(_setup)
    backward = staticmethod(_backward)
    jvp = staticmethod(_autograd.jvp)
    vmap = staticmethod(_vmap_of(_autograd.Eager.vmap))


_OPERATOR = _calls.Operator("convolution", OPERATOR, run, _Eager, _composed, _autograd.TRANSFORMS)


def fused_convolution(
    input: torch.Tensor,  # noqa: A002
    weight: torch.Tensor,
    bias: OptionalTensor,
    residual: OptionalTensor,
    options: str,
) -> torch.Tensor:
    """`torch.ops.conv.fused_convolution`, by the shortest way."""
    return _calls.dispatch(_OPERATOR, (input, weight, bias, residual), (input, weight, bias, residual, options))


def call_directly(graph: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """The graph itself, which then calls `fused_convolution` instead of the operator."""
    for node in graph.graph.find_nodes(op="call_function", target=OPERATOR):
        node.target = fused_convolution
    graph.recompile()
    return graph


class CompiledCall(_calls.Place):
    """A place that calls the operator."""

    __slots__ = ()

    def __call__(self, *given):
        result = self.run_known([tensor for tensor in given[:4] if tensor is not None])
        if result is None:
            result = run(*given)
            key, _ = _identify(*given)  # Says whether TF32 is allowed, which another thread may change now.
            self.keep(_calls.get_known(key), key[0])
        return result

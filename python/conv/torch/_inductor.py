# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What inductor, the compiler of `torch.compile`, writes for the operators: calls of places, which look their kernels up once.

Otherwise it writes what it does for any operator that it does not know, a call through PyTorch's dispatcher: also in C++, in
parts of graphs, and for sizes that are known only at run time.
"""

from __future__ import annotations

import typing

import torch
from torch._inductor import ir, lowering
from torch._inductor.codegen.wrapper import PythonWrapperCodegen
from torch._inductor.virtualized import V
from torch.utils._pytree import tree_map_only

from . import _autograd, _fused, _places  # noqa: F401 - `_autograd` defines the operators.
from ._geometry import memory_format_of

_FORWARD = torch.ops.conv.convolution.default
_BACKWARD = torch.ops.conv.convolution_backward.default
_PLACES = {_fused.OPERATOR: _fused.CompiledCall, _FORWARD: _places.Convolution, _BACKWARD: _places.Backward}


class _Call(ir.FallbackKernel):
    def codegen(self, wrapper: PythonWrapperCodegen) -> None:
        if type(wrapper) is PythonWrapperCodegen and all(map(_is_static, self.inputs)):
            place = _PLACES[self.op_overload]
            wrapper.add_import_once(f"import {place.__module__}")
            name = f"conv_{self.get_name()}"
            wrapper.add_import_once(f"{name} = {place.__module__}.{place.__qualname__}()")
            self.python_kernel_name = name
        super().codegen(wrapper)


def _is_constant(number: typing.Any) -> bool:
    """Whether it is an integer, of Python or of sympy."""
    return isinstance(number, int) or number.is_Integer


def _is_static(tensor: ir.IRNode) -> bool:
    return all(map(_is_constant, (*tensor.get_size(), *tensor.get_stride())))


def _create(operator: torch._ops.OpOverload, *arguments: object, **named: object) -> object:
    return tree_map_only(ir.IRNode, ir.TensorBox.create, _Call.create(operator, *arguments, **named))


@lowering.register_lowering(_fused.OPERATOR, type_promotion_kind=None)
def _lower_fused(*arguments: object) -> object:
    return _create(_fused.OPERATOR, *arguments)


def _as(memory_format: torch.memory_format, tensor: ir.IRNode) -> ir.IRNode:
    """The tensor in an order of dimensions in memory. What computes it writes this order, so that only tensors from outside
    the graph are copied, if they have another one."""
    if memory_format == torch.channels_last:
        return ir.ExternKernel.require_channels_last(tensor)
    if memory_format == torch.channels_last_3d:
        return ir.ExternKernel.require_channels_last_3d(tensor)
    return ir.ExternKernel.require_contiguous(tensor)


@lowering.register_lowering(_FORWARD, type_promotion_kind=None)
def _lower_forward(*arguments: object, **named: object) -> object:
    arguments, named = lowering.constrain_to_fx_strides(V.graph.current_node, *arguments, **named)
    return _create(_FORWARD, *arguments, **named)


@lowering.register_lowering(_BACKWARD, type_promotion_kind=None)
def _lower_backward(grad_output: ir.IRNode, *arguments: object, **named: object) -> object:
    """The output's gradient gets the order of the output. A sum's, for example, has none, since it repeats one number: the
    operator would copy it."""
    node = V.graph.current_node
    _, image, weight = (operand.meta["val"] for operand in node.args[:3])
    _, *arguments = lowering.constrain_to_fx_strides(node, grad_output, *arguments, **named)[0]
    grad_output = _as(memory_format_of(image, weight), grad_output)
    return _create(_BACKWARD, grad_output, *arguments, **named)

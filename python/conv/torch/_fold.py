# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folds the operators around a convolution into it, in a graph of PyTorch's operators.

The graph comes from `torch.export`: functional, with weights as attributes. A convolution absorbs the padding before it, and
the following after it, in this order only: batch norms, by scaling the weights; one addition of a tensor of its shape; one
activation. Each is absorbed only if nothing else reads the tensor in between.
"""

from __future__ import annotations

import operator
import typing

import torch
from torch.fx import GraphModule, Node

from . import _fused

aten = torch.ops.aten

_CONVOLUTIONS = {  # By the number of spatial dimensions and whether transposed.
    aten.conv1d.default: (1, False),
    aten.conv2d.default: (2, False),
    aten.conv3d.default: (3, False),
    aten.conv1d.padding: (1, False),
    aten.conv2d.padding: (2, False),
    aten.conv3d.padding: (3, False),
    aten.conv_transpose1d.default: (1, True),
    aten.conv_transpose2d.input: (2, True),
    aten.conv_transpose3d.input: (3, True),
}
_ACTIVATIONS = {
    aten.relu.default: "relu",
    aten.relu6.default: "relu6",
    aten.sigmoid.default: "sigmoid",
    aten.silu.default: "silu",
    aten.tanh.default: "tanh",
    aten.hardswish.default: "hardswish",
    aten.hardsigmoid.default: "hardsigmoid",
    aten.mish.default: "mish",
}
#: Operators whose result depends on the order in memory of their operand.
_READ_MEMORY = (aten.as_strided.default, aten.view_as_complex.default, aten.view.dtype)
_BATCH_NORMS = (aten.batch_norm.default, aten._native_batch_norm_legit_no_training.default)


def _arguments(node: Node) -> typing.Dict[str, typing.Any]:
    """The arguments of an operator by name, defaults included."""
    values = {}
    for place, argument in enumerate(node.target._schema.arguments):
        if place < len(node.args):
            values[argument.name] = node.args[place]
        elif argument.name in node.kwargs:
            values[argument.name] = node.kwargs[argument.name]
        else:
            values[argument.name] = argument.default_value
    return values


def _shape(node: Node) -> typing.Optional[torch.Size]:
    value = node.meta.get("val")
    return value.shape if isinstance(value, torch.Tensor) else None


def _only_user(node: Node) -> typing.Optional[Node]:
    users = list(node.users)
    return users[0] if len(users) == 1 and users[0].op == "call_function" else None


def _is_batched_convolution(node: Node) -> bool:
    """PyTorch also takes a single image without a batch, which stays PyTorch's."""
    return node.target in _CONVOLUTIONS and len(_shape(node.args[0])) == 2 + _CONVOLUTIONS[node.target][0]


class _Folder:
    """One convolution, and the operators that it has absorbed."""

    def __init__(self, module: GraphModule, node: Node) -> None:
        self.module, self.node = module, node
        rank, self.transposed = _CONVOLUTIONS[node.target]
        values = _arguments(node)

        def sizes(name: str) -> typing.Tuple[int, ...]:
            value = values[name]
            value = [value] if isinstance(value, int) else list(value)
            return tuple(value * rank if len(value) == 1 else value)

        self.input: Node = values["input"]
        self.weight = self._tensor(values["weight"])
        self.bias = self._tensor(values["bias"])
        self.has_bias = values["bias"] is not None
        self.stride, self.dilation, self.groups = sizes("stride"), sizes("dilation"), values["groups"]
        self.output_padding = sizes("output_padding") if self.transposed else (0,) * rank
        if isinstance(values["padding"], str):
            taps = _shape(values["weight"])[2:]
            total = [d * (t - 1) if values["padding"] == "same" else 0 for t, d in zip(taps, self.dilation)]
            self.low = tuple(size // 2 for size in total)
            self.high = tuple(size - low for size, low in zip(total, self.low))
        else:
            self.low = self.high = sizes("padding")
        self.padding_mode, self.residual, self.activation, self.alpha = "zeros", None, "", 0.01
        self.last = node  #: The operator whose result the convolution now computes.

    def _tensor(self, node: typing.Optional[Node]) -> typing.Optional[torch.Tensor]:
        """The value of a node of the graph; None if it is computed."""
        if not isinstance(node, Node) or node.op != "get_attr":
            return None
        value: typing.Any = self.module
        for name in node.target.split("."):
            value = getattr(value, name)
        return value.detach() if isinstance(value, torch.Tensor) else None

    def can_fold(self) -> bool:
        return self.weight is not None and (self.bias is not None or not self.has_bias)

    def take_in(self) -> None:
        self._take_padding()
        while True:
            user = _only_user(self.last)
            if user is None or not (self._take_norm(user) or self._take_residual(user) or self._take_activation(user)):
                return
            self.last = user
            if user.target is _BATCH_NORMS[1]:
                self.last = next(iter(user.users))

    def _take_padding(self) -> None:
        pad = self.input
        if self.transposed or pad.op != "call_function" or pad.target is not aten.pad.default or len(pad.users) != 1:
            return
        values = _arguments(pad)
        sizes, mode = list(values["pad"]), values["mode"]
        if min(sizes) < 0 or len(sizes) > 2 * len(self.low) or (mode == "constant" and values["value"]):
            return
        if mode != "constant" and any((*self.low, *self.high)):
            return
        sizes += [0] * (2 * len(self.low) - len(sizes))
        pairs = list(zip(sizes[::2], sizes[1::2]))[::-1]
        self.low = tuple(size + more for size, (more, _) in zip(self.low, pairs))
        self.high = tuple(size + more for size, (_, more) in zip(self.high, pairs))
        self.padding_mode = "zeros" if mode == "constant" else mode
        self.input = values["self"]

    def _take_norm(self, user: Node) -> bool:
        if user.target not in _BATCH_NORMS or self.residual or self.activation or not self.can_fold():
            return False
        values = _arguments(user)
        if values.get("training") or values["input"] is not self.last:
            return False
        if user.target is _BATCH_NORMS[1]:
            uses = list(user.users)
            if len(uses) != 1 or uses[0].target is not operator.getitem or uses[0].args[1] != 0:
                return False
        scale, shift = self._tensor(values["weight"]), self._tensor(values["bias"])
        mean, variance = self._tensor(values["running_mean"]), self._tensor(values["running_var"])
        if mean is None or variance is None or (values["weight"] is not None and scale is None):
            return False
        factor = torch.rsqrt(variance.double() + values["eps"])
        if scale is not None:
            factor = factor * scale.double()
        bias = self.bias.double() if self.bias is not None else torch.zeros_like(factor)
        bias = (bias - mean.double()) * factor
        if shift is not None:
            bias = bias + shift.double()
        weight = self.weight.double()
        if self.transposed:  # (C, K / groups, ...): the result's channels are inside the groups.
            shape = (self.groups, weight.shape[0] // self.groups, *weight.shape[1:])
            by_group = factor.view(self.groups, 1, -1, *(1,) * (weight.dim() - 2))
            weight = (weight.view(shape) * by_group).view_as(weight)
        else:
            weight = weight * factor.view(-1, *(1,) * (weight.dim() - 1))
        # The bias of 16-bit types stays in f32, the type in which the kernel adds it.
        of_bias = torch.promote_types(self.weight.dtype, torch.float32)
        self.weight, self.bias, self.has_bias = weight.to(self.weight.dtype), bias.to(of_bias), True
        return True

    def _take_residual(self, user: Node) -> bool:
        if user.target is not aten.add.Tensor or self.residual or self.activation:
            return False
        values = _arguments(user)
        first, second = values["self"], values["other"]
        other = second if first is self.last else first
        if values["alpha"] != 1 or not isinstance(other, Node) or other is self.last:
            return False
        ours, theirs = self.last.meta.get("val"), other.meta.get("val")
        if not isinstance(theirs, torch.Tensor) or theirs.shape != ours.shape or theirs.dtype != ours.dtype:
            return False
        self.residual = other
        return True

    def _take_activation(self, user: Node) -> bool:
        if self.activation or not hasattr(user.target, "_schema"):
            return False
        values = _arguments(user)
        if user.target is aten.hardtanh.default and (values["min_val"], values["max_val"]) == (0, 6):
            name = "relu6"
        elif user.target is aten.gelu.default:
            name = "gelu_tanh" if values["approximate"] == "tanh" else "gelu"
        elif user.target is aten.leaky_relu.default:
            name, self.alpha = "leaky_relu", float(values["negative_slope"])
        elif user.target is aten.elu.default and (values["scale"], values["input_scale"]) == (1, 1):
            name, self.alpha = "elu", float(values["alpha"])
        else:
            name = _ACTIVATIONS.get(user.target, "")
        self.activation = name
        return bool(name)

    def rewrite(self, number: int, channels_last: bool, max_error: float) -> None:
        """Replaces the convolution and everything that it has absorbed by one operator of conv."""
        values = _arguments(self.node)
        graph = self.module.graph
        with graph.inserting_before(self.last):
            weight, bias = values["weight"], values["bias"]
            if self.weight is not None:
                memory_format = {4: torch.channels_last, 5: torch.channels_last_3d}.get(self.weight.dim())
                if channels_last and memory_format:  # With these strides even if there is one channel: results follow them.
                    self.weight = torch.empty_like(self.weight, memory_format=memory_format).copy_(self.weight)
                weight = self._attribute(f"conv_weight_{number}", self.weight)
            if self.bias is not None:
                bias = self._attribute(f"conv_bias_{number}", self.bias)
            window = self.stride, self.low, self.high, self.dilation, self.transposed, self.output_padding, self.groups
            options = _fused.Options(*window, self.padding_mode, self.activation, self.alpha, float(max_error))
            tensors = self.input, weight, bias, self.residual
            fused = graph.call_function(_fused.fused_convolution, (*tensors, options.text()))
        fused.meta = dict(self.last.meta)
        self.last.replace_all_uses_with(fused)

    def _attribute(self, name: str, value: torch.Tensor) -> Node:
        self.module.register_buffer(name, value)
        return self.module.graph.get_attr(name)


def fold(module: GraphModule, channels_last: bool, max_error: float) -> int:
    """Rewrites the convolutions of a graph and returns how many there are."""
    graph = module.graph
    for node in list(graph.nodes):
        if node.target is aten.view.default:  # Its operand may become channels-last.
            node.target = aten.reshape.default
        if node.target in _READ_MEMORY and node.args[0].meta["val"].is_contiguous():
            with graph.inserting_before(node):
                kwargs = {"memory_format": torch.contiguous_format}
                node.replace_input_with(node.args[0], graph.call_function(aten.clone.default, node.args[:1], kwargs))
        if node.op == "call_function" and node.target is aten.dropout.default and not node.args[2]:
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    count = 0
    # In reverse, so that of two convolutions that are added, the later one absorbs the addition.
    for node in reversed([node for node in graph.nodes if _is_batched_convolution(node)]):
        folder = _Folder(module, node)
        folder.take_in()
        folder.rewrite(count, channels_last, max_error)
        count += 1
    graph.eliminate_dead_code()
    graph.lint()
    module.delete_all_unused_submodules()
    module.recompile()
    return count

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What inductor, the compiler of `torch.compile`, writes for the operator of graphs for inference: a call of `CompiledCall`.

Otherwise it writes what it does for any operator that it does not know, a call through PyTorch's dispatcher: also in C++, in
parts of graphs, and for sizes that are known only at run time.
"""

from __future__ import annotations

import typing

from torch._inductor import ir, lowering
from torch._inductor.codegen.wrapper import PythonWrapperCodegen

from . import _fused


class _Call(ir.FallbackKernel):
    def codegen(self, wrapper: PythonWrapperCodegen) -> None:
        numbers = [number for tensor in self.inputs for number in (*tensor.get_size(), *tensor.get_stride())]
        if type(wrapper) is PythonWrapperCodegen and all(map(_is_constant, numbers)):
            wrapper.add_import_once(f"import {_fused.__name__}")
            name = f"conv_{self.get_name()}"
            wrapper.add_import_once(f"{name} = {_fused.__name__}.CompiledCall()")
            self.python_kernel_name = name
        super().codegen(wrapper)


def _is_constant(number: typing.Any) -> bool:
    """Whether it is an integer, of Python or of sympy."""
    return isinstance(number, int) or number.is_Integer


@lowering.register_lowering(_fused.OPERATOR, type_promotion_kind=None)
def _lower(*arguments: object) -> ir.TensorBox:
    return ir.TensorBox.create(_Call.create(_fused.OPERATOR, *arguments))

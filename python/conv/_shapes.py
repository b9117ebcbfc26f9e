# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes in MLIR's text, for problems that Python writes as MLIR."""

from __future__ import annotations

import typing

Size = typing.Optional[int]  #: A number, or None for a run-time size.


def size_text(size: Size) -> str:
    """`4`, or `?` for a run-time size."""
    return "?" if size is None else str(size)


def tensor_type(shape: typing.Iterable[Size], dtype: str) -> str:
    """`tensor<?x4xf32>`."""
    return f"tensor<{'x'.join(map(size_text, shape))}x{dtype}>"

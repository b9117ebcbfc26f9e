# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The problems on which choices are based: all kinds that the compiler accepts."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import typing

from .._problem import NAMED_IF_SET, Problem


class AnyProblem(typing.Protocol):
    """A frozen dataclass that describes one kernel: `conv.Problem`, `conv.DynamicProblem` and the like."""

    function: str

    @property
    def stem(self) -> str: ...

    def describe(self) -> str: ...

    def module(self) -> str: ...


def with_run_time_sizes(problem: AnyProblem) -> typing.Optional[AnyProblem]:
    """The problem with the numbers of sequences and tokens left open, for kinds of problems that support it."""
    leave_open = getattr(problem, "with_run_time_sizes", None)
    return leave_open() if leave_open else None


def count_products(problem: AnyProblem) -> int:
    """The multiplications of a convolution in any direction; 0 for other kinds of problems."""
    if not isinstance(problem, Problem):
        return 0
    return problem.n * problem.k * (problem.c // problem.groups) * math.prod(problem.output) * math.prod(problem.filter)


def function_name(problem: AnyProblem) -> str:
    """A unique name of a problem, the same in every process: the digest of its fields."""
    fields = []
    for field in dataclasses.fields(problem):
        value = getattr(problem, field.name)
        if value != field.default or field.metadata != NAMED_IF_SET:
            fields.append(f"{field.name}={value!r}")
    text = f"{type(problem).__qualname__}({', '.join(fields)})"
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{problem.stem}_{digest}"

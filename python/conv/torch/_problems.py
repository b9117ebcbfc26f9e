# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What choices are made of: the problems that the compiler takes, of whatever kind."""

from __future__ import annotations

import hashlib
import typing


class AnyProblem(typing.Protocol):
    """A frozen dataclass that describes one kernel: `conv.Problem`, `conv.DynamicProblem` and the like."""

    function: str

    @property
    def stem(self) -> str: ...

    def describe(self) -> str: ...

    def module(self) -> str: ...


def with_run_time_sizes(problem: AnyProblem) -> typing.Optional[AnyProblem]:
    """The problem that leaves open how many sequences and tokens there are, for kinds of problems that can."""
    leave_open = getattr(problem, "with_run_time_sizes", None)
    return leave_open() if leave_open else None


def function_name(problem: AnyProblem) -> str:
    """A name that no other problem has, the same in every process."""
    digest = hashlib.sha256(repr(problem).encode()).hexdigest()[:16]
    return f"{problem.stem}_{digest}"

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users may set."""

from __future__ import annotations

import dataclasses
import typing


@dataclasses.dataclass
class Settings:
    """How convolutions are chosen; `conv.torch.settings` is the one that counts.

    enabled: use kernels of conv; else everything is PyTorch's.
    measure: where a problem runs on a GPU for the first time, time PyTorch's way too and keep the faster one. None: as
        `torch.backends.cudnn.benchmark` says, with which users ask PyTorch for the same. What was measured is kept beside
        the cache of compiled kernels. On the CPU, causal convolutions alone are timed, unless it is False.
    database: a tuning database, which conv-tune writes: its schedules are taken before those of the cost model. None: that
        of the environment's CONV_DATABASE, if there is one.
    background: compile in other threads; until a kernel is there, calls go to PyTorch.
    """

    enabled: bool = True
    measure: typing.Optional[bool] = None
    background: bool = False
    database: typing.Optional[str] = None


settings = Settings()

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The settings of users."""

from __future__ import annotations

import dataclasses
import typing


@dataclasses.dataclass
class Settings:
    """How convolutions are chosen; `conv.torch.settings` is the instance in effect.

    enabled: use kernels of conv; otherwise PyTorch runs everything.
    measure: when a problem first runs, also time PyTorch's way and keep the faster one. None: on a GPU, as
        `torch.backends.cudnn.benchmark` says, which asks PyTorch for the same; on the CPU, for causal convolutions and
        those of 2^18 products or more. A GPU's measurements are kept beside the cache of compiled kernels.
    database: a tuning database, which conv-tune writes: its schedules come before those of the cost model. None: the
        database of the environment's CONV_DATABASE, if it is set.
    background: compile in other threads; PyTorch runs calls until their kernel is ready.
    """

    enabled: bool = True
    measure: typing.Optional[bool] = None
    background: bool = False
    database: typing.Optional[str] = None

    def __setattr__(self, name: str, value: object) -> None:
        names = self.__dataclass_fields__
        if name not in names:
            raise AttributeError(f"expects a setting {', '.join(names)}, but got '{name}'")
        super().__setattr__(name, value)


settings = Settings()

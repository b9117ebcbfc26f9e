# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning: which schedules of a convolution are fast on a device. `python -m conv.tune` is the tool conv-tune.

    database = conv.tune.Database("tuned.db")
    database.rows(target="sm_90a")

docs/tuning.md is the guide.
"""

from ._database import Database, Measurement, Quarantined

__all__ = ["Database", "Measurement", "Quarantined"]

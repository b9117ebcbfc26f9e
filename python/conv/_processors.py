# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many processors this process may use, which a container or a batch system may limit."""

from __future__ import annotations

import contextlib
import math
import os
import pathlib


def count_processors(root: str = "/") -> int:
    """The processors of the process's affinity, or fewer if a control group (version 2) has a quota of processor time."""
    return max(1, math.ceil(min(len(os.sched_getaffinity(0)), _quota(pathlib.Path(root)))))


def _quota(root: pathlib.Path) -> float:
    """The least quota of the process's control group and those around it, in processors; infinite if there is none."""
    least = math.inf
    with contextlib.suppress(OSError, ValueError):
        lines = (root / "proc/self/cgroup").read_text().splitlines()
        group = pathlib.PurePosixPath(next((line[len("0::/") :] for line in lines if line.startswith("0::/")), ""))
        for folder in (group, *group.parents):
            with contextlib.suppress(OSError):
                quota, period = (root / "sys/fs/cgroup" / folder / "cpu.max").read_text().split()
                least = min(least, math.inf if quota == "max" else int(quota) / int(period))
    return least

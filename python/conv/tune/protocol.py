# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The protocol of timing: idle, then a burst, each candidate in turn, several rounds; medians with their spread.

Without idle time the power limit slows down later candidates, and without turns a drift of the clock looks like a difference.
Bursts are long against the resolution of events and short against the time in which the chip heats up.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
import time
import typing


class Timed(typing.Protocol):
    calls: int  #: Calls of one replay.

    def time(self, replays: int) -> float:
        """The seconds of that many replays."""


@dataclasses.dataclass(frozen=True)
class Protocol:
    idle_seconds: float = 0.2
    burst_seconds: float = 0.03
    rounds: int = 7


@dataclasses.dataclass(frozen=True)
class Time:
    """Seconds of one call."""

    median: float
    least: float
    most: float
    rounds: int = 1  #: Rounds of the median.


def measure(
    candidates: typing.Mapping[typing.Any, Timed],
    protocol: Protocol,
    close: float = math.inf,
    always: typing.Container = (),
) -> typing.Dict[typing.Any, Time]:
    """Seconds of one call for each candidate, by name. After the first round, only candidates within a factor of `close` of
    the fastest continue, and those of `always`."""
    replays = {}
    for name, candidate in candidates.items():
        candidate.time(1)
        replays[name] = max(1, round(protocol.burst_seconds / candidate.time(1)))
    samples: typing.Dict[typing.Any, typing.List[float]] = {name: [] for name in candidates}
    going = dict(candidates)
    for round_ in range(protocol.rounds):
        if round_ == 1:
            most = close * min(values[0] for values in samples.values())
            going = {name: one for name, one in going.items() if name in always or samples[name][0] <= most}
        for name, candidate in going.items():
            time.sleep(protocol.idle_seconds)
            samples[name].append(candidate.time(replays[name]) / (replays[name] * candidate.calls))
    return {
        name: Time(statistics.median(values), min(values), max(values), len(values)) for name, values in samples.items()
    }

"""The protocol: idle, then a burst, each candidate in turn, several rounds; medians with their spread.

Without idle time the power limit slows down whoever comes later, and without turns a drift of the clock looks like a
difference. Bursts are long against the resolution of events and short against the time in which the chip heats up.
"""

import dataclasses
import statistics
import time


@dataclasses.dataclass(frozen=True)
class Protocol:
    idle_seconds: float = 0.2
    burst_seconds: float = 0.03
    rounds: int = 7


def measure(candidates, protocol):
    """Seconds of one call for each candidate, by name: median, least and most.

    A candidate has `calls`, how many calls a replay makes, and `time(replays)`, the seconds that replays take.
    """
    replays = {}
    for name, candidate in candidates.items():
        candidate.time(1)
        replays[name] = max(1, round(protocol.burst_seconds / candidate.time(1)))
    samples = {name: [] for name in candidates}
    for _ in range(protocol.rounds):
        for name, candidate in candidates.items():
            time.sleep(protocol.idle_seconds)
            samples[name].append(candidate.time(replays[name]) / (replays[name] * candidate.calls))
    return {
        name: {"median": statistics.median(values), "least": min(values), "most": max(values)}
        for name, values in samples.items()
    }

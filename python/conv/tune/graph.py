"""Calls captured into one CUDA graph, so that the time between launches is the device's rather than Python's."""

from __future__ import annotations

import typing

import torch


class CapturedCalls:
    """Calls captured into a CUDA graph on ``stream``, one for each set of operands.

    A graph holds addresses and owns nothing: the calls keep their operands, and this object keeps the calls and their
    results, so that each call has memory of its own and the next capture cannot return it to the driver.
    """

    def __init__(self, stream: torch.cuda.Stream, calls: typing.Sequence[typing.Callable[[], torch.Tensor]]) -> None:
        self.calls = len(calls)
        self._stream = stream
        self._graph = torch.cuda.CUDAGraph()
        self._captured = calls
        with torch.cuda.graph(self._graph, stream=stream):
            self._results = [call() for call in calls]

    def time(self, replays: int) -> float:
        """Seconds of ``replays`` consecutive replays, by the device's own events."""
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(self._stream):
            start.record()
            for _ in range(replays):
                self._graph.replay()
            stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) / 1000

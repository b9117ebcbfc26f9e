"""Time calls on a GPU without the launch overhead of the host."""

import statistics
import time

WARM_UP_SECONDS = 0.06  #: Of work before a measurement: the clocks of a GPU that was idle rise only then.


def time_calls(calls, stream, rounds=12):
    """The median seconds of one call in a CUDA graph of all `calls`, each of which runs once before."""
    from conv.tune.graph import CapturedCalls  # Imported here, because it needs PyTorch, and `compile` does not.

    for call in calls:
        call()
    stream.synchronize()
    graph = CapturedCalls(stream, calls)
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP_SECONDS:
        graph.time(4)
    return statistics.median(graph.time(1) / len(calls) for _ in range(rounds))

"""The time of a call on a GPU, without the time in which the host launches it."""

import statistics


def time_calls(calls, stream, rounds=12):
    """The median of the seconds that a call takes in a CUDA graph of all of them, after each has run once."""
    from conv.tune.graph import CapturedCalls  # Needs PyTorch, which those who only compile do not.

    for call in calls:
        call()
    stream.synchronize()
    graph = CapturedCalls(stream, calls)
    return statistics.median(graph.time(1) / len(calls) for _ in range(rounds))

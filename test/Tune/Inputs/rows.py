"""Shared by the tests of databases: one row of each kind, and the tool."""

import subprocess
import sys

from conv.tune import Measurement, Quarantined

ROW = Measurement(
    problem="conv -n 1",
    target="host",
    compute_units=2,
    compiler="aaaa",
    schedule="#conv.schedule<a>",
    kind="measured",
    is_default=False,
    predicted=1e-5,
    seconds=2e-5,
    least=1e-5,
    most=3e-5,
    protocol="{}",
    error=0.5,
    device="cpu",
    driver="1",
    who="me",
    time="2026-01-01T00:00:00.000Z",
)
OUT = Quarantined("conv -n 1", "host", 2, "aaaa", "#conv.schedule<b>", "crash", "why", "cpu", "me", ROW.time)


def tool(*arguments, **named):
    """Run conv-db; return its exit code and output."""
    command = [sys.executable, "-m", "conv.tune.db", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, **named)
    return done.returncode, done.stdout + done.stderr

"""Shared by the tests of sweeps: starting the tool, and comparing its rows with the expected candidates."""

import collections
import os
import pathlib
import signal
import subprocess
import sys
import time

from conv import _compiler
from conv._device import open_device
from conv.tune import Database, Quarantined
from conv.tune._problems import read_problems
from conv.tune._space import SIZES, find_space

INPUTS = pathlib.Path(__file__).parent
LAYERS = INPUTS / "layers.json"
DIRECTIONS = ("forward", "backward_data", "backward_weight")
USUAL = ["--directions", *DIRECTIONS, "--dtype", "f16", "--target", "host", "--space", "quick", "--jobs", "2"]
UNITS = open_device("host").compute_units
FAST = ["--idle", "0", "--burst", "0.001", "--rounds", "1"]


def command(*arguments):
    return [sys.executable, "-m", "conv.tune", *map(str, arguments)]


def tune(database, *more):
    """The command of a sweep over all layers."""
    return command("run", LAYERS, *USUAL, *FAST, "--device", "host", "--database", database, *more)


def environment(trace="", poison=""):
    """The environment of a process whose tasks are traced and may be poisoned (sitecustomize.py)."""
    own = {"CONV_TEST_POISON": poison, "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": "ignore::RuntimeWarning"}
    return {**os.environ, **own, **({"CONV_TEST_TRACE": str(trace)} if trace else {})}


def find_spaces():
    problems = read_problems(LAYERS, (), DIRECTIONS, "f16")
    return {problem: find_space(problem, "host", SIZES["quick"], UNITS) for problem in problems}


def planned():
    """The problem and the schedule of each candidate of all layers."""
    return {(space.line, one.schedule) for space in find_spaces().values() for one in space.candidates}


def kernels():
    """The problem and the code of each candidate, which different schedules may share."""
    return {
        (space.line, _compiler.compute_code(problem, "host", one.schedule))
        for problem, space in find_spaces().items()
        for one in space.candidates
    }


def keys(database, table=None):
    with Database(database) as opened:
        assert not opened.verify()
        return [(row.problem, row.schedule) for row in (opened.rows(table) if table else opened.rows())]


def quarantined(database):
    return keys(database, Quarantined)


def timed(trace):
    """How often the timing of each candidate was completed."""
    lines = pathlib.Path(trace).read_text().splitlines() if os.path.exists(trace) else []
    return collections.Counter(line.split(" ", 2)[2] for line in lines if line.startswith("time "))


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)


def count(trace):
    return sum(timed(trace).values())


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def run(arguments, **named):
    """Run a command; return its exit code, standard output and standard error."""
    done = subprocess.run(arguments, capture_output=True, text=True, **named)
    return done.returncode, done.stdout, done.stderr

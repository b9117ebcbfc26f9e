"""Prints the powers 1/2 and -1/2 of numbers with which roots and powers differ: `roots.py PACK TARGET`."""

import subprocess
import sys
import tempfile
from pathlib import Path

from arrays import load, save

INFINITY = float("inf")
# The function negates them: -0.0, minus infinity, infinity, 4, 0.25, -1.
NUMBERS = [0.0, INFINITY, -INFINITY, -4.0, -0.25, 1.0]

with tempfile.TemporaryDirectory() as directory:
    folder = Path(directory)
    save(folder / "x.npy", (1, 1, 6, 1), "f", NUMBERS)
    save(folder / "w.npy", (1, 1, 1, 1), "f", [1.0])
    target = sys.argv[2]
    device = "sim" if target.startswith("sim:") else target
    command = ["conv-run", sys.argv[1], "--target", target, "--device", device]
    for name in ("x", "w"):
        command += ["--input", f"{name}={folder}/{name}.npy"]
    for name in ("root", "inverse"):
        command += ["--output", f"{name}={folder}/{name}.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for name in ("root", "inverse"):
        print(f"{target} {name}:", *load(folder / f"{name}.npy", "f"))

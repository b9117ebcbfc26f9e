"""Runs a command with different limits of memory: little_memory.py CODE PROGRAM ARGUMENTS...

A run without enough memory must end with CODE, and a last line that says so. Where it runs out of memory varies, so many limits are
tried.
"""

import resource
import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
MEGABYTE = 1 << 20
ANSWERS = ("error: out of memory", "no thread to read it")


def run(megabytes, command):
    limit = megabytes * MEGABYTE
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )


def least_memory_to_start():
    """The megabytes with which the program's libraries load and construct their globals, which is before any of our code."""
    too_little, enough = 1, 1 << 14
    while enough - too_little > 1:
        middle = (too_little + enough) // 2
        if run(middle, [command[0], "--version"]).returncode:
            too_little = middle
        else:
            enough = middle
    return enough


refused = 0
start = least_memory_to_start()
for megabytes in range(start + 4, start + 100, 4):
    result = run(megabytes, command)
    if result.returncode == 0:
        continue
    if result.returncode != expected or not result.stderr.rstrip().endswith(ANSWERS):
        sys.exit(f"{megabytes} MB: exit code {result.returncode}, {result.stderr!r}")
    refused += 1
if not refused:
    sys.exit("expects amounts of memory that are too little")

"""Runs a command with different limits of memory: little_memory.py CODE COMMAND...

A run without enough memory must end with CODE and one line. Where it runs out of memory varies, so many limits are tried.
"""

import resource
import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]


def run(kilobytes):
    limit = kilobytes * 1024
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )


refused = 0
for kilobytes in range(330000, 420000, 5000):
    result = run(kilobytes)
    if result.returncode in (0, 127):  # The memory is enough, or too little to load libraries.
        continue
    lines = result.stderr.splitlines()
    if result.returncode != expected or len(lines) != 1:
        sys.exit(f"{kilobytes} KB: exit code {result.returncode}, {result.stderr!r}")
    refused += 1
if not refused:
    sys.exit("expects amounts of memory that are too little")

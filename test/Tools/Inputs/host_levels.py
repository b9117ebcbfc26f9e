"""Compares standard input with a line in which {} stands for the levels of this processor, best first, by commas.

    host_levels.py LINE
"""

import re
import sys

with open("/proc/cpuinfo", encoding="utf-8") as file:
    flags = set(re.search(r"^flags\s*:(.*)$", file.read(), re.MULTILINE).group(1).split())
levels = ["host"]
if flags >= {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}:
    levels.insert(0, "host_v4")
    if "avx512_bf16" in flags:
        levels.insert(0, "host_v4_bf16")
expected, found = sys.argv[1].format(",".join(levels)), sys.stdin.read().strip()
if found != expected:
    sys.exit(f"expects '{expected}', but got '{found}'")

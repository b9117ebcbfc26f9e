"""Checks what `conv-run --counters --json` counted: bytes that lanes asked for, relative to those that were touched at all, and
bytes of the 128-byte segments that accesses touched, likewise.

    moved.py MOST_MOVED [MOST_SEGMENTS]
"""

import json
import sys

counters = json.load(sys.stdin)["counters"]
moved, touched = (
    sum(counters[f"global_{kind}bytes_{way}"] for way in ("read", "written")) for kind in ("", "unique_")
)
ratios = moved / touched, 128 * counters["global_segments_128"] / touched
print("asked for %.3f times what was touched, in segments of %.3f times that" % ratios)
limits = [float(text) for text in sys.argv[1:]]
sys.exit(any(ratio > limit for ratio, limit in zip(ratios, limits)))

#!/usr/bin/env python3
"""Count the instructions of the main loop of an AMD kernel.

Usage: conv-compile ... --emit=asm | count_main_loop.py

The main loop is the loop with the most matrix instructions. The script prints the number of instructions of each kind in
one iteration of one wave, and the prefetch distance: the least number of matrix instructions between a load and the wait
for it, and the number in an iteration. The registers and the shared memory of the kernel follow.
"""

import re
import sys

KINDS = [
    ("matrix", r"v_(mfma|smfmac|wmma|swmmac)"),
    ("loads", r"(buffer|global|flat)_load"),
    ("shared_reads", r"ds_(read|load)"),
    ("shared_writes", r"ds_(write|store)"),
    ("vector", r"v_"),
    ("barriers", r"s_barrier(_wait)?$"),
    ("cache_invalidations", r"(global_inv|buffer_gl\d_inv|buffer_inv)"),
    ("scratch", r"scratch_|buffer_.* off, s\[0:3\]"),
]
#: Each load is waited for after at most this many iterations.
AHEAD = 4
RESOURCES = ["vgpr_count", "group_segment_fixed_size", "vgpr_spill_count", "private_segment_fixed_size"]


def find_kind(instruction):
    """The first of KINDS that matches an instruction, or None."""
    name = instruction.split()[0]
    return next((kind for kind, pattern in KINDS if re.match(pattern, name)), None)


def read_loops(assembly):
    """The instructions of every loop: those between a label and a branch back to it."""
    instructions, labels, loops = [], {}, []
    for line in assembly.splitlines():
        line = line.split(";")[0].strip()
        if label := re.match(r"(\.LBB\w+):", line):
            labels[label[1]] = len(instructions)
        elif re.match(r"[a-z]\w+", line):
            instructions.append(line)
            branch = re.match(r"s_c?branch\w*\s+(\.LBB\w+)", line)
            if branch and branch[1] in labels:
                loops.append(instructions[labels[branch[1]] :])
    return loops


def count_waited(instruction):
    """How many loads may be in flight after an instruction; None if it does not wait for loads."""
    if wait := re.match(r"s_waitcnt\b.*vmcnt\((\d+)\)", instruction):
        return int(wait[1])
    if wait := re.match(r"s_wait_loadcnt\s+(\w+)$", instruction):
        return int(wait[1], 0)
    if wait := re.match(r"s_wait_loadcnt_dscnt\s+(\w+)$", instruction):
        return int(wait[1], 0) >> 8
    return None


def measure_distance(loop):
    """The least number of matrix instructions between a load and the wait for it, over consecutive iterations."""
    waiting, distances, products = [], [], 0
    for iteration in range(2 * AHEAD):
        for instruction in loop:
            kind = find_kind(instruction)
            products += kind == "matrix"
            if kind == "loads":
                waiting.append(products)
            left = count_waited(instruction)
            while left is not None and len(waiting) > left:
                distance = products - waiting.pop(0)
                if iteration >= AHEAD:
                    distances.append(distance)
    return min(distances, default=0)


def main():
    assembly = sys.stdin.read()
    loops = read_loops(assembly)
    counts = [[find_kind(instruction) for instruction in loop].count("matrix") for loop in loops]
    if not any(counts):
        sys.exit("expects a loop with matrix instructions, but got none")
    loop = loops[counts.index(max(counts))]
    kinds = [find_kind(instruction) for instruction in loop]
    for kind, _ in KINDS:
        print(f"{kind}: {kinds.count(kind)}")
    print(f"load_distance: {measure_distance(loop)} of {max(counts)}")
    for name in RESOURCES:
        values = [int(value) for value in re.findall(rf"^\s*\.{name}:\s*(\d+)", assembly, flags=re.M)]
        print(f"{name}: {max(values, default=0)}")


if __name__ == "__main__":
    main()

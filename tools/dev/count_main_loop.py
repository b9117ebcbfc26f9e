#!/usr/bin/env python3
"""Count the instructions of the main loop of an AMD kernel.

Usage: conv-compile ... --emit=asm | count_main_loop.py

The main loop is the loop with the most matrix instructions. Of one iteration and one wave it prints how many
instructions of each kind there are, and how far loads are ahead: the matrix instructions between a load and the wait
for it, at least, of all those of the iteration. Then come the registers and the shared memory of its kernel.
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
#: Iterations after which a load is waited for, at most.
AHEAD = 4
RESOURCES = ["vgpr_count", "group_segment_fixed_size", "vgpr_spill_count", "private_segment_fixed_size"]


def find_kind(instruction):
    """The first of KINDS that an instruction is one of; None for the others."""
    name = instruction.split()[0]
    return next((kind for kind, pattern in KINDS if re.match(pattern, name)), None)


def read_loops(assembly):
    """The instructions of every loop: what lies between a label and a branch back to it."""
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
    """How many loads may still be on their way after a wait; None if it waits for no load."""
    if wait := re.match(r"s_waitcnt\b.*vmcnt\((\d+)\)", instruction):
        return int(wait[1])
    if wait := re.match(r"s_wait_loadcnt\s+(\w+)$", instruction):
        return int(wait[1], 0)
    if wait := re.match(r"s_wait_loadcnt_dscnt\s+(\w+)$", instruction):
        return int(wait[1], 0) >> 8
    return None


def measure_distance(loop):
    """The fewest matrix instructions between a load and the wait for it, over iterations that follow each other."""
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

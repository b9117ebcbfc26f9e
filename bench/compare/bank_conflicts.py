"""Count the bank conflicts of shared memory in staged GEMMs for AMD chips, over the tiles that a schedule can have.

    python3 bench/compare/bank_conflicts.py --targets gfx942,gfx1201 --tiles 40

For each problem and chip, the script lists all schedules (`conv-compile --emit=schedules`), takes the first tiles of an order
that mixes them, and compiles each. `conv-clock` counts the conflicts of an iteration of its main loop, or of a whole wave if
there is no loop, by the addresses of its own instructions, of writes and of reads. Both tools are found on the path. The exit
code is 1 if there are conflicts.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import json
import re
import sys

from clock import CHIPS, call, short
from problem import COMMANDS, DIRECTIONS
import clock

#: Both operands have 16-byte vectors along the reduction in forward convolutions, and along the rows in gradients of filters;
#: in gradients of inputs, the filter is the only one with these.
LAYER = "--layout nhwc -n 4 -c 128 -k 128 -H 14 -W 14 -y 3 -x 3 -p 1 -q 1"
#: What does not change where a tile is in shared memory.
ELSEWHERE = re.compile(r", (raster|splits|last_round) = \w+")


def name_tile(schedule):
    """The schedule without what does not concern its tile."""
    return short(ELSEWHERE.sub("", schedule))


def list_tiles(module, target, count):
    """Up to `count` schedules of staged GEMMs with different tiles."""
    text = call("conv-compile", "-", f"--target={target}", "--emit=schedules", text=module) or ""
    schedules = (json.loads(line)["schedule"] for line in text.splitlines())
    tiles = {}
    for schedule in schedules:
        if "#conv.staged_gemm" in schedule:
            tiles.setdefault(name_tile(schedule), schedule)
    mixed = sorted(tiles, key=lambda tile: hashlib.sha256(tile.encode()).digest())
    return [tiles[tile] for tile in mixed[:count]]


def count_conflicts(module, target, schedule):
    """The conflicts of an iteration, or of a wave without a loop; None if the schedule is refused or cannot be clocked."""
    report = clock.clock(module, target, schedule)
    return report and report["conflicts"]


def parse_options():
    def names(text):
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=names, default=CHIPS.split(","), help=f"({CHIPS})")
    parser.add_argument("--dtype", type=names, default=["f16", "f32", "i8"], help=f"{', '.join(COMMANDS)} (f16,f32,i8)")
    parser.add_argument("--directions", type=names, default=list(DIRECTIONS), help=f"({','.join(DIRECTIONS)})")
    parser.add_argument("--layer", default=LAYER, help=f"in conv-gen's grammar ({LAYER})")
    parser.add_argument("--tiles", type=int, default=20, help="of each problem and chip (20)")
    parser.add_argument("--jobs", type=int, default=1, help="tiles that are clocked at a time (1)")
    return parser.parse_args()


def main():
    options = parse_options()
    tasks = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for dtype, direction in itertools.product(options.dtype, options.directions):
            command = [*COMMANDS[dtype].split(), *options.layer.split(), "-F", str(DIRECTIONS[direction])]
            module = call("conv-gen", *command)
            for target in options.targets if module else ():
                for schedule in list_tiles(module, target, options.tiles):
                    task = pool.submit(count_conflicts, module, target, schedule)
                    tasks.append((target, f"{dtype} {direction}", schedule, task))
    counts = collections.defaultdict(collections.Counter)
    for target, problem, schedule, task in tasks:
        conflicts = task.result()
        counts[target]["tiles" if conflicts is not None else "not clocked"] += 1
        if conflicts:
            counts[target]["with conflicts"] += 1
            print(f"{conflicts:6} {target} {problem}: {name_tile(schedule)}")
    for target, count in counts.items():
        print(f"{target}: {count['with conflicts']} of {count['tiles']} with conflicts, {count['not clocked']} not clocked")
    return int(any(count["with conflicts"] for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())

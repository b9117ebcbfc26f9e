#!/usr/bin/env python3
"""Summarise the random lists of a page such as bench/results/unlisted.md by type and layout.

    python3 bench/compare/random_lists.py bench/results/unlisted.md
    python3 bench/compare/random_lists.py bench/results/unlisted.md --write

A row of a list is `| ``--random N --seed S``, TYPE, LAYOUT | MEAN (LEAST; BELOW) | ... |` with a cell for each direction. The table
has, for each type and layout, the numbers of lists and layers, and for each direction the geometric mean over all layers (each list
counts as often as it has layers), the least, and the number of layers below 0.95. It stands in the page between two comments; `--write`
puts it there, and without it the exit code is 1 if the page has another table.
"""

import argparse
import math
import pathlib
import re
import sys

DIRECTIONS = ("forward", "backward_data", "backward_weight")
BEGIN, END = "<!-- random_lists.py -->\n", "<!-- end -->\n"
ROW = re.compile(r"^\| `--random (\d+) --seed \d+`, (\w+), ([^|]+?) \|(.*)\|$", re.MULTILINE)
CELL = re.compile(r"([\d.]+) \(([\d.]+); (\d+)\)")


def read_lists(page):
    """For each list of a page: type, layout, number of layers, and for each direction the mean, the least, the number below 0.95."""
    for layers, dtype, layout, cells in ROW.findall(page):
        found = CELL.findall(cells)
        if len(found) != len(DIRECTIONS):
            raise ValueError(f"expects {len(DIRECTIONS)} directions, but got {cells}")
        yield dtype, layout, int(layers), [(float(mean), float(least), int(below)) for mean, least, below in found]


def summarize(lists):
    """The cells of a row: how many lists and layers, and the three numbers of each direction over all of them."""
    layers = sum(count for _, _, count, _ in lists)
    cells = [str(len(lists)), str(layers)]
    for direction in range(len(DIRECTIONS)):
        log = sum(count * math.log(each[direction][0]) for _, _, count, each in lists) / layers
        least = min(each[direction][1] for *_, each in lists)
        below = sum(each[direction][2] for *_, each in lists)
        cells.append(f"{math.exp(log):.2f} ({least:.2f}; {below})")
    return cells


def format_table(lists):
    rows = [["type, layout", "lists", "layers", *DIRECTIONS], ["---"] * (3 + len(DIRECTIONS))]
    for key in sorted({(dtype, layout) for dtype, layout, *_ in lists}):
        rows.append([", ".join(key), *summarize([each for each in lists if each[:2] == key])])
    rows.append(["all", *summarize(lists)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path, help="the page that has the rows and the table")
    parser.add_argument("--write", action="store_true", help="put the table into the page (default: compare it with the page's)")
    args = parser.parse_args()
    page = args.page.read_text(encoding="utf-8")
    table = format_table(list(read_lists(page)))
    before, begin, rest = page.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        parser.error(f"expects {BEGIN.strip()} and {END.strip()} in {args.page}")
    print(table, end="")
    if args.write:
        args.page.write_text(before + begin + table + end + after, encoding="utf-8")
    elif old != table:
        print(f"{args.page} has another table; --write replaces it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

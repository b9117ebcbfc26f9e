#!/usr/bin/env python3
"""Print what the demo found out, one line per target.

    demo_table.py ARTIFACT FOLDER TARGET...

FOLDER has `demo-TARGET.json` and `demo-TARGET-bench.json`, as conv-run wrote them.
"""

import json
import pathlib
import sys
import zipfile

COLUMNS = [
    ("target", 8), ("simulated in", 14), ("GFLOP/s", 9), ("error/bound", 13), ("wrong", 7),
    ("matrix instr.", 15), ("LDS conflicts", 15), ("read/needed", 13), ("registers", 11), ("spills", 8), ("code", 9),
]


def code_entry(archive, target):
    """The manifest entry of a target and the size of its code object."""
    manifest = json.loads(archive.read("manifest.json"))
    entry = next(entry for entry in manifest["entries"] if entry["target"] == target)
    size = sum({launch["code"]: archive.getinfo(launch["code"]).file_size for launch in entry["launches"]}.values())
    return entry, size


def row(archive, folder, target):
    run = json.loads((folder / f"demo-{target}.json").read_text())
    bench = json.loads((folder / f"demo-{target}-bench.json").read_text())["bench"]
    verified, counters = run["verified"][0], run["counters"]
    entry, size = code_entry(archive, target)
    resources = entry["launches"][0]["resources"]
    return [
        target,
        f"{bench['median_milliseconds']:.1f} ms",
        f"{bench['gflops']:.2f}",
        f"{verified['largest_error_over_bound']:.3f}",
        str(verified["wrong"]),
        str(counters["matrix_instructions"]),
        str(counters["lds_bank_conflicts"]),
        f"{counters['global_bytes_read'] / counters['global_unique_bytes_read']:.1f}x",
        f"{resources['vgpr'] + resources['agpr']}",
        str(resources["spills"] + resources["scratch_bytes"]),
        f"{size / 1024:.1f} kB",
    ]


def main(artifact, folder, *targets):
    print("".join(name.ljust(width) for name, width in COLUMNS))
    with zipfile.ZipFile(artifact) as archive:
        for target in targets:
            cells = row(archive, pathlib.Path(folder), target)
            print("".join(cell.ljust(width) for cell, (_, width) in zip(cells, COLUMNS)))
    print(f"\nThe artifact is {artifact}")


if __name__ == "__main__":
    main(*sys.argv[1:])

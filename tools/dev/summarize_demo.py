#!/usr/bin/env python3
"""Print the table of the demo, which has one column for each chip.

Usage: summarize_demo.py ARTIFACT TIMING REPORT ...

ARTIFACT has for each chip the code objects of the chip and of its simulator. TIMING is the output of conv-compile --timing.
For each simulated chip, conv-run wrote REPORT.json with --verify --counters, and REPORT-time.json with --bench.
"""

import json
import sys
import zipfile

ROWS = [
    "compiled to a code object",
    "simulated (not a GPU's time)",
    "simulated with all checks and counters",
    "elements compared / wrong",
    "largest error, part of its bound",
    "matrix instructions, by waves",
    "LDS bank conflicts",
    "bytes read by all lanes / compulsory",
    "bytes written / compulsory",
    "registers: vector, accumulation, scalar",
    "spills / scratch bytes",
    "LDS bytes in a workgroup",
    "workgroups x work-items",
    "code object, bytes",
]


def compile_milliseconds(lines, chip):
    """The milliseconds of all stages of one target, from lines such as `12.34  gpu  gfx942  conv2_3x3`."""
    rows = [line.split() for line in lines[1:]]
    return sum(float(row[0]) for row in rows if len(row) == 4 and row[2] == chip)


def describe_traffic(counters, direction):
    """The bytes that all lanes access, and the bytes that every kernel must access."""
    return f"{counters[f'global_bytes_{direction}']:,} / {counters[f'global_unique_bytes_{direction}']:,}"


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def describe(pack, timing, path):
    """The column of one chip: its name, and a text for each row."""
    report, bench = read_json(f"{path}.json"), read_json(f"{path}-time.json")["bench"]
    chip = report["target"].removeprefix("sim:")
    manifest = json.loads(pack.read("manifest.json"))
    (entry,) = (entry for entry in manifest["entries"] if entry["target"] == chip)
    (launch,) = entry["launches"]
    (result,) = report["verified"]
    counters = report["counters"]
    uses = launch["resources"]
    number = "{:,}".format
    return chip, [
        f"{compile_milliseconds(timing, chip):.0f} ms",
        f"{bench['median_milliseconds']:.0f} ms, {bench['gflops']:.1f} GFLOP/s",
        f"{report['milliseconds']:.0f} ms",
        f"{number(result['elements'])} / {result['wrong']}",
        f"{result['largest_error']:.5f}, {result['largest_error_over_bound']:.2f}",
        number(counters["matrix_instructions"]),
        number(counters["lds_bank_conflicts"]),
        describe_traffic(counters, "read"),
        describe_traffic(counters, "written"),
        f"{uses['vgpr']}, {uses['agpr']}, {uses['sgpr']}",
        f"{uses['spills']} / {uses['scratch_bytes']}",
        number(uses["shared_bytes"]),
        f"{launch['grid'][0]} x {launch['block'][0]}",
        number(pack.getinfo(launch["code"]).file_size),
    ]


def main(artifact, timing_path, *report_paths):
    with open(timing_path, encoding="utf-8") as file:
        timing = file.read().splitlines()
    with zipfile.ZipFile(artifact) as pack:
        columns = [describe(pack, timing, path) for path in report_paths]
    label_width = max(map(len, ROWS))
    widths = [max(map(len, [chip, *cells])) for chip, cells in columns]
    print(f"{'':{label_width}}" + "".join(f"  {chip:>{width}}" for (chip, _), width in zip(columns, widths)))
    for i, label in enumerate(ROWS):
        print(f"{label:{label_width}}" + "".join(f"  {cells[i]:>{width}}" for (_, cells), width in zip(columns, widths)))
    print(f"\nNo GPU was used. The artifact, for conv-run and for a GPU:\n  {artifact}")


if __name__ == "__main__":
    main(*sys.argv[1:])

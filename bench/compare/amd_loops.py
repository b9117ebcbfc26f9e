"""Clock the default kernels of seven convolutions on AMD chips: the table of docs/amd-kernels.md.

    python3 bench/compare/amd_loops.py --output loops.json
    python3 bench/compare/amd_loops.py --targets gfx950 --dtype bf16 --output loops.json --packs packs

`conv-gen`, `conv-compile` and `conv-clock` are found on the path. A row is added to the file, or replaced, for each
problem, chip and type. `--packs` keeps the artifacts, so that another model can judge the same code. The modelled times
of other compilers are in bench/results: amd_loops_others.csv by another model, amd_loops_triton.csv by conv-clock
(amd_triton.py). The script compares with them if the type is f16.
"""

import argparse
import concurrent.futures
import csv
import json
import math
import pathlib
import sys
import tempfile

from clock import call
from files import read_json, write_file
from problem import COMMANDS

CHIPS = "gfx90a,gfx942,gfx950,gfx1100,gfx1201"
NHWC = "--in_layout NHWC --fil_layout NHWC --out_layout NHWC"
_UNIT = "-u 1 -v 1 -l 1 -j 1 -g 1"
_LARGE = f"-n 128 -c 384 -H 64 -W 64 -k 384 -y 3 -x 3 -p 1 -q 1 {_UNIT}"
#: For each problem, the name that the documentation uses, and the arguments of conv-gen after the type.
PROBLEMS = {
    "64, 256->256, 3x3, 14x14": f"-n 64 -c 256 -H 14 -W 14 -k 256 -y 3 -x 3 -p 1 -q 1 {_UNIT} -F 1",
    "64, 64->64, 3x3, 56x56": f"-n 64 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 {_UNIT} -F 1",
    "64, 1024->256, 1x1, 14x14": f"-n 64 -c 1024 -H 14 -W 14 -k 256 -y 1 -x 1 -p 0 -q 0 {_UNIT} -F 1",
    "128, 384->384, 3x3, 64x64": f"{_LARGE} -F 1",
    "1, 512->512, 3x3, 256x256": f"-n 1 -c 512 -H 256 -W 256 -k 512 -y 3 -x 3 -p 1 -q 1 {_UNIT} -F 1",
    "gradient of the input of 128, 384->384": f"{_LARGE} -F 2",
    "gradient of the filter of 128, 384->384": f"{_LARGE} -F 4",
}
RESULTS = pathlib.Path(__file__).parents[1] / "results"
OTHERS = (RESULTS / "amd_loops_others.csv", RESULTS / "amd_loops_triton.csv")


def clock_default(name, target, dtype, packs):
    """The row of a problem: what conv-clock reports on its default schedule; None if the problem does not compile."""
    module = call("conv-gen", *COMMANDS[dtype].split(), *PROBLEMS[name].split(), *NHWC.split())
    with tempfile.TemporaryDirectory() as folder:
        number = list(PROBLEMS).index(name)
        pack = pathlib.Path(packs or folder) / f"{number}-{target}-{dtype}.convpack"
        if call("conv-compile", "-", f"--target={target}", "-o", str(pack), text=module) is None:
            return None
        text = call("conv-clock", str(pack), "--json")
    explained = call("conv-compile", "-", f"--target={target}", "--explain=json", text=module)
    if text is None or explained is None:
        return None
    [entry] = json.loads(text)["entries"]
    longest = max(entry["launches"], key=lambda launch: launch["microseconds"])
    kernel = next(one for one in map(json.loads, explained.splitlines()) if "schedule" in one)
    loop = longest.get("loop") or {}
    return {
        "problem": name,
        "target": target,
        "dtype": dtype,
        "microseconds": entry["microseconds"],
        "utilization": loop.get("utilization"),
        "stalls": loop.get("stalls"),
        "busy": loop.get("busy"),
        "registers": longest["registers"],
        "resident_workgroups": longest["resident_workgroups"],
        "unknown_addresses": longest["unknown_addresses"],
        "schedule": kernel["schedule"],
    }


def read_others(paths):
    """The modelled microseconds of other compilers, by compiler, problem and chip."""
    others = {}
    for path in filter(pathlib.Path.exists, paths):
        with path.open(encoding="utf-8") as file:
            others.update(((row["compiler"], row["problem"], row["target"]), float(row["us"])) for row in csv.DictReader(file))
    return others


def print_table(rows, targets, dtype, show):
    """Print a row for each problem and a column for each chip."""
    print(f"\n| {dtype} | " + " | ".join(targets) + " |\n| --- |" + " --- |" * len(targets))
    for name in PROBLEMS:
        cells = [rows.get((name, target, dtype)) for target in targets]
        print(f"| {name} | " + " | ".join(show(cell) if cell else "refused" for cell in cells) + " |")


def print_ratios(rows, targets, dtype, others):
    """Print the geometric mean and the maximum of our time over the time of each other compiler."""
    for compiler in dict.fromkeys(key[0] for key in others):
        for target in targets:
            ratios = {
                name: rows[name, target, dtype]["microseconds"] / others[compiler, name, target]
                for name in PROBLEMS
                if (compiler, name, target) in others and rows.get((name, target, dtype))
            }
            if ratios:
                mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
                worst = max(ratios, key=ratios.get)
                print(f"over {compiler}, {target}: {mean:.2f}, at most {ratios[worst]:.2f} ({worst})")


def parse_options():
    def names(text):
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=names, default=CHIPS.split(","), help=f"({CHIPS})")
    parser.add_argument("--dtype", type=names, default=["f16"], help=f"by commas: {', '.join(COMMANDS)} (f16)")
    parser.add_argument("--jobs", type=int, default=1, help="kernels that are clocked at a time (1)")
    parser.add_argument("--packs", help="a folder to keep the artifacts in")
    parser.add_argument("--output", required=True, help="JSON with a row for each problem, chip and type")
    return parser.parse_args()


def main():
    options = parse_options()
    output = pathlib.Path(options.output)
    rows = {(row["problem"], row["target"], row["dtype"]): row for row in (read_json(output) if output.exists() else [])}
    keys = [(name, target, dtype) for dtype in options.dtype for target in options.targets for name in PROBLEMS]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for key, row in zip(keys, pool.map(lambda key: clock_default(*key, options.packs), keys)):
            print(*key, f"{row['microseconds']:.1f} us" if row else "refused", file=sys.stderr)
            if row:
                rows[key] = row
    write_file(output, json.dumps(list(rows.values()), indent=1) + "\n")
    for dtype in options.dtype:
        print_table(rows, options.targets, dtype, lambda row: f"{row['utilization'] or 0:.2f}")
        print_table(rows, options.targets, dtype, lambda row: f"{row['microseconds']:.4g}")
    if "f16" in options.dtype:
        print_ratios(rows, options.targets, "f16", read_others(OTHERS))


if __name__ == "__main__":
    main()

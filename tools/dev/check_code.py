#!/usr/bin/env python3
"""Compile many problems for many chips, and search the code for spills and for sums that lose the sign of zero.

Usage: check_code.py [--bin FOLDER] [--count N] [--seed N] [--targets NAMES] [--run] [LISTS.json...]

Problems are drawn from shape lists (bench/shapes/models.json, test/shapes/tests.json), in every direction, type and layout,
together with problems that once had such code. With --run, small problems also run in the simulator, which refuses reads
and writes whose offset wraps around 32 bits. Prints one row for each target; the exit code is 1 if anything was found.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "compare"))

from problem import DIRECTIONS, Problem, read_lists  # noqa: E402

TARGETS = "gfx90a,gfx942,gfx950,gfx1100,gfx1201"
LISTS = [ROOT / "bench" / "shapes" / "models.json", ROOT / "test" / "shapes" / "tests.json"]
LAYOUTS = ["NHWC"] * 3 + ["NCHW"]
# The simulator takes a second or two for this many multiplications.
MAX_SIMULATED = 2e7
# A product plus zero in place of the product is wrong for a product of -0: the sum of -0 and +0 is +0.
LOST_SIGN = re.compile(r"\bv_(?:pk_)?fma_mix(?:lo|hi)_f16 .*, 0(?= |$)", re.MULTILINE)
INSTRUCTION = re.compile(r"^\t[a-z]", re.MULTILINE)
SPILLS = ("scratch_bytes", "spills")

# Problems whose code once had spills, wrapped offsets or lost signs.
KNOWN = [
    "convfp16 -n 1 -c 1 -k 64 -F 2 -H 8 -W 4 -y 3 -x 1 -p 1 -q 0 -u 2 -v 2",
    "conv -F 1 -n 1 -c 3 -k 384 -H 28 -W 28 -y 14 -x 14 -u 14 -v 14",
    "convint8 -F 2 -n 1 -c 16 -k 32 -H 9 -W 11 -p 1 -q 1",
    "convfp16 -F 1 -n 1 -c 1 -H 4 -W 4 -k 16 -y 1 -x 1 --scale -0.375",
    "convfp16 -F 1 -n 2 -c 32 -H 8 -W 8 -k 64 -y 1 -x 1 --activation gelu",
    "convbfp16 -F 2 -n 2 -c 64 -k 17 -H 14 -W 14 -y 3 -x 3 -p 1 -q 1",
]


def with_layout(command, layout):
    return [*command, *(word for name in ("in", "fil", "out") for word in (f"--{name}_layout", layout))]


def draw(lists, count, generator):
    """The arguments of conv-gen for the known and `count` random problems, each with its number of multiplications."""
    known = [(command.split(), 0) for command in KNOWN]
    commands = [(with_layout(command, layout), work) for command, work in known for layout in ("NHWC", "NCHW")]
    shapes = [shape for path in lists for entries in read_lists(path).values() for shape in entries]
    for _ in range(count):
        shape = generator.choice(shapes)
        dtype = generator.choice(["f16", "bf16", "f32", "i8"])
        problem = Problem.parse(shape, dtype, generator.choice(list(DIRECTIONS)))
        command = problem.generator_arguments()
        if len(shape["spatial"]) == 2:
            command = with_layout(command, generator.choice(LAYOUTS))
        commands.append((command, problem.flops / 2))
    return commands


class Compiled:
    """The spills, lost signs and instructions of the code of one problem for one target."""

    def __init__(self, entry, code, disassembler):
        resources = [launch["resources"] for launch in entry["launches"] if "resources" in launch]
        self.spilled = sum(resource[name] for resource in resources for name in SPILLS)
        self.lost = self.instructions = 0
        if code.suffix == ".hsaco":
            text = subprocess.run([disassembler, "-d", code], capture_output=True, text=True, check=True).stdout
            self.instructions = len(INSTRUCTION.findall(text))
            self.lost = len(LOST_SIGN.findall(text))


def compile_for(command, target, options, folder):
    source, pack = folder / "problem.mlir", folder / "problem.convpack"
    generated = subprocess.run([options.bin / "conv-gen", *command], capture_output=True, text=True, check=False)
    if generated.returncode != 0:
        return generated.stderr
    source.write_text(generated.stdout, encoding="utf-8")
    compiler = [options.bin / "conv-compile", source, "--target", target, "-o", pack]
    compiled = subprocess.run(compiler, capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        return compiled.stderr
    with zipfile.ZipFile(pack) as archive:
        archive.extractall(folder)
    (entry,) = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["entries"]
    return Compiled(entry, folder / entry["launches"][0]["code"], options.disassembler)


def simulate(target, options, folder):
    """The message of a run that fails; empty if the run is right."""
    runner = [options.bin / "conv-run", folder / "problem.mlir", "--target", target, "--device", "sim", "--verify"]
    run = subprocess.run(runner, capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else (run.stderr + run.stdout).strip()


def check(job):
    (command, work), target, options = job
    line = " ".join(command)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        result = compile_for(command, target, options, folder)
        if isinstance(result, str):
            return target, None, [f"{target}: {line}: {result.strip()}"] if "unsupported" not in result else []
        problems = []
        if result.spilled:
            problems.append(f"{target}: {line}: {result.spilled} spilled registers or bytes of scratch memory")
        if result.lost:
            problems.append(f"{target}: {line}: {result.lost} products plus zero")
        if options.run and target.startswith("gfx") and work <= MAX_SIMULATED:
            wrong = simulate(target, options, folder)
            problems += [f"{target}: {line}: {wrong}"] if wrong else []
        return target, result, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "bin", help="folder of the tools")
    parser.add_argument("--count", type=int, default=100, help="random problems")
    parser.add_argument("--seed", type=int, default=0, help="of the random problems (default: 0)")
    parser.add_argument("--targets", default=TARGETS, help="by commas (default: a chip of each kind)")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at once (default: 2)")
    parser.add_argument("--run", action="store_true", help="run small problems in the simulator")
    parser.add_argument(
        "--disassembler",
        default=shutil.which("llvm-objdump-22") or shutil.which("llvm-objdump"),
        help="LLVM's llvm-objdump (default: the one on the path)",
    )
    parser.add_argument(
        "lists",
        nargs="*",
        type=pathlib.Path,
        default=LISTS,
        help="files of shape lists to draw from (default: those of bench/shapes)",
    )
    options = parser.parse_args()

    commands = draw(options.lists, options.count, random.Random(options.seed))
    targets = options.targets.split(",")
    jobs = [(command, target, options) for command in commands for target in targets]
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(check, jobs):
            results.append(result)
            for problem in result[2]:
                print(problem, flush=True)
    print("| target | compiled | instructions | with spills | with lost signs |")
    print("| --- | --- | --- | --- | --- |")
    for name in targets:
        found = [result for target, result, _ in results if target == name and result]
        spilled = sum(result.spilled > 0 for result in found)
        lost = sum(result.lost > 0 for result in found)
        print(f"| {name} | {len(found)} | {sum(result.instructions for result in found)} | {spilled} | {lost} |")
    return int(any(problems for *_, problems in results))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Check which outputs of front ends compile for host and gfx942, and whether they compute what PyTorch computes.

Usage:
  try_front_ends.py export DIRECTORY [SOURCE...]        in an environment with torch and torch-mlir
  try_front_ends.py try BIN DIRECTORY [SOURCE...]       compiles what was exported, runs it, and compares
  try_front_ends.py lines BIN DIRECTORY FILE.txt...     compiles lines of MIOpenDriver or rocMLIR's generator

Sources are keys of SOURCES (default: all). `try` and `lines` write errors beside each input, print a table with a row
for each source, and below each row the refused inputs by reason.
"""

import collections
import concurrent.futures
import itertools
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy

TARGETS = "host,gfx942"
SECONDS = 60  # A compilation that takes longer hangs.


def tell(path, suffix):
    return path.with_name(path.name.removesuffix(".mlir") + suffix)


#
# Compiling and running one file
#


def compile_file(binaries, path):
    """The outcome of a compilation: "compiled", the code of a refusal, or how it failed."""
    pack = tell(path, ".convpack")
    command = [f"{binaries}/conv-compile", path, f"--target={TARGETS}", "-o", pack]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs"
    if result.returncode == 0:
        return "compiled"
    tell(path, ".txt").write_text(result.stderr)
    code = re.search(r"unsupported \((\S+)\)", result.stderr)
    return code[1] if code else f"exit code {result.returncode}"


def is_close(result, expected, tolerance):
    atol = tolerance * numpy.abs(expected).max(initial=1)
    return result.shape == expected.shape and numpy.allclose(result, expected, rtol=tolerance, atol=atol, equal_nan=True)


def list_arrays(path, kind):
    """The arrays of one kind beside a file, in the order of their numbers."""
    paths = (tell(path, f".{kind}{number}.npy") for number in itertools.count())
    return list(itertools.takewhile(Path.exists, paths))


def run_file(binaries, path):
    """Whether the host's results are PyTorch's: "equal", "verified" for types without arrays, or how they differ."""
    pack = tell(path, ".convpack")
    with zipfile.ZipFile(pack) as archive:
        entry = json.loads(archive.read("manifest.json"))["entries"][0]
    command = [f"{binaries}/conv-run", pack, "--device", "host", "--verify"]
    inputs, expected = list_arrays(path, "in"), list_arrays(path, "out")
    read = [argument["name"] for argument in entry["arguments"] if argument["access"] == "read"]
    written = [argument["name"] for argument in entry["arguments"] if argument["access"] != "read"]
    if expected and (len(read), len(written)) != (len(inputs), len(expected)):
        return f"differs: {len(read)} arguments and {len(written)} results"
    results = [tell(path, f".result{number}.npy") for number in range(len(expected))]
    for name, array in zip(read, inputs):
        command += ["--input", f"{name}={array}"]
    for name, array in zip(written, results):
        command += ["--output", f"{name}={array}"]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=10 * SECONDS)
    if outcome.returncode:
        tell(path, ".txt").write_text(outcome.stdout + outcome.stderr)
        return f"differs: conv-run ends with {outcome.returncode}"
    tolerance = 2e-3 if "f16" in path.read_text() else 2e-5  # The f16 may be that of an intermediate value only.
    for result, array in zip(results, expected):
        if not is_close(numpy.load(result), numpy.load(array), tolerance):
            return "differs from PyTorch"
    return "equal" if expected else "verified"


SOURCES = {
    "linalg, weights as arguments": ("all_layers", "linalg", True),
    "linalg, weights as constants": ("all_layers", "linalg", False),
    "tosa, weights as arguments": ("all_layers", "tosa", True),
    "tosa, weights as constants": ("all_layers", "tosa", False),
    "fusion patterns, linalg": ("fusion_patterns", "linalg", True),
    "fusion patterns, linalg, weights as constants": ("fusion_patterns", "linalg", False),
    "fusion patterns, tosa": ("fusion_patterns", "tosa", True),
}


def get_folder(directory, source):
    return directory / re.sub(r"\W+", "-", Path(source).name)


#
# Exporting
#


def save_arrays(path, kind, tensors):
    for number, tensor in enumerate(tensors):
        numpy.save(tell(path, f".{kind}{number}.npy"), tensor.detach().contiguous().numpy())


def export_case(case, dialect, with_arguments, folder):
    """Write the module of a case with its inputs and results, or the error of torch-mlir."""
    import torch
    from front_end_cases import as_arguments
    from torch_mlir import fx

    name, module, inputs = case
    module.eval().requires_grad_(False)
    if with_arguments:
        module, inputs = as_arguments(module, inputs)
    kind = {"linalg": "linalg-on-tensors", "tosa": "tosa"}[dialect]
    try:
        text = str(fx.export_and_import(module, *inputs, output_type=kind, func_name="main"))
    except Exception as error:  # After any exception, there is nothing to compile.
        (folder / f"{name}.export.txt").write_text(str(error))
        return
    path = folder / f"{name}.mlir"
    path.write_text(text)
    results = module(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    if all(tensor.dtype != torch.bfloat16 for tensor in (*inputs, *results)):  # NumPy has no bf16.
        save_arrays(path, "in", inputs)
        save_arrays(path, "out", results)


def export_source(source, directory):
    import front_end_cases

    generator, dialect, with_arguments = SOURCES[source]
    folder = get_folder(directory, source)
    folder.mkdir(parents=True, exist_ok=True)
    for case in getattr(front_end_cases, generator)():
        export_case(case, dialect, with_arguments, folder)


#
# The table
#

GOOD = ("compiled", "equal", "verified")


def print_row(source, folder, results):
    """Print the row of a source, and the inputs that did not compile or were wrong."""
    (folder / "results.json").write_text(json.dumps(results, indent=1))
    good = sum(what in GOOD for what in results.values())
    wrong = sum(what.startswith("differs") for what in results.values())
    unexported = len(list(folder.glob("*.export.txt")))
    print(f"| {source} | {len(results)} | {good + wrong} | {wrong} | {unexported} |")
    reasons = collections.defaultdict(list)
    for name, what in sorted(results.items()):
        if what not in GOOD:
            reasons[what].append(name)
    for what, names in sorted(reasons.items()):
        print(f"    {what}: {len(names)}: {' '.join(names[:40])}")
    sys.stdout.flush()


def try_all(source, folder, try_file, inputs):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        print_row(source, folder, dict(pool.map(try_file, inputs)))


def try_source(source, binaries, directory):
    def try_file(path):
        what = compile_file(binaries, path)
        return path.name.removesuffix(".mlir"), run_file(binaries, path) if what == "compiled" else what

    folder = get_folder(directory, source)
    try_all(source, folder, try_file, sorted(folder.glob("*.mlir")))


def try_lines(source, binaries, directory):
    """Compile each distinct line of a file."""
    folder = get_folder(directory, source)
    folder.mkdir(parents=True, exist_ok=True)

    def try_line(numbered):
        number, line = numbered
        path = folder / f"{number}.mlir"
        command = [f"{binaries}/conv-gen", "-o", path, *line.split()]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            tell(path, ".txt").write_text(line + "\n" + result.stderr)
            return str(number), f"conv-gen: exit code {result.returncode}"
        return str(number), compile_file(binaries, path)

    lines = [line.strip() for line in Path(source).read_text().splitlines()]
    distinct = dict.fromkeys(line for line in lines if line and not line.startswith("#"))
    try_all(source, folder, try_line, list(enumerate(distinct)))


def main():
    command, *arguments = sys.argv[1:]
    if command == "export":
        directory, *sources = arguments
        for source in sources or SOURCES:
            export_source(source, Path(directory))
        return
    binaries, directory, *sources = arguments
    print("| source | tried | compiled | of these wrong | not exported |\n| --- | --- | --- | --- | --- |")
    for source in sources or SOURCES:
        {"try": try_source, "lines": try_lines}[command](source, binaries, Path(directory))


if __name__ == "__main__":
    main()

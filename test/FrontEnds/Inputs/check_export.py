"""Compiles and runs exports of torch-mlir, and compares their results with those of torch, bit for bit.

Usage: check_export.py BIN TARGET TEMPORARY NAME.DIALECT.mlir...
"""

import json
import subprocess
import sys
import zipfile
from pathlib import Path


def check(binaries, target, temporary, source):
    pack, result = temporary + ".convpack", temporary + ".npy"
    case = source.name.split(".")[0]
    subprocess.run([f"{binaries}/conv-compile", source, f"--target={target}", "-o", pack], check=True)
    with zipfile.ZipFile(pack) as archive:
        entry = json.loads(archive.read("manifest.json"))["entries"][0]
    command = [f"{binaries}/conv-run", pack, "--target", target, "--verify"]
    inputs = [argument for argument in entry["arguments"] if argument["access"] == "read"]
    for number, argument in enumerate(inputs):
        command += ["--input", f"{argument['name']}={source.with_name(f'{case}.{number}.npy')}"]
    (output,) = [argument for argument in entry["arguments"] if argument["access"] != "read"]
    subprocess.run([*command, "--output", f"{output['name']}={result}"], check=True, stdout=subprocess.DEVNULL)
    expected = source.with_name(f"{case}.out.npy")
    same = Path(result).read_bytes() == expected.read_bytes()
    print(f"{source.name} on {target}: {len(entry['launches'])} launches, {'equal' if same else 'different'}")
    return same


def main():
    binaries, target, temporary, *sources = sys.argv[1:]
    results = [check(binaries, target, temporary, Path(source)) for source in sources]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

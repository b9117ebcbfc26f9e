#!/usr/bin/env python3
"""Compare `#include "conv/..."` lines with the table of what may include what.

A folder of lib/ (and its public headers in include/conv/) may include the
folders in its row, and itself. `tools` may include everything. Folders without
LLVM or without MLIR must not include their headers either. Prints one line per
violation and exits with 1 if there is one.

    check_layers.py [ROOT]
"""

import pathlib
import re
import sys

# fmt: off
MAY_INCLUDE = {
    "Support":  set(),
    "Chip":     {"Support"},
    "Artifact": {"Support"},
    "Clock":    {"Support", "Chip", "Artifact"},
    "Dialect":  {"Support", "Chip"},
    "Schedule": {"Support", "Chip", "Dialect"},
    "ToLinalg": {"Support", "Chip", "Dialect"},
    "Tile":     {"Support", "Chip", "Dialect"},
    "ToGPU":    {"Support", "Chip", "Dialect"},
    "Backend":  {"Support", "Chip", "Dialect"},
    "Generate": {"Support", "Dialect"},
    "Runtime":  {"Support", "Chip", "Artifact"},
}
# fmt: on
MAY_INCLUDE["Pipeline"] = set(MAY_INCLUDE) - {"Clock", "Generate", "Runtime"}
MAY_INCLUDE["Compiler"] = {"Support", "Artifact", "Generate", "Pipeline", "Runtime"}
WITHOUT_LLVM = {"Support", "Chip", "Artifact", "Runtime"}
WITHOUT_MLIR = WITHOUT_LLVM | {"Clock"}

# Where the simulator's compiler half and its runtime half meet; these files include nothing of the project.
SHARED_HEADERS = {"conv/Runtime/SimAbi.h", "conv/Runtime/SimChips.def", "conv/Runtime/SimOps.def"}

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def sources(root):
    for top in ("lib", "include/conv"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in {".cpp", ".h", ".inc", ".td"}:
                yield path.relative_to(root / top).parts[0], path


def violations(root):
    for folder, path in sources(root):
        if folder not in MAY_INCLUDE:
            yield f"{path.relative_to(root)}:1: error: expects a folder of the layer table, but got {folder}"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line) or re.match(r'^include\s+"([^"]+)"', line)
            if not match or match[1] in SHARED_HEADERS:
                continue
            parts = match[1].split("/")
            if parts[0] == "conv" and parts[1] != folder and parts[1] not in MAY_INCLUDE[folder]:
                yield f"{path.relative_to(root)}:{number}: error: {folder} may not include {parts[1]}: {match[1]}"
            if parts[0] in {"llvm", "lld"} and folder in WITHOUT_LLVM:
                yield f"{path.relative_to(root)}:{number}: error: {folder} may not include LLVM: {match[1]}"
            if parts[0] == "mlir" and folder in WITHOUT_MLIR:
                yield f"{path.relative_to(root)}:{number}: error: {folder} may not include MLIR: {match[1]}"


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[2]).resolve()
    found = list(violations(root))
    print("\n".join(found) if found else "every include follows the layer table")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

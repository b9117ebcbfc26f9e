#!/usr/bin/env python3
"""Compare `#include "conv/..."` lines with the table of what may include what.

A folder of lib/ (and its public headers in include/conv/) may include the
folders in its row, and itself. `tools` may include everything. Folders that the
table keeps free of LLVM or MLIR must not include their headers either, and
stages in front of the kernels no dialect of a GPU's vendor. A kernel
family, which is a folder of lib/Kernels, may include `Parts` and the headers
beside the families, and no other family; neither `Parts` nor these headers
include a family. The folders of lib/Kernels therefore have no include cycles.
The modules of the Python package must not import each other in a circle, where
an import inside a function or for a type checker counts too.
Prints one line for each violation, and exits with 1 if there is one.

    check_layers.py [ROOT]
"""

import ast
import graphlib
import pathlib
import re
import sys

# fmt: off
MAY_INCLUDE = {
    "Support":  set(),
    "Chip":     {"Support"},
    "Artifact": {"Support"},
    "Numerics": {"Support", "Chip"},
    "Clock":    {"Support", "Chip", "Artifact"},
    "Dialect":  {"Support", "Chip"},
    "Plan":     {"Support", "Chip", "Dialect"},
    "Kernels":  {"Support", "Chip", "Numerics", "Dialect", "Plan"},
    "Schedule": {"Support", "Chip", "Numerics", "Dialect", "Plan", "Kernels"},
    "Tile":     {"Support", "Chip", "Dialect"},
    "ToGPU":    {"Support", "Chip", "Dialect", "Kernels"},
    "Backend":  {"Support", "Chip", "Dialect"},
    "Generate": {"Support", "Dialect"},
    "Runtime":  {"Support", "Chip", "Artifact"},
}
# fmt: on
MAY_INCLUDE["Pipeline"] = set(MAY_INCLUDE) - {"Clock", "Runtime"}
MAY_INCLUDE["Compiler"] = {"Support", "Artifact", "Generate", "Pipeline", "Runtime"}
WITHOUT_LLVM = {"Support", "Chip", "Artifact", "Numerics", "Runtime"}
WITHOUT_MLIR = WITHOUT_LLVM | {"Clock"}
WITH_VENDORS = {"Kernels", "ToGPU", "Backend", "Pipeline", "Compiler"}

# The interface between the compiler half and the runtime half of the simulator. These files include no project headers.
SHARED_HEADERS = {"conv/Runtime/SimAbi.h", "conv/Runtime/SimChips.def", "conv/Runtime/SimOps.def"}

VENDOR = re.compile(r"mlir/Dialect/(AMDGPU|NVGPU|X86Vector|LLVMIR/(NVVM|ROCDL))")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def sources(root):
    for top in ("lib", "include/conv"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in {".cpp", ".h", ".inc", ".td"}:
                yield path.relative_to(root / top).parts[0], path


def resolve(root, path, name):
    """The project file that an include line of `path` names, or None."""
    for found in (path.parent / name, root / "include" / name):
        if found.exists():
            return found.resolve()
    return None


def family(root, path):
    """The kernel family of a file: '' for files beside the families in lib/Kernels, None for files elsewhere."""
    for top in ("lib/Kernels", "include/conv/Kernels"):
        if (root / top) in path.parents:
            parts = path.relative_to(root / top).parts
            return parts[0] if len(parts) > 1 else ""
    return None


def includes(root, path):
    """Yield the number of each line that includes a project file, with the included file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        found = match and resolve(root, path, match[1])
        if found:
            yield number, found


def family_violations(root):
    for _, path in sources(root):
        own = family(root, path)
        if own is None or (own == "" and path.suffix == ".cpp"):
            continue
        allowed = {own, "", "Parts"} if own else {""}
        for number, found in includes(root, path):
            other = family(root, found)
            if other is not None and other not in allowed:
                yield f"{path.relative_to(root)}:{number}: error: {own or 'no family'} may not include family {other}"


def python_imports(package, path):
    """The modules of the package, as files, that a file of it imports with a relative import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for name in [folder / alias.name for alias in node.names] + [folder]:
                for found in (name.with_suffix(".py"), name / "__init__.py"):
                    if package in found.parents and found.exists():
                        yield found


def python_violations(root):
    package = root / "python/conv"
    modules = {path: set(python_imports(package, path)) for path in sorted(package.rglob("*.py"))}
    # A package imports its modules; that a module of it names the package, for another module in it, is no circle.
    imports = {path: {other for other in others if other.name != "__init__.py"} for path, others in modules.items()}
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as error:
        first, *others = [path.relative_to(root) for path in reversed(error.args[1])]
        yield f"{first}:1: error: expects no circle of imports, but got {' -> '.join(map(str, [first, *others]))}"


def violations(root):
    yield from family_violations(root)
    yield from python_violations(root)
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
            if VENDOR.match(match[1]) and folder not in WITH_VENDORS:
                yield f"{path.relative_to(root)}:{number}: error: {folder} may not include a vendor's dialect: {match[1]}"


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[2]).resolve()
    found = list(violations(root))
    print("\n".join(found) if found else "every include follows the layer table")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

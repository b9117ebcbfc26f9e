# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the C functions that a program lowered by MLIR calls; they run the functions of an artifact.

    python shim.py REST.mlir > functions.inc

For each `func.func private @f(...) -> tensor<...>` of REST.mlir, `--llvm-request-c-wrappers` calls the C interface
`_mlir_ciface_f`. It takes the place of the result's descriptor, and a descriptor for each operand. shim.c includes the
output.
"""

import re
import sys

DECLARATION = re.compile(r"^\s*func\.func private @([\w.$-]+)\((.*)\) -> (tensor<[^>]*>)(?: attributes .*)?$", re.M)


def main() -> None:
    with open(sys.argv[1]) as file:
        rest = file.read()
    for name, operands, _ in DECLARATION.findall(rest):
        names = [f"operand_{i}" for i in range(operands.count("tensor<"))]
        print(f"void _mlir_ciface_{name}(void *result, {', '.join('void *' + each for each in names)}) {{")
        print("  static conv_executable *executable;")
        print(f"  void *descriptors[] = {{{', '.join(names)}, result}};")
        print(f'  run("{name}", &executable, descriptors, {len(names) + 1});')
        print("}")


if __name__ == "__main__":
    main()

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs a program: conv compiles its convolutions, and MLIR's own lowering to the CPU compiles the rest.

    python run.py MODEL_DIRECTORY [--device host] [--build build] [--llvm PREFIX] [--work DIRECTORY]

export.py wrote MODEL_DIRECTORY. Prints the largest errors of this program and of PyTorch in f32, both against PyTorch in
f64. Exits with 1 if the first error is more than four times the second; another order of sums causes no larger
difference. Needs NumPy and a C compiler.
"""

import argparse
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import time

import numpy

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent

#: Lowers tensors to loops on buffers, and loops to LLVM. Functions are called through their C interface of descriptors.
LOWERING = [
    "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map",
    "--buffer-deallocation-pipeline",
    "--convert-linalg-to-loops",
    "--canonicalize",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-math-to-libm",
    "--llvm-request-c-wrappers",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
]


def run(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True)


def build(flags: argparse.Namespace, work: pathlib.Path) -> pathlib.Path:
    """Build the artifact, and a shared library that calls it."""
    target = flags.device
    start = time.monotonic()
    run(
        *(flags.build / "bin" / "conv-compile", flags.model / "model.mlir", f"--target={target}"),
        *("--outline", work / "rest.mlir", "-o", work / "model.convpack"),
    )
    print(f"convolutions compiled in {time.monotonic() - start:.1f} s")
    with open(work / "functions.inc", "w") as file:
        subprocess.run([sys.executable, HERE / "shim.py", work / "rest.mlir"], stdout=file, check=True)
    tools = flags.llvm / "bin"
    run(tools / "mlir-opt", work / "rest.mlir", *LOWERING, "-o", work / "rest.llvm.mlir")
    run(tools / "mlir-translate", "--mlir-to-llvmir", work / "rest.llvm.mlir", "-o", work / "rest.ll")
    run(tools / "llc", "-O2", "--relocation-model=pic", "--filetype=obj", work / "rest.ll", "-o", work / "rest.o")
    libraries = [flags.build / "lib", flags.llvm / "lib"]
    run(
        *("cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", work / "program.so"),
        *(work / "rest.o", HERE / "shim.c"),
        *(f"-I{SOURCE / 'include'}", f"-I{work}", *(f"-L{path}" for path in libraries)),
        *("-lconv_runtime", "-lmlir_c_runner_utils", "-lm", *(f"-Wl,-rpath,{path}" for path in libraries)),
    )
    return work / "program.so"


def make_descriptor(array: numpy.ndarray) -> ctypes.Array:
    """A memref descriptor of `array` as 64-bit words: two addresses, an offset, sizes, strides."""
    address = array.ctypes.data
    strides = [stride // array.itemsize for stride in array.strides]
    words = [address, address, 0, *array.shape, *strides]
    return (ctypes.c_int64 * len(words))(*words)


def call(library: pathlib.Path, x: numpy.ndarray, like: numpy.ndarray) -> numpy.ndarray:
    main = ctypes.CDLL(str(library))._mlir_ciface_main
    main.restype = None
    result = (ctypes.c_int64 * (3 + 2 * like.ndim))()
    start = time.monotonic()
    main(result, make_descriptor(x))
    print(f"ran in {time.monotonic() - start:.2f} s, kernels loaded")
    elements = (ctypes.c_float * like.size).from_address(result[1] + 4 * result[2])
    return numpy.array(elements, dtype=numpy.float32).reshape(like.shape)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--device", default="host")
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    tool = shutil.which("mlir-opt") or "/usr/lib/llvm-22/bin/mlir-opt"
    parser.add_argument("--llvm", type=pathlib.Path, default=pathlib.Path(tool).resolve().parent.parent)
    parser.add_argument("--work", type=pathlib.Path)
    flags = parser.parse_args()
    work = flags.work or flags.model
    work.mkdir(parents=True, exist_ok=True)
    library = build(flags, work.resolve())
    os.environ["CONV_ARTIFACT"] = str(work.resolve() / "model.convpack")
    os.environ["CONV_DEVICE"] = flags.device
    exact = numpy.load(flags.model / "exact.npy")
    got = call(library, numpy.load(flags.model / "input.npy"), exact)
    error = numpy.abs(got - exact).max()
    torch_error = numpy.abs(numpy.load(flags.model / "torch.npy") - exact).max()
    print(f"{exact.size} results, the largest {numpy.abs(exact).max():.4g}")
    print(f"largest error {error:.3g}, that of PyTorch in f32 {torch_error:.3g}")
    right = bool(error <= 4 * torch_error)
    print("equal to PyTorch within rounding" if right else "NOT equal to PyTorch")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())

# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clock Triton kernels for the convolutions of amd_loops.py, so that one model judges both compilers' code.

    python3 bench/compare/amd_triton.py --output bench/results/amd_loops_triton.csv

Triton compiles for AMD chips without a GPU (`pip install triton`). Each kernel takes the place of ours in the artifact of
its problem, and `conv-clock` reads it: the same instructions of the same problem, from the same buffers. The file has the
best of the configurations for each problem and chip. `conv-gen`, `conv-compile` and `conv-clock` are found on the path.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import itertools
import json
import multiprocessing
import pathlib
import sys
import tempfile
import zipfile

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from amd_loops import NHWC, PROBLEMS
from clock import call
from problem import COMMANDS

CHIPS = "gfx90a,gfx942,gfx950,gfx1201"
FIELDS = ("compiler", "problem", "target", "us", "configuration")


@triton.jit
def _place_tile(ROWS: tl.constexpr, COLUMNS: tl.constexpr, DIES: tl.constexpr, BAND: tl.constexpr):
    """The row and column of this program's tile: dies have tiles that follow each other, in bands of rows."""
    tile = tl.program_id(0)
    share: tl.constexpr = ROWS * COLUMNS // DIES
    if DIES > 1 and tile < share * DIES:
        tile = tile % DIES * share + tile // DIES
    within = tile % (BAND * COLUMNS)
    return tile // (BAND * COLUMNS) * BAND + within % BAND, within // BAND


@triton.jit
def _convolve(x, filters, y, N: tl.constexpr, H: tl.constexpr, W: tl.constexpr, C: tl.constexpr, K: tl.constexpr,
              SIDE: tl.constexpr, IS_GRADIENT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
              DIES: tl.constexpr, BAND: tl.constexpr):  # fmt: skip
    """`y` from `x` with unit strides: the forward direction, or the gradient of the input from that of the output."""
    positions: tl.constexpr = N * H * W
    row, column = _place_tile(tl.cdiv(positions, BM), tl.cdiv(K, BN), DIES, BAND)
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    height, width = m // W % H, m % W
    blocks: tl.constexpr = C // BK
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(SIDE * SIDE * blocks):
        tap, channel = step // blocks, step % blocks * BK
        down, right = tap // SIDE - SIDE // 2, tap % SIDE - SIDE // 2
        inside = (height + down >= 0) & (height + down < H) & (width + right >= 0) & (width + right < W)
        if SIDE > 1:
            lhs = tl.load(x + ((m + down * W + right) * C + channel)[:, None] + k[None, :], inside[:, None], 0.0)
        else:
            lhs = tl.load(x + (m * C + channel)[:, None] + k[None, :])
        if IS_GRADIENT:
            mirrored = SIDE * SIDE - 1 - tap
            rhs = tl.load(filters + ((channel + k) * (SIDE * SIDE * K) + mirrored * K)[:, None] + n[None, :])
        else:
            rhs = tl.load(filters + (n * (SIDE * SIDE * C) + tap * C + channel)[None, :] + k[:, None])
        total = tl.dot(lhs, rhs, total)
    tl.store(y + (m * K)[:, None] + n[None, :], total.to(y.dtype.element_ty))


@triton.jit
def _sum_products(grad, x, parts, N: tl.constexpr, H: tl.constexpr, W: tl.constexpr, C: tl.constexpr, K: tl.constexpr,
                  SIDE: tl.constexpr, SPLITS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):  # fmt: skip
    """A part of the gradient of the filter for each of `SPLITS` parts of the positions."""
    tile, part = tl.program_id(0), tl.program_id(1)
    rows: tl.constexpr = K // BM
    columns: tl.constexpr = C // BN
    tap = tile // rows // columns
    m = tile % rows * BM + tl.arange(0, BM)
    n = tile // rows % columns * BN + tl.arange(0, BN)
    down, right = tap // SIDE - SIDE // 2, tap % SIDE - SIDE // 2
    positions: tl.constexpr = N * H * W // SPLITS
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(positions // BK):
        at = part * positions + step * BK + tl.arange(0, BK)
        height, width = at // W % H + down, at % W + right
        inside = (height >= 0) & (height < H) & (width >= 0) & (width < W)
        lhs = tl.load(grad + m[:, None] + (at * K)[None, :])
        rhs = tl.load(x + ((at + down * W + right) * C)[:, None] + n[None, :], inside[:, None], 0.0)
        total = tl.dot(lhs, rhs, total)
    places = (m * (SIDE * SIDE * C))[:, None] + (tap * C + n)[None, :]
    tl.store(parts + part * (K * SIDE * SIDE * C) + places, total)


@triton.jit
def _sum_parts(parts, y, SIZE: tl.constexpr, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for part in tl.static_range(SPLITS):
        total += tl.load(parts + part * SIZE + at)
    tl.store(y + at, total.to(y.dtype.element_ty))


def build(kernel, pointers, target, warps, stages, **constants):
    """The code object of a kernel, its name, and the work-items of a program."""
    wave = 32 if target.startswith("gfx1") else 64
    signature = {**pointers, **{name: "constexpr" for name in constants}}
    aligned = {(place,): [["tt.divisibility", 16], ["tt.pointer_range", 32]] for place in range(len(pointers))}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=aligned)
    options = {"num_warps": warps, "num_stages": stages}
    built = triton.compile(source, target=GPUTarget("hip", target, wave), options=options)
    return built.asm["hsaco"], built.metadata.name, warps * wave, built.metadata.shared


def describe(problem):
    """The sizes of a problem of amd_loops.py as constants of the kernels."""
    words = problem.split()
    sizes = {name: int(words[words.index(option) + 1]) for name, option in
             (("N", "-n"), ("H", "-H"), ("W", "-W"), ("C", "-c"), ("K", "-k"), ("SIDE", "-y"))}  # fmt: skip
    return sizes, int(words[words.index("-F") + 1])


def list_configurations(sizes, direction):
    """Tiles, warps and stages to try, and splits for gradients of filters."""
    tiles = ((128, 128, 32), (128, 128, 64), (128, 64, 32), (128, 64, 64), (64, 128, 64), (64, 64, 64), (256, 64, 32),
             (256, 128, 32), (128, 256, 32))  # fmt: skip
    for (m, n, k), warps, stages in itertools.product(tiles, (4, 8), (2, 3)):
        positions, c, filters = sizes["N"] * sizes["H"] * sizes["W"], sizes["C"], sizes["K"]
        sides = (filters, c, positions) if direction == 4 else (positions, filters, c)
        if any(side % size for side, size in zip(sides, (m, n, k))) or warps not in ((4, 8) if m * n == 128 * 128 else (4,) if m * n < 128 * 128 else (8,)):
            continue
        for splits in (8, 16) if direction == 4 else (1,):
            if direction == 4 and positions // k % splits:
                continue
            yield {"BM": m, "BN": n, "BK": k, "warps": warps, "stages": stages, "splits": splits}


def make_launches(name, target, configuration):
    """The launches of a problem: (code, kernel, grid, block, parameters), and the bytes of the workspace."""
    sizes, direction = describe(PROBLEMS[name])
    tile = {key: configuration[key] for key in ("BM", "BN", "BK")}
    how = (target, configuration["warps"], configuration["stages"])
    if direction != 4:
        rows, columns = sizes["N"] * sizes["H"] * sizes["W"] // tile["BM"], sizes["K"] // tile["BN"]
        code, kernel, block, shared = build(
            _convolve, {"x": "*fp16", "filters": "*fp16", "y": "*fp16"}, *how, **sizes, **tile,
            IS_GRADIENT=direction == 2, DIES=8 if target in ("gfx942", "gfx950") else 1,
            BAND=max(band for band in range(1, 9) if rows % band == 0))  # fmt: skip
        buffers = [{"argument": 0}, {"argument": 1}, {"argument": 2}]
        return [(code, kernel, [rows * columns, 1, 1], block, buffers, shared)], 0
    splits = configuration["splits"]
    code, kernel, block, shared = build(
        _sum_products, {"grad": "*fp16", "x": "*fp16", "parts": "*fp32"}, *how, **sizes, **tile, SPLITS=splits)
    elements = sizes["K"] * sizes["SIDE"] ** 2 * sizes["C"]
    tiles = elements // tile["BM"] // tile["BN"]
    products = (code, kernel, [tiles, splits, 1], block, [{"argument": 1}, {"argument": 0}, {"workspace": 0}], shared)
    code, kernel, block, shared = build(
        _sum_parts, {"parts": "*fp32", "y": "*fp16"}, target, 4, 1, SIZE=elements, SPLITS=splits, BLOCK=1024)
    sums = (code, kernel, [elements // 1024, 1, 1], block, [{"workspace": 0}, {"argument": 2}], shared)
    return [products, sums], 4 * elements * splits


def write_pack(ours, launches, workspace, pack):
    """An artifact with the buffers of `ours` and other launches."""
    with zipfile.ZipFile(ours) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    [entry] = manifest["entries"]
    entry["workspace_bytes"] = workspace
    digests = {}
    entry["launches"] = []
    for code, kernel, grid, block, parameters, shared in launches:
        digest = hashlib.sha256(code).hexdigest()
        digests[f"code/{digest}.hsaco"] = code
        # Two more addresses are those of scratch buffers, which these kernels do not use.
        parameters = [*parameters, parameters[0], parameters[0]]
        entry["launches"].append({
            "code": f"code/{digest}.hsaco", "sha256": digest, "kernel": kernel, "grid": grid, "block": [block, 1, 1],
            "cluster": [1, 1, 1], "dynamic_shared_bytes": 0, "parameters": parameters,
            "resources": {"vgpr": 0, "agpr": 0, "sgpr": 0, "shared_bytes": shared, "scratch_bytes": 0, "spills": 0},
        })  # fmt: skip
    bound = {key: entry[key] for key in ("arguments", "workspace_bytes", "launches")}
    entry["contract"] = hashlib.sha256(json.dumps(bound, separators=(",", ":")).encode()).hexdigest()
    with zipfile.ZipFile(pack, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for member, code in digests.items():
            archive.writestr(member, code)


def clock(job):
    """The microseconds of a configuration; None if Triton refuses it, or if they are not known."""
    name, target, configuration = job
    with tempfile.TemporaryDirectory() as folder:
        ours, pack = pathlib.Path(folder, "ours.convpack"), pathlib.Path(folder, "triton.convpack")
        module = call("conv-gen", *COMMANDS["f16"].split(), *PROBLEMS[name].split(), *NHWC.split())
        if call("conv-compile", "-", f"--target={target}", "-o", str(ours), text=module) is None:
            return None
        try:
            launches, workspace = make_launches(name, target, configuration)
        except Exception as error:  # Triton raises what LLVM and its own passes do.
            print(*job, type(error).__name__, file=sys.stderr)
            return None
        write_pack(ours, launches, workspace, pack)
        text = call("conv-clock", str(pack), "--json")
    if text is None:
        return None
    [entry] = json.loads(text)["entries"]
    if any(launch["unknown_branches"] or launch["unknown_addresses"] for launch in entry["launches"]):
        print(*job, "unknown", file=sys.stderr)
        return None
    return entry["microseconds"]


def parse_options():
    def names(text):
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=names, default=CHIPS.split(","), help=f"({CHIPS})")
    parser.add_argument("--jobs", type=int, default=2, help="kernels that are compiled and clocked at a time (2)")
    parser.add_argument("--output", required=True, help="CSV with the best configuration for each problem and chip")
    return parser.parse_args()


def main():
    options = parse_options()
    jobs = [(name, target, configuration) for name in PROBLEMS for target in options.targets
            for configuration in list_configurations(*describe(PROBLEMS[name]))]  # fmt: skip
    best = {}
    with concurrent.futures.ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for (name, target, configuration), time in zip(jobs, pool.map(clock, jobs)):
            print(name, target, configuration, time, file=sys.stderr)
            if time and time < best.get((name, target), (float("inf"),))[0]:
                best[name, target] = time, configuration
    with open(options.output, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(FIELDS)
        for (name, target), (time, configuration) in best.items():
            words = " ".join(f"{key}={value}" for key, value in configuration.items())
            rows.writerow((f"Triton {triton.__version__} by conv-clock", name, target, f"{time:.1f}", words))


if __name__ == "__main__":
    main()

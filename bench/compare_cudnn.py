#!/usr/bin/env python3
"""Verify compiled convolutions on an NVIDIA GPU and time them against cuDNN.

    compare_cudnn.py [--library libconv_runtime.so] [--json OUT.json] FILE.convpack...

Needs PyTorch and the small runtime, and no compiler. Every function of every
artifact that has an entry for the GPU is run twice: once on random data, whose
result is compared with a float64 convolution, and then in a CUDA graph beside
cuDNN's best algorithm (`cudnn.benchmark`, channels_last). Buffers rotate so
that together they exceed the L2 cache. Each burst of about 30 ms follows 0.2 s
of idleness, since the power limit reorders kernels that run back to back; the
two sides take turns, and medians are reported.

Prints a line for each function and, last, the geometric mean of the ratios
(above 1: faster than cuDNN). Exits with 1 if a result was wrong.
"""

import argparse
import ctypes
import json
import math
import statistics
import sys
import time
import zipfile
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F

IDLE_SECONDS = 0.2
BURST_SECONDS = 0.03
BURSTS = 5
ROTATION_BYTES = 256 << 20
# Relative to float64 in the Frobenius norm; rounding to bf16 alone is 1.7e-3.
LARGEST_ERROR = 5e-3
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


class Runtime:
    """The C API of the small runtime, opened on the first GPU."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.conv_last_error.restype = ctypes.c_char_p
        self.device = ctypes.c_void_p()
        self.check(self.library.conv_device_open(b"cuda", ctypes.byref(self.device)))

    def check(self, status):
        if status:
            raise RuntimeError(self.library.conv_last_error().decode())

    def load(self, path, function):
        artifact, executable = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.library.conv_artifact_open(path.encode(), ctypes.byref(artifact)))
        try:
            self.check(
                self.library.conv_executable_load(self.device, artifact, function.encode(), ctypes.byref(executable))
            )
        finally:
            self.library.conv_artifact_close(artifact)
        return executable

    def run(self, executable, tensors):
        addresses = (ctypes.c_void_p * len(tensors))(*[tensor.data_ptr() for tensor in tensors])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.check(self.library.conv_executable_run(executable, addresses, len(tensors), None, stream))


@dataclass
class Comparison:
    """What was found out about one function; times in microseconds."""

    name: str
    schedule: str
    error: float
    ours: float = math.nan
    cudnn: float = math.nan
    spread: float = math.nan
    teraflops: float = math.nan

    @property
    def ratio(self):
        return self.cudnn / self.ours


def parse_problem(line):
    """The options of a MIOpenDriver line as a dictionary of integers.

    >>> parse_problem("convbfp16 -n 2 -c 8 --in_layout NHWC")["c"]
    8
    """
    words = line.split()
    return {
        key.lstrip("-"): int(value) for key, value in zip(words[1:], words[2:]) if key.startswith("-") and value.isdigit()
    }


def make_tensor(argument, scale=1.0):
    """A random tensor in the memory order of an artifact's argument."""
    values = torch.randn(argument["shape"], device="cuda", dtype=torch.float32) * scale
    return values.to(DTYPES[argument["dtype"]])


def to_torch(tensor):
    """An NHWC tensor as PyTorch's NCHW view of the same memory."""
    return tensor.permute(0, 3, 1, 2)


def convolve(problem, x, w):
    return F.conv2d(
        x,
        w,
        None,
        (problem["u"], problem["v"]),
        (problem["p"], problem["q"]),
        (problem["l"], problem["j"]),
        problem.get("g", 1),
    )


def capture(calls):
    """A CUDA graph of `calls`, after each has run once."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for call in calls:
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    torch.cuda.synchronize()
    return graph


def time_burst(graph, calls):
    """Seconds of one call, in a burst after a pause."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    graph.replay()
    stop.record()
    torch.cuda.synchronize()
    replays = max(1, round(BURST_SECONDS / (start.elapsed_time(stop) * 1e-3)))
    time.sleep(IDLE_SECONDS)
    start.record()
    for _ in range(replays):
        graph.replay()
    stop.record()
    torch.cuda.synchronize()
    return start.elapsed_time(stop) * 1e-3 / replays / calls


def compare(runtime, path, entry):
    """Verifies and times one entry of an artifact."""
    problem = parse_problem(entry["problem"])
    executable = runtime.load(path, entry["function"])
    scale = 1 / math.sqrt(problem["c"] * problem["y"] * problem["x"])
    arguments = entry["arguments"]

    def make_set():
        return [make_tensor(a, scale if a["role"] == "filter" else 1.0) for a in arguments]

    tensors = make_set()
    tensors[-1].fill_(math.nan)
    runtime.run(executable, tensors)
    x, w, y = to_torch(tensors[0]), to_torch(tensors[1]), to_torch(tensors[-1])
    flops = 2 * y.numel() * w[0].numel()
    exact = torch.float64 if flops < 2e11 else torch.float32
    reference = convolve(problem, x.to(exact), w.to(exact))
    difference = (y.to(exact) - reference).norm() / reference.norm()
    result = Comparison(entry["function"], entry["schedule"], difference.item())
    if not result.error < LARGEST_ERROR:
        return result

    bytes_per_set = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    sets = [make_set() for _ in range(min(64, math.ceil(ROTATION_BYTES / bytes_per_set)))]
    count = max(len(sets), 2)
    pairs = [(to_torch(s[0]), to_torch(s[1])) for s in sets]
    ours = capture([lambda i=i: runtime.run(executable, sets[i % len(sets)]) for i in range(count)])
    theirs = capture([lambda i=i: convolve(problem, *pairs[i % len(sets)]) for i in range(count)])
    times = [(time_burst(ours, count), time_burst(theirs, count)) for _ in range(BURSTS)]
    result.ours, result.cudnn = (statistics.median(side) * 1e6 for side in zip(*times))
    result.spread = max(side[0] for side in times) / min(side[0] for side in times) - 1
    result.teraflops = flops / result.ours * 1e-6
    return result


def list_entries(path):
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    return [entry for entry in manifest["entries"] if entry["target"].startswith("sm_")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default="libconv_runtime.so", help="path of the runtime")
    parser.add_argument("--json", help="file for all results")
    parser.add_argument("packs", nargs="+", metavar="FILE.convpack")
    options = parser.parse_args()

    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.zeros(1, device="cuda")
    runtime = Runtime(options.library)
    results = []
    for path in options.packs:
        for entry in list_entries(path):
            try:
                result = compare(runtime, path, entry)
            except RuntimeError as error:
                print(f"FAIL {entry['function']}: {error}", flush=True)
                result = Comparison(entry["function"], entry["schedule"], math.nan)
            results.append(result)
            state = "ok  " if result.error < LARGEST_ERROR else "FAIL"
            print(
                f"{state} {result.name:44} error {result.error:.2e}  {result.ours:9.1f} us  cudnn {result.cudnn:9.1f} us"
                f"  {result.ratio:5.2f}x  {result.teraflops:6.1f} TF  +-{100 * result.spread:.1f}%",
                flush=True,
            )
            torch.cuda.empty_cache()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([asdict(result) | {"ratio": result.ratio} for result in results], file, indent=1)
    timed = [result.ratio for result in results if not math.isnan(result.ratio)]
    if timed:
        print(f"{len(timed)} timed, geometric mean {statistics.geometric_mean(timed):.3f}x, least {min(timed):.2f}x")
    return 0 if len(timed) == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())

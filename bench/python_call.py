"""Measure what a call from Python costs, for each way to call a function: the microseconds until it returns.

    python3 bench/python_call.py --prepare calls.convpack       compiles a layer for the host and GPUs of NVIDIA (needs PyTorch)
    python3 bench/python_call.py calls.convpack                 NumPy arrays on the CPU, and PyTorch's if it is installed
    python3 bench/python_call.py calls.convpack cuda:0          PyTorch tensors on a GPU, whose kernels run after the calls
    python3 bench/python_call.py layer.convpack                 any other layer, by the ways that need only its file

Only `--prepare` compiles. `library` is the call of libconv_runtime.so through ctypes, and `bound` the one of a bound function: on
the CPU the kernel, on a GPU its launch by the driver, and little else. What other ways take beyond `bound` is the cost of reading
tensors and allocating results. The last column is without libconv_python.so. Times are the minimum of several rounds of one
thread.
"""

import argparse
import ctypes
import functools
import json
import subprocess
import sys
import time

import conv
from conv import _native
from conv._library import run_executable

CALLS, ROUNDS = 300, 25
TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32"}
#: The layer of `--prepare`: the sizes of the image and of the filter, in PyTorch's order. Its memory is channels-last.
IMAGE, TAPS = (1, 8, 8, 8), (8, 8, 1, 1)


class OnlyDLPack:
    """A tensor of a framework that conv does not know."""

    def __init__(self, tensor):
        self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__


def prepare(pack):
    import torch
    from conv.torch import compile_kernels

    layer = torch.nn.Conv2d(TAPS[1], TAPS[0], TAPS[2:])
    example = torch.zeros(IMAGE).to(memory_format=torch.channels_last)
    content, refused = compile_kernels(layer, (example,), "host,sm_80,sm_90a")
    assert not refused, refused
    with open(pack, "wb") as file:
        file.write(content)


def channels_last(shape):
    return shape[0], *shape[2:], shape[1]


def is_prepared(function):
    """Whether it is the layer of `--prepare`."""
    shapes = [argument.shape for argument in function.arguments]
    return shapes == [*map(channels_last, (IMAGE, TAPS)), TAPS[:1], channels_last(IMAGE)]


def measure(call, wait):
    samples = []
    for _ in range(ROUNDS):
        wait()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        samples.append((time.perf_counter() - start) / CALLS * 1e6)
    wait()
    return min(samples)


def library_call(function, bound, device):
    """The call of the runtime alone, with arguments that need no conversion; None if it needs a workspace of Python's."""
    loaded = function._load(device)
    if loaded.signature.entry.workspace_bytes or loaded.sizes is not None:
        return None
    array = bound._argument_array
    stream = ctypes.c_void_p(bound._current_stream())
    fixed = ctypes.c_void_p(loaded.executable), array, ctypes.c_size_t(len(array)), ctypes.c_void_p(), stream
    return functools.partial(run_executable, *fixed)


def ways_of(function, operands, out, device):
    """What needs only the function."""
    names = [argument.name for argument in function.arguments]
    named = dict(zip(names, [*operands, out]))
    bound = function.bind(*operands, out=out)
    ways = {
        "library": library_call(function, bound, device),
        "bound": bound,
        "function, into a tensor": lambda: function(*operands, out=out),
        "function, by names": lambda: function(**named),
        "function, new tensor": lambda: function(*operands),
    }
    return {name: way for name, way in ways.items() if way}


def ways_of_layer(function, operands, out):
    """What takes the layer of `--prepare` without its file: its problem would be compiled."""
    conv.jit._load = lambda problem, device: function
    jit = functools.partial(conv.jit.conv2d, *operands)
    return {"conv.jit, into a tensor": functools.partial(jit, out=out), "conv.jit, new tensor": jit}


def numpy_ways(function):
    import numpy

    arrays = [numpy.zeros(a.shape, TYPES[a.dtype].replace("bfloat16", "uint16")) for a in function.arguments]
    *operands, out = arrays
    yield "NumPy", ways_of(function, operands, out, "host")
    if is_prepared(function):
        last = [array.transpose(0, 3, 1, 2) if array.ndim == 4 else array for array in arrays]
        yield "NumPy", ways_of_layer(function, last[:-1], last[-1])


def torch_ways(function, pack, device):
    import torch

    tensors = [torch.zeros(a.shape, dtype=getattr(torch, TYPES[a.dtype]), device=device) for a in function.arguments]
    *operands, out = tensors
    where = "host" if device == "cpu" else str(tensors[0].device)
    yield "PyTorch", ways_of(function, operands, out, where)
    wrapped = list(map(OnlyDLPack, tensors))
    yield "DLPack", {"function, into a tensor": lambda: function(*wrapped[:-1], out=wrapped[-1])}
    if not is_prepared(function):
        return
    import conv.torch
    from conv.torch import functional

    conv.torch.settings.measure = False
    conv.torch.preload(pack)
    last = [tensor.permute(0, 3, 1, 2) if tensor.dim() == 4 else tensor for tensor in tensors]
    yield "PyTorch", ways_of_layer(function, last[:-1], last[-1])
    with torch.no_grad():
        functional.conv2d(*last[:-1])
    ran = {row.runs for row in conv.torch.report()}
    yield "PyTorch", {
        f"conv.torch.functional.conv2d (runs {', '.join(ran)})": lambda: functional.conv2d(*last[:-1]),
        "torch.nn.functional.conv2d": lambda: torch.nn.functional.conv2d(*last[:-1]),
    }


def time_all(pack, device):
    """Microseconds of each way, by framework and way."""
    artifact = conv.load(pack)
    targets = set(conv.open_device(device).targets)
    function = next(artifact[name] for name in artifact if targets & artifact[name].entries.keys())
    wait, groups = (lambda: None), []
    if device == "host":
        groups.append(numpy_ways(function))
        device = "cpu"
    try:
        import torch
    except ImportError:
        torch = None
    if torch is not None:
        if device != "cpu":
            wait = torch.cuda.synchronize
        groups.append(torch_ways(function, pack, device))
        torch.set_grad_enabled(False)
        torch.set_num_threads(1)
    times = {}
    for group in groups:
        for framework, ways in group:
            for name, way in ways.items():
                way()
                times[f"{framework}: {name}"] = measure(way, wait)
    return times


def leave_library():
    """Makes all calls in Python."""
    from unittest import mock

    _native._functions, _native._reason = None, "bench/python_call.py measures it"
    mock.patch.object(_native, "open_library", lambda: (None, "")).start()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", help="the file of the layer")
    parser.add_argument("device", nargs="?", default="host", help="host (the default), cuda:0, ...")
    parser.add_argument("--prepare", action="store_true", help="compile the layer and write the file")
    parser.add_argument("--in-python", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.prepare:
        return prepare(options.pack)
    if options.in_python:
        leave_library()
        return print(json.dumps(time_all(options.pack, options.device)))
    print(conv.describe_calls())
    times = time_all(options.pack, options.device)
    child = [sys.executable, __file__, options.pack, options.device, "--in-python"]
    in_python = json.loads(subprocess.run(child, check=True, stdout=subprocess.PIPE).stdout)
    print(f"\n| on {options.device} | us a call | beyond `bound` | in Python |\n| --- | ---: | ---: | ---: |")
    for name, microseconds in times.items():
        least = times.get(f"{name.partition(':')[0]}: bound", float("nan"))
        print(f"| {name} | {microseconds:.2f} | {microseconds - least:.2f} | {in_python[name]:.2f} |")


if __name__ == "__main__":
    main()

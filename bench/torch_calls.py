"""Measure what small convolutions cost in PyTorch: one thread, conv.torch and torch.nn.functional in turns.

    PYTHONPATH=python python3 bench/torch_calls.py          all cases
    PYTHONPATH=python python3 bench/torch_calls.py 1x1      those whose name contains this
    PYTHONPATH=python python3 bench/torch_calls.py --device cuda

Times are microseconds of a call and the minimum of several rounds: on the CPU with kernels; on a GPU, whose queue takes all calls
of a round, only the processor's part. `python` is conv.torch without libconv_python.so.
"""

import argparse
import time

import torch
import torch.nn.functional as F

import conv.torch
import conv.torch.functional as CF
from conv.torch import _calls, _native

LIBRARY = {name: getattr(_native, name) for name in ("make_launcher", "launch", "forward", "forward_key")}

#: Image, filter and window by name.
CASES = {
    "1x4x8x8 -> 4, 3x3": ((1, 4, 8, 8), (4, 4, 3, 3), {"padding": 1}),
    "2x8x8x8 -> 8, 1x1": ((2, 8, 8, 8), (8, 8, 1, 1), {}),
    "1x3x16x16 -> 8, 3x3, channels-last": ((1, 3, 16, 16), (8, 3, 3, 3), {"padding": 1}),
}


def switch(uses_library):
    for name, function in LIBRARY.items():
        setattr(_native, name, function if uses_library else None)
    _calls.forget()


def measure(call, calls, device):
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    seconds = time.perf_counter() - begin
    if device == "cuda":
        torch.cuda.synchronize()
    return seconds / calls * 1e6


def compare(make, options):
    """Minimum times of the function that `make` makes of a convolution: with the library, without, and PyTorch's."""
    times = [[], [], []]
    for _ in range(options.rounds):
        for place, (convolution, uses_library) in enumerate(((CF.conv2d, True), (CF.conv2d, False), (F.conv2d, True))):
            switch(uses_library)
            call = make(convolution)
            measure(call, options.calls, options.device)  # Finds kernels, and warms up.
            times[place].append(measure(call, options.calls, options.device))
    return [min(each) for each in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="", help="measure the cases that contain this")
    parser.add_argument("--calls", type=int, default=200, help="calls of a round (default: 200)")
    parser.add_argument("--rounds", type=int, default=25, help="rounds, of which the fastest counts (default: 25)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where the tensors are (default: cpu)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    conv.torch.settings.measure = False
    print("| case | call | us | in Python | PyTorch | of PyTorch's |\n| --- | --- | ---: | ---: | ---: | ---: |")
    for name, (image, taps, window) in CASES.items():
        if options.name not in name:
            continue
        x, w, b = (torch.randn(shape, device=options.device) for shape in (image, taps, taps[0]))
        if "channels-last" in name:
            x, w = (tensor.to(memory_format=torch.channels_last) for tensor in (x, w))
        operands = [tensor.clone().requires_grad_() for tensor in (x, w, b)]
        start = torch.randn_like(F.conv2d(x, w, b, **window))
        makers = {
            "without gradients": lambda f, given=(x, w, b), window=window: lambda: f(*given, **window),
            "forward": lambda f, given=operands, window=window: lambda: f(*given, **window),
            "forward and backward": lambda f, given=operands, window=window, start=start: (
                lambda: torch.autograd.grad(f(*given, **window), given, start)
            ),
        }
        for call, make in makers.items():
            ours, python, theirs = compare(make, options)
            print(f"| {name} | {call} | {ours:.1f} | {python:.1f} | {theirs:.1f} | {ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()

"""Compare whole networks on conv.torch with PyTorch, in one process.

    python3 bench/networks run --networks resnet50 --batch 1 64 --output results    inference in bf16, channels-last
    python3 bench/networks run --layout nchw --output results                       in PyTorch's default layout
    python3 bench/networks run --train --output results                             forward and backward, autocast to bf16
    python3 bench/networks run --train --rest compiled --against compile            the same, both under torch.compile
    python3 bench/networks report results                                           the tables again, and report.html

Each network has random weights and runs as `conv` (conv.torch.optimize or replace), as `eager` (cuDNN in benchmark mode,
or oneDNN on a CPU), and as the modes of torch.compile that --against names: `compile` and `max-autotune`. On a GPU each
variant is one CUDA graph, so that launch overhead does not count. Results, and with --train all gradients, are compared
with those of f32: if the error of conv is more than twice the error of eager, the exit code is 1.
"""

import argparse
import contextlib
import copy
import dataclasses
import json
import math
import pathlib
import platform
import sys
import time

import torch

import networks
from report import to_html, to_markdown, write_file

import conv.torch
from conv.tune.protocol import Protocol, measure

RESULTS = "networks.json"
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
#: A result is wrong if its error is more than this many times the error of eager, which computes in the same type.
MOST_ERROR = 2
MODES = {"compile": "default", "max-autotune": "max-autotune-no-cudagraphs"}


class Variant:
    """A step that is called on a CPU, and replayed as one CUDA graph on a GPU."""

    calls = 1

    def __init__(self, step, is_gpu):
        self.step = step
        self.is_gpu = is_gpu
        begin = time.perf_counter()
        if is_gpu:
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    step()
            torch.cuda.current_stream().wait_stream(stream)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph, stream=stream):
                self.results = step()
            self.run = self.graph.replay
        else:
            self.results = step()
            self.run = step
        self.ready_seconds = time.perf_counter() - begin

    def time(self, replays):
        if not self.is_gpu:
            begin = time.perf_counter()
            for _ in range(replays):
                self.run()
            return time.perf_counter() - begin
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(replays):
            self.run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3


def difference(actual, expected):
    """The norm of the difference of two lists of tensors, relative to the norm of the expected list."""
    error = sum((ours.double() - reference.double()).square().sum().item() for ours, reference in zip(actual, expected))
    return math.sqrt(error / sum(reference.double().square().sum().item() for reference in expected))


def inference_step(network, image):
    def step():
        with torch.no_grad():
            return [network(image)]

    return step


def training_step(network, image, dtype):
    """A step of forward, loss and backward, whose results are the gradients."""
    parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]

    def step():
        amp = torch.autocast(image.device.type, dtype) if dtype != torch.float32 else contextlib.nullcontext()
        with amp:
            loss = network(image).float().square().mean()
        return list(torch.autograd.grad(loss, parameters))

    return step


def compare(name, batch, options):
    """Measure one row of the table."""
    device = torch.device(options.device)
    is_gpu = device.type == "cuda"
    dtype = DTYPES[options.dtype]
    memory_format = {4: torch.channels_last, 5: torch.channels_last_3d}
    network, image = networks.make(name, batch)
    if options.train:
        network.train()
        for module in network.modules():  # No dropout: equal random draws would need equal orders of kernels.
            if isinstance(module, torch.nn.Dropout) or type(module).__name__ == "StochasticDepth":
                module.p = 0.0
    network, image = network.to(device), image.to(device)

    make_step = (lambda n, x: training_step(n, x, torch.float32)) if options.train else inference_step
    with torch.backends.cudnn.flags(allow_tf32=False):
        expected = [tensor.clone() for tensor in make_step(copy.deepcopy(network), image)()]

    if not options.train:
        network, image = network.to(dtype), image.to(dtype)
    if options.layout == "nhwc" and image.dim() in memory_format:
        network = network.to(memory_format=memory_format[image.dim()])
        image = image.to(memory_format=memory_format[image.dim()])
    step_of = (lambda n, x: training_step(n, x, dtype)) if options.train else inference_step

    torch._dynamo.reset()  # Only here: it would make code of earlier variants compile again, in a measured call.
    variants, seconds, problems = {}, {}, []
    begin = time.perf_counter()
    conv.torch.settings.measure = options.measure
    if options.train:
        ours = copy.deepcopy(network)
        conv.torch.replace(ours)
    else:
        rest = {"measured": None, "compiled": True, "eager": False}[options.rest]
        ours = conv.torch.optimize(network, (image,), measure=options.measure, compile_rest=rest, cuda_graph=is_gpu)
        ours = ours.module if is_gpu else ours  # Variants capture graphs of their own.
    if options.train and options.rest == "compiled":
        ours = torch.compile(ours, dynamic=False, fullgraph=True)
    variants["conv"] = Variant(step_of(ours, image), is_gpu)
    seconds["conv"] = time.perf_counter() - begin
    for variant in ["eager", *options.against]:
        theirs = copy.deepcopy(network)
        if variant in MODES:
            theirs = torch.compile(theirs, mode=MODES[variant], dynamic=False)
        begin = time.perf_counter()
        variants[variant] = Variant(step_of(theirs, image), is_gpu)
        seconds[variant] = time.perf_counter() - begin
    for variant in variants.values():
        variant.run()
    errors = {key: difference(variant.results, expected) for key, variant in variants.items()}
    if errors["conv"] > MOST_ERROR * errors["eager"] + 1e-5:
        print(f"{name} of {batch}: wrong: {errors['conv']:.2g} off, and eager's {errors['eager']:.2g}", file=sys.stderr)
    protocol = Protocol(options.idle, options.burst, options.rounds)
    times = {variant: dataclasses.asdict(time) for variant, time in measure(variants, protocol).items()}
    for row in conv.torch.report():
        problems.append({key: value for key, value in row._asdict().items() if key != "detail"})
    clear()
    return {"network": name, "batch": batch, "times": times, "errors": errors, "ready": seconds, "problems": problems}


def clear():
    from conv.torch import _calls, _choices

    _choices.forget()
    _calls.forget()
    torch._dynamo.reset()


def write_reports(report, folder):
    """Print the tables, and write them beside the numbers as Markdown and HTML."""
    text = to_markdown(report)
    print(text, end="")
    write_file(folder / "report.md", text)
    write_file(folder / "report.html", to_html(report))


def run(options):
    if options.device.startswith("cuda"):
        if not torch.cuda.is_available():
            raise OSError(f"expects a GPU for the device {options.device}, but PyTorch finds none")
        torch.backends.cudnn.benchmark = True
        name = torch.cuda.get_device_name()
    else:
        name = platform.processor() or platform.machine()
    what = f"{'training step' if options.train else 'inference'}, {options.dtype}, {options.layout}"
    report = {"device": name, "torch": torch.__version__, "what": what, "rows": []}
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    for network in options.networks:
        for batch in options.batch:
            print(f"{network} of {batch} ...", file=sys.stderr, flush=True)
            try:
                report["rows"].append(compare(network, batch, options))
            except Exception as error:
                if not options.keep_going:
                    raise
                print(f"{network} of {batch}: error: {str(error)[:500]}", file=sys.stderr, flush=True)
                clear()
                continue
            write_file(folder / RESULTS, json.dumps(report, indent=1))
    if not report["rows"]:
        return 1
    write_reports(report, folder)
    wrong = [row for row in report["rows"] if row["errors"]["conv"] > MOST_ERROR * row["errors"]["eager"] + 1e-5]
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(
        prog="bench/networks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    runs = commands.add_parser("run", help="measure")
    runs.add_argument(
        "--networks",
        nargs="+",
        choices=networks.NAMES,
        default=networks.NAMES,
        metavar="NAME",
        help="which networks (default: all)",
    )
    runs.add_argument("--batch", nargs="+", type=int, default=[1, 8, 64], help="batch sizes (default: 1 8 64)")
    runs.add_argument("--dtype", choices=DTYPES, default="bf16", help="of parameters and images (default: bf16)")
    runs.add_argument(
        "--layout", choices=("nhwc", "nchw"), default="nhwc", help="of parameters and images, as all variants get them"
    )
    runs.add_argument("--train", action="store_true", help="a training step instead of inference")
    runs.add_argument("--against", nargs="*", choices=MODES, default=[], help="also these modes of torch.compile")
    runs.add_argument(
        "--rest",
        choices=("measured", "compiled", "eager"),
        default="measured",
        help="what runs what is no convolution, in conv's variant: the faster one of torch.compile and PyTorch's kernels, "
        "or one of them; training steps are compiled if it says so",
    )
    runs.add_argument("--no-measure", dest="measure", action="store_false", help="conv's kernels wherever there is one")
    runs.add_argument(
        "--device",
        default="cuda" if torch.cuda.is_available() else "cpu",
        help="PyTorch's name of the device (default: cuda if there is one, otherwise cpu)",
    )
    runs.add_argument("--rounds", type=int, default=5, help="bursts of each variant (default: 5)")
    runs.add_argument("--idle", type=float, default=0.1, help="seconds between bursts")
    runs.add_argument("--burst", type=float, default=0.03, help="seconds of a burst")
    runs.add_argument("--keep-going", action="store_true", help="go on after a network that fails")
    runs.add_argument("--output", default="results", help="a folder")
    shows = commands.add_parser("report", help="print the tables of a folder, and write report.md and report.html there")
    shows.add_argument("output", help="the folder that `run` wrote")
    options = parser.parse_args()
    try:
        if options.command == "report":
            folder = pathlib.Path(options.output)
            write_reports(json.loads((folder / RESULTS).read_text()), folder)
            return 0
        return run(options)
    except (OSError, ImportError) as error:  # A file, a folder or a package is missing.
        raise SystemExit(f"networks: error: {error}") from error


if __name__ == "__main__":
    sys.exit(main())

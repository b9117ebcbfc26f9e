"""Measure just-in-time compilation: loading the library, cold compilations, hits on disk and in memory, and memory use.

    PYTHONPATH=python python3 bench/jit_calls.py                        1,000 problems for host, called 100,000 times
    PYTHONPATH=python python3 bench/jit_calls.py --target sm_90a --problems 100 --calls 0

Each step runs in a process of its own, and all steps of a run share one fresh cache folder. Times are medians; cold
compilations are measured in processor time.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

#: The number of calls between two readings of the memory of the process.
_EVERY = 10000


def read_resident():
    with open("/proc/self/status") as file:
        [line] = [line for line in file if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def draw_problems(count, target):
    """Draw `count` distinct small convolutions."""
    import conv

    generator = random.Random(0)
    dtype = "f32" if target == "host" else "f16"
    sizes = set()
    while len(sizes) < count:
        sizes.add(tuple(generator.randint(1, 24) for _ in range(4)))
    return [conv.Problem(n=1, c=c, k=k, input=(h, w), filter=(1, 1), dtype=dtype) for c, k, h, w in sorted(sizes)]


def median_milliseconds(work, items, clock=time.perf_counter):
    times = []
    for item in items:
        begin = clock()
        work(item)
        times.append((clock() - begin) * 1e3)
    return round(statistics.median(times), 4)


def measure_load(options):
    """Milliseconds until the library is imported, and until it is loaded and has answered."""
    begin = time.perf_counter()
    from conv import _compiler

    imported = time.perf_counter()
    _compiler.load().conv_compiler_fingerprint()
    loaded = time.perf_counter()
    size = os.path.getsize(os.path.realpath(_compiler.load()._name))
    return {"bytes": size, "import_ms": round((imported - begin) * 1e3, 1), "load_ms": round((loaded - imported) * 1e3, 1)}


def measure_cold(options):
    """Processor time of cold compilations, which fill the cache folder."""
    import conv

    problems = draw_problems(options.problems, options.target)
    compile_one = lambda problem: conv.compile(problem, options.target, threads=1)  # noqa: E731
    compile_one(conv.Problem(n=1, c=3, k=5, input=(7, 7), filter=(3, 3), dtype=problems[0].dtype))
    return {"cold_ms": median_milliseconds(compile_one, problems, time.process_time)}


def measure_hits(options):
    """Times of cache hits in another process: on disk first, then in memory."""
    import conv
    from conv import _compiler

    problems = draw_problems(options.problems, options.target)
    modules = [problem.module() for problem in problems]
    compile_one = lambda module: conv.compile(module, options.target)  # noqa: E731
    first = median_milliseconds(compile_one, modules[:1])
    disk = median_milliseconds(compile_one, modules[1:])
    memory = median_milliseconds(compile_one, modules)
    counts = _compiler.statistics()
    assert counts["compilations"] == 0 and counts["file_hits"] == len(modules), counts
    return {"first_hit_ms": first, "disk_hit_ms": disk, "memory_hit_ms": memory}


def measure_growth(options):
    """Resident memory while the same problems are requested again and again; all of their artifacts are kept."""
    import conv

    modules = [problem.module() for problem in draw_problems(options.problems, options.target)]
    for module in modules:
        conv.compile(module, options.target)
    resident = [read_resident()]
    for call in range(options.calls):
        conv.compile(modules[call % len(modules)], options.target)
        if (call + 1) % _EVERY == 0:
            resident.append(read_resident())
    return {"calls": options.calls, "resident_mb": [round(size / 1e6, 1) for size in resident]}


STEPS = {"load": measure_load, "cold": measure_cold, "hits": measure_hits, "growth": measure_growth}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="host", help="what is compiled for (default: host)")
    parser.add_argument("--problems", type=int, default=1000, help="different problems of the long run (default: 1000)")
    parser.add_argument("--calls", type=int, default=100000, help="calls of the long run (default: 100000)")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        print(json.dumps(STEPS[options.step](options)))
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CONV_CACHE_DIR": folder}
        for step in STEPS:
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--step", step], env=environment, check=True)


if __name__ == "__main__":
    main()

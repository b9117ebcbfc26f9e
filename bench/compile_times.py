"""Time the compilation of random problems, one thread each, and print the slowest.

    PYTHONPATH=build/python/site CONV_COMPILER_LIBRARY=build/lib/libconv_compiler.so \
        python3 bench/compile_times.py --problems 300

Every problem is compiled for every target, from MLIR text to an artifact, without a database and without a cache. Times are
processor time with that of the assembler, so that they are meaningful on a busy machine, too. `--hard` draws what takes longest:
gradients of inputs with large strides, in two and three dimensions mostly, 8-bit elements, channels first, groups and dilation. The
exit code is 1 if a problem takes longer than `--bound` seconds, or does not compile though it is not refused.
"""

import argparse
import collections
import itertools
import multiprocessing
import os
import random
import statistics
import sys
import time

import conv

TARGETS = "gfx90a,gfx942,gfx950,gfx1100,gfx1201,gfx1250,sm_80,sm_90,sm_90a,sm_100a,host"


def draw_problem(generator):
    """Any direction, type, layout, window and number of groups."""
    return draw(
        generator,
        dimensions=[1, 2, 2, 3],
        groups=[1, 1, 1, 2, 3, 8, 16],
        strides=[1, 1, 2, 3, 4],
        windows=[1, 2, 3, 3, 5, 7],
        types=["f32", "f16", "bf16", "i8", "f8E4M3FN"],
        directions=["forward", "backward_data", "backward_data", "backward_weight"],
        channels_first=0.4,
    )


def draw_hard_problem(generator):
    """Of the problems that take longest to compile."""
    return draw(
        generator,
        dimensions=[1, 2, 3, 3],
        groups=[1, 1, 2, 4],
        strides=[2, 2, 3, 4, 8, 16],
        windows=[3, 4, 5, 7],
        types=["i8", "i8", "f8E4M3FN", "bf16", "f16", "f32"],
        directions=["backward_data"] * 4 + ["backward_weight"],
        channels_first=0.75,
    )


def draw(generator, dimensions, groups, strides, windows, types, directions, channels_first):
    """A problem of random sizes, with properties that are drawn from lists."""
    rank = generator.choice(dimensions)

    def per_dimension(values):
        return tuple(generator.choice(values) for _ in range(rank))

    group_count = generator.choice(groups)
    filter_, dilation = per_dimension(windows), per_dimension([1, 1, 1, 2])
    extents = [1 + step * (size - 1) for size, step in zip(filter_, dilation)]
    direction = generator.choice(directions)
    has_epilogue = direction != "backward_weight" and generator.random() < 0.3
    letters = "DHW"[-rank:]
    layout = f"NC{letters}" if generator.random() < channels_first else f"N{letters}C"
    return conv.Problem(
        input=tuple(max(extent, generator.choice([7, 8, 14, 17, 28, 56])) for extent in extents),
        filter=filter_,
        n=generator.choice([1, 2, 8, 32]),
        c=group_count * generator.choice([1, 3, 8, 16, 40, 64, 128]),
        k=group_count * generator.choice([1, 8, 16, 24, 64, 128]),
        dtype=generator.choice(types),
        direction=direction,
        groups=group_count,
        stride=per_dimension(strides),
        dilation=dilation,
        low=tuple(generator.randint(0, extent // 2) for extent in extents),
        high=tuple(generator.randint(0, extent // 2) for extent in extents),
        input_layout=layout,
        filter_layout=layout,
        output_layout=layout,
        bias=has_epilogue,
        activation=generator.choice(["relu", "silu", "gelu"]) if has_epilogue else "",
    )


def measure(unit):
    """The problem, the target, and the seconds that it takes, or why it does not compile."""
    problem, target = unit
    module = problem.module()
    before = os.times()
    refused = failed = ""
    try:
        conv.compile(module, target, database="none", threads=1, cache=False)
    except conv.Refused as error:
        refused = error.reason
    except conv.Error as error:
        failed = str(error)
    after = os.times()
    seconds = sum(after[:4]) - sum(before[:4])
    return problem, target, seconds, refused, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="of the problems (default: 0)")
    parser.add_argument("--targets", default=TARGETS, help=f"by commas (default: {TARGETS})")
    parser.add_argument("--hard", action="store_true", help="draw problems that take long to compile")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: one per processor)")
    parser.add_argument("--bound", type=float, default=2.0, help="the most seconds of a pair (default: 2)")
    parser.add_argument("--slowest", type=int, default=10, help="how many to print (default: 10)")
    arguments = parser.parse_args()

    generator = random.Random(arguments.seed)
    draw_one = draw_hard_problem if arguments.hard else draw_problem
    problems = [draw_one(generator) for _ in range(arguments.problems)]
    units = list(itertools.product(problems, arguments.targets.split(",")))
    compiled, refusals, failures = [], collections.Counter(), []
    start = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        for done, (problem, target, seconds, refused, failed) in enumerate(pool.imap_unordered(measure, units), 1):
            if refused:
                refusals[refused] += 1
            elif failed:
                failures.append(f"{target}: {problem.describe()}: {failed}")
            else:
                compiled.append((seconds, target, problem))
            if sys.stderr.isatty():
                print(f"\r{done} of {len(units)}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)

    compiled.sort(key=lambda entry: entry[0], reverse=True)
    print(f"{len(units)} pairs in {time.monotonic() - start:.0f} s, {len(compiled)} compiled")
    for reason, count in refusals.most_common():
        print(f"  {count} refused: {reason}")
    if compiled:
        times = [seconds for seconds, _, _ in compiled]
        share = times[len(times) // 100]
        print(f"median {statistics.median(times):.2f} s, 99 % within {share:.2f} s, slowest {times[0]:.2f} s")
    slow = [entry for entry in compiled if entry[0] > arguments.bound]
    print(f"{len(slow)} over {arguments.bound:g} s")
    for seconds, target, problem in compiled[: max(arguments.slowest, len(slow))]:
        print(f"  {seconds:.2f} s {target}: {problem.describe()}, padding {problem.low} {problem.high}")
    for failure in failures:
        print(f"failed: {failure}")
    return 1 if slow or failures else 0


if __name__ == "__main__":
    sys.exit(main())

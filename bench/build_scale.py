"""Measure what the processes of a Dask cluster cost in a build of many small entries on this machine.

    PYTHONPATH=python python3 bench/build_scale.py --units 10000 --workers 2 --output scale

The script writes a file of models with `--units` distinct convolutions for `host`, starts a scheduler and workers as `dask`
does, runs conv-build on them, and prints the processor time and the peak memory of the scheduler, the client, the workers
and their compilers. Processor time is meaningful on a busy machine, too. A build that was stopped resumes.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import time

#: The settings that docs/tuning.md recommends for the processes of a cluster.
CALM = {
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__TICK__CYCLE": "10s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__SCHEDULER__ACTIVE_MEMORY_MANAGER__START": "False",
}


def draw_layers(count, seed):
    """Draw `count` distinct shapes of small convolutions."""
    generator = random.Random(seed)
    layers = {}
    while len(layers) < count:
        n, c, k = generator.randint(1, 3), generator.randint(1, 24), generator.randint(1, 24)
        image = [generator.randint(3, 16), generator.randint(3, 16)]
        layers[n, c, k, *image] = {"n": n, "c": c, "k": k, "spatial": image, "filter": [1, 1]}
    return list(layers.values())


def read_process(pid):
    """The parent of a process, its seconds of processor time and its peak bytes of memory; None if it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    peak = [int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")]
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / ticks, peak[0] if peak else 0


class Usage:
    """Processor time and peak memory of processes by role, sampled while they run."""

    def __init__(self, roots):
        self._roles = {process.pid: role for role, process in roots}
        self.seconds, self.peak = {}, {}

    def sample(self):
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            pid = int(path.name)
            found = read_process(pid)
            if found is None:
                continue
            parent, seconds, peak = found
            if pid not in self._roles and self._roles.get(parent) in ("worker", "compiler"):
                self._roles[pid] = "compiler"
            if pid in self._roles:
                self.seconds[pid] = seconds
                self.peak[pid] = peak

    def table(self):
        rows = collections.defaultdict(lambda: {"processes": 0, "seconds": 0.0, "peak_mb": 0.0})
        for pid, seconds in self.seconds.items():
            row = rows[self._roles[pid]]
            row["processes"] += 1
            row["seconds"] = round(row["seconds"] + seconds, 2)
            row["peak_mb"] = round(max(row["peak_mb"], self.peak[pid] / 1e6), 1)
        return dict(rows)


def start(command, environment, log):
    return subprocess.Popen(list(map(str, command)), env=environment, stdout=log, stderr=subprocess.STDOUT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=10000, help="entries to build (default: 10000)")
    parser.add_argument("--workers", type=int, default=2, help="processes of the cluster (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="of the random problems (default: 1)")
    parser.add_argument("--defaults", action="store_true", help="Dask's own settings")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="a folder")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    layers = {"scale": draw_layers(options.units, options.seed)}
    (options.output / "layers.json").write_text(json.dumps(layers))
    model = {"layers": "layers.json", "dtype": "f32", "layout": "nhwc"}
    (options.output / "models.yaml").write_text(json.dumps({"targets": ["host"], "models": {"scale": model}}))
    environment = {**os.environ, **({} if options.defaults else CALM), "OMP_NUM_THREADS": "1"}
    file = options.output.resolve() / "scheduler.json"
    file.unlink(missing_ok=True)
    python = [sys.executable, "-m"]
    with open(options.output / "log", "w") as log:
        cluster = [*python, "distributed.cli.dask_scheduler", "--scheduler-file", file, "--host", "127.0.0.1", "--port",
                   "0", "--no-dashboard"]  # fmt: skip
        roots = [("scheduler", start(cluster, environment, log))]
        while not file.exists():
            time.sleep(0.1)
        worker = [*python, "distributed.cli.dask_worker", "--scheduler-file", file, "--nthreads", "1", "--no-dashboard",
                  "--no-nanny"]  # fmt: skip
        roots += [("worker", start(worker, environment, log)) for _ in range(options.workers)]
        build = [*python, "conv.build", options.output / "models.yaml", "--cluster", file, "--json"]
        begin = time.monotonic()
        client = subprocess.Popen(list(map(str, build)), env=environment, stdout=subprocess.PIPE, text=True)
        usage = Usage([*roots, ("client", client)])
        pause = 0.05  # The first pauses are short, for builds that take a second or two.
        while client.poll() is None:
            usage.sample()
            time.sleep(pause)
            pause = min(1.2 * pause, 2)
        usage.sample()  # The processes that still run have used all of their time by now.
        counts = json.loads(client.stdout.read() or "{}")
        report = {"seconds": round(time.monotonic() - begin, 1), "code": client.returncode, "roles": usage.table(),
                  "units": counts.get("units"), "compiled": counts.get("compiled"), "failed": len(counts.get("failed", [])),
                  "refused": len(counts.get("refused", {}))}  # fmt: skip
        for _, process in reversed(roots):  # Workers end first: one that loses its scheduler may wait for it.
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
    work = sum(report["roles"].get(role, {}).get("seconds", 0) for role in ("worker", "compiler"))
    if work:
        report["scheduler_share"] = round(report["roles"]["scheduler"]["seconds"] / work, 4)
    (options.output / "usage.json").write_text(json.dumps(report, indent=1))
    print(json.dumps(report, indent=1))
    return client.returncode


if __name__ == "__main__":
    sys.exit(main())

# REQUIRES: dask
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%source-root/python:%S/Inputs %dask-python %s %t
"""Sweeps on a cluster of processes. Workers, scheduler and client are killed, and nothing is lost or measured twice except
the candidates in flight."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

import tuner
from conv.tune import Database, Quarantined

ROOT = pathlib.Path(sys.argv.pop())
#: Candidates of a chunk; a worker has one chunk in flight.
CHUNK = 8


class Processes:
    """The processes of a scheduler and its workers."""

    def __init__(self, folder, environment):
        self.folder, self._environment = folder, environment
        self.file = folder / "scheduler.json"
        self._log = open(folder / "log", "ab")
        self.workers = []

    def _start(self, *arguments):
        command = [sys.executable, "-m", "distributed.cli." + arguments[0], *map(str, arguments[1:])]
        return subprocess.Popen(
            command, env=self._environment, stdout=self._log, stderr=subprocess.STDOUT, start_new_session=True
        )

    def start_scheduler(self):
        self.file.unlink(missing_ok=True)
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address",
                                     "127.0.0.1:0", "--scheduler-file", self.file)  # fmt: skip
        tuner.wait_for(self.file.exists)

    def start_worker(self, *more):
        self.workers.append(self._start("dask_worker", "--scheduler-file", self.file, "--nthreads", "1", "--host",
                                        "127.0.0.1", "--no-dashboard", "--no-nanny", *more))  # fmt: skip

    def close(self):
        for process in (*self.workers, self.scheduler):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        self._log.close()


def has_sockets(process):
    """Whether a process has opened a socket."""
    folder = f"/proc/{process.pid}/fd"
    for name in os.listdir(folder):
        try:
            if os.readlink(os.path.join(folder, name)).startswith("socket:"):
                return True
        except FileNotFoundError:  # Closed meanwhile.
            continue
    return False


class Cluster(unittest.TestCase):
    def setUp(self):
        self.folder = ROOT / self.id()
        self.folder.mkdir()
        self.database, self.trace = self.folder / "tuned.db", self.folder / "trace"
        self.planned = tuner.planned()

    def start(self, poison=""):
        processes = Processes(self.folder, tuner.environment(self.trace, poison))
        self.addCleanup(processes.close)
        processes.start_scheduler()
        processes.start_worker("--resources", "host=1")
        processes.start_worker()
        return processes

    def client(self, processes):
        return subprocess.Popen(
            tuner.tune(self.database, "--cluster", processes.file, "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, client, codes=(0,)):
        out, err = client.communicate(timeout=240)
        self.assertIn(client.returncode, codes, out + err)
        return json.loads(out)

    def rows(self):
        return len(tuner.keys(self.database)) if self.database.exists() else 0

    def assert_complete(self, kills):
        rows = tuner.keys(self.database) + tuner.quarantined(self.database)
        self.assertEqual(len(rows), len(set(rows)))
        self.assertEqual(set(rows), self.planned)
        twice = sum(count - 1 for count in tuner.timed(self.trace).values())
        self.assertLessEqual(twice, kills * CHUNK)
        print(f"{self.id()}: {len(rows)} candidates, {kills} killed, {twice} timed again", file=sys.stderr)

    def test_everybody_is_killed(self):
        """In one sweep, the worker that measures, one that compiles, the client and the scheduler are killed. Candidates that
        crash or are wrong end no worker."""
        crash, wrong = (schedule[15:] for _, schedule in sorted(self.planned)[:12:11])
        processes = self.start(f"crash:{crash};wrong:{wrong}")
        client = self.client(processes)
        tuner.wait_for(lambda: self.rows() >= 4)
        os.killpg(processes.workers[0].pid, signal.SIGKILL)
        processes.start_worker("--resources", "host=1")
        tuner.wait_for(lambda: self.rows() >= 9)
        os.killpg(processes.workers[1].pid, signal.SIGKILL)
        tuner.wait_for(lambda: self.rows() >= 14)
        tuner.kill(client)  # The next client resumes the sweep.
        client.communicate()
        before = set(tuner.keys(self.database))
        client = self.client(processes)
        tuner.wait_for(lambda: self.rows() >= len(before) + 4)
        tuner.kill(processes.scheduler)  # The client waits for another one, which has other workers.
        self.assertIsNone(processes.workers[2].poll(), "its candidates ended only their child processes")
        processes.start_scheduler()
        processes.start_worker("--resources", "host=1")
        processes.start_worker()
        self.finish(client, codes=(0, 1))  # 1 if the wrong candidate came last.
        self.assertLessEqual(before, set(tuner.keys(self.database)))
        self.assert_complete(kills=3)
        with Database(self.database) as database:
            self.assertEqual({row.reason for row in database.rows(Quarantined)}, {"crash", "wrong"})

    def test_build_loses_everybody(self):
        """conv-build continues without a worker and with another scheduler, and resumes after it was killed itself."""
        shapes = [{"n": 1, "c": c, "k": k, "spatial": [5], "filter": [1]} for c in range(1, 13) for k in range(1, 9)]
        (self.folder / "layers.json").write_text(json.dumps({"all": shapes}))
        models = {"targets": ["host"], "models": {"all": {"layers": "layers.json", "dtype": "f32"}}}
        (self.folder / "models.yaml").write_text(json.dumps(models))
        units = self.folder / "packs" / ".store" / "units"

        def count():
            return len(list(units.glob("*.convpack"))) if units.exists() else 0

        def build(processes):
            command = [sys.executable, "-m", "conv.build", self.folder / "models.yaml", "--json", "--cluster", processes.file]
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        processes = self.start()
        client = build(processes)
        tuner.wait_for(lambda: count() >= 10)
        os.killpg(processes.workers[0].pid, signal.SIGKILL)
        tuner.wait_for(lambda: count() >= 25)
        tuner.kill(client)
        client.communicate()
        client = build(processes)
        # Workers may finish so many for the client before; this one must have read the scheduler's file.
        tuner.wait_for(lambda: has_sockets(client))
        tuner.wait_for(lambda: count() >= 50)
        tuner.kill(processes.scheduler)
        left = len(shapes) - count()
        processes.start_scheduler()
        processes.start_worker()
        counts = self.finish(client)
        self.assertEqual((counts["units"], counts["failed"]), (len(shapes), []))
        self.assertEqual(count(), len(shapes))
        print(f"{self.id()}: {len(shapes)} units, 3 killed, {left} compiled after the last", file=sys.stderr)

    def test_nobody_is_there(self):
        command = tuner.tune(self.database, "--cluster", "tcp://127.0.0.1:1")
        code, _, err = tuner.run(command, env={**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"})
        self.assertEqual(code, 4)
        self.assertIn("conv-tune: error: expects a Dask scheduler at tcp://127.0.0.1:1", err)
        self.assertNotIn("Traceback", err)


if __name__ == "__main__":
    unittest.main()

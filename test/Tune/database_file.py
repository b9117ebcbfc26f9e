# RUN: rm -rf %t && mkdir %t && %python %s %t
"""The file of the database: other versions, damage, full and read-only disks, concurrent writers and readers."""

import dataclasses
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import unittest

import conv
from conv.tune import Database
from rows import OUT, ROW, tool

ROOT = pathlib.Path(sys.argv.pop())


class Files(unittest.TestCase):
    def setUp(self):
        self.path = ROOT / f"{self.id()}.db"
        with Database(self.path, write=True) as database:
            database.add([ROW, OUT])

    def refused(self, path, expected):
        """Readers, writers and the tool refuse the file with an error of one line."""
        for write in (False, True):
            with self.assertRaisesRegex(conv.Error, expected):
                Database(path, write=write)
        code, text = tool("list", path)
        self.assertEqual(code, 2, text)
        self.assertRegex(text, f"^conv-db: error: .*{expected}")
        self.assertEqual(text.count("\n"), 1, text)

    def test_newer(self):
        sqlite3.connect(self.path).execute("PRAGMA user_version = 3")
        self.refused(self.path, "expects a tuning database of version 2, but .* has version 3: a newer conv wrote it")

    def test_older(self):
        """A file of version 1 is read as it is, and upgraded when it is opened for writing."""
        connection = sqlite3.connect(self.path, isolation_level=None)
        for name in ("code", "unit"):
            connection.execute(f"ALTER TABLE measurements DROP COLUMN {name}")
        connection.execute("PRAGMA user_version = 1")
        with Database(self.path) as database:
            self.assertEqual((database.rows(), database.verify()), ([ROW], []))
        self.assertEqual(connection.execute("PRAGMA user_version").fetchone(), (1,))
        row = dataclasses.replace(ROW, schedule="#conv.schedule<c>", code="0" * 64, unit='{"waves": 2}')
        with Database(self.path, write=True) as database:
            database.add([row])
            self.assertEqual((database.rows(), database.verify()), ([ROW, row], []))
        self.assertEqual(connection.execute("PRAGMA user_version").fetchone(), (2,))

    def test_foreign(self):
        foreign = ROOT / "foreign.db"
        connection = sqlite3.connect(foreign)
        connection.execute("CREATE TABLE a (b)")
        connection.close()
        self.refused(foreign, "expects a tuning database that conv wrote")
        text = ROOT / "text.db"
        text.write_text("not a database, but a text that is long enough to have been one: " * 20)
        self.refused(text, "file is not a database")

    def test_missing(self):
        with self.assertRaisesRegex(conv.Error, "there is no file"):
            Database(ROOT / "missing.db")
        text = ROOT / "no.txt"
        text.write_text("no database")
        for arguments in (["prune", ROOT / "missing.db", "--stale"], ["refresh", ROOT / "missing.db"],
                          ["prune", ROOT / "missing.db"], ["merge", ROOT / "missing.db", text],
                          ["merge", ROOT / "missing.db", ROOT / "none.db"], ["export", ROOT / "missing.db"]):  # fmt: skip
            code, said = tool(*arguments)
            self.assertEqual(code, 2, said)
            self.assertRegex(said, "^conv-db: error: [^\n]*\n$")
        self.assertFalse((ROOT / "missing.db").exists(), "what is to be changed is not made")
        with self.assertRaisesRegex(conv.Error, "unable to open"):
            Database(ROOT / "none" / "missing.db", write=True)

    def test_corrupt(self):
        """A file that lost its end, or was overwritten in the middle, is an error."""
        with Database(self.path, write=True) as database:
            database.add(dataclasses.replace(ROW, schedule=f"#conv.schedule<{i}>") for i in range(200))
            database.compact()
        whole = self.path.read_bytes()
        for broken in (whole[: len(whole) // 2], whole[:8192] + b"\xa5" * 20000 + whole[28192:]):
            self.path.write_bytes(broken)
            code, text = tool("verify", self.path)
            self.assertNotEqual(code, 0)
            self.assertRegex(text, "malformed|error: ")
            self.assertNotIn("Traceback", text)

    def test_read_only(self):
        """A user other than root can read a file in a read-only folder."""
        folder = ROOT / "shipped"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(self.path, folder / "a.db")  # The copy is in SQLite's write-ahead mode, but has no log.
        (folder / "a.db").chmod(0o444)
        folder.chmod(0o555)
        code = "print(len(Database(r'%s').rows()))\n" % (folder / "a.db")
        code += "try: Database(r'%s', write=True)\nexcept Exception as error: print(error)\n" % (folder / "a.db")
        code += "p = conv.Problem(n=1, c=8, k=8, input=(6, 6), filter=(3, 3))\n"
        code += "conv.compile(p, 'host', database=r'%s', cache=False); print('compiled')\n" % (folder / "a.db")
        # Everything is imported first, because the other user may not be able to read the modules.
        prefix = "import os, conv, sqlite3; from conv.tune import Database; conv._compiler.load()\n"
        prefix += "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        try:
            done = subprocess.run([sys.executable, "-c", prefix + code], capture_output=True, text=True)
        finally:
            folder.chmod(0o755)
        self.assertRegex(done.stdout, r"^1\ncannot use the tuning database .*readonly.*\ncompiled\n$", done.stderr)

    def test_closed_output(self):
        """A tool whose standard output is closed says that nobody can read what it writes."""
        command = [sys.executable, "-m", "conv.tune.db", "list", self.path]
        done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(done.stderr, "conv-db: error: cannot write standard output: Bad file descriptor\n")

    def test_full_output(self):
        """Python writes the last lines at its end, when it is too late for an exit code."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        for arguments in (["list", self.path], ["--help"]):
            command = [sys.executable, "-m", "conv.tune.db", *arguments]
            for output, code, text in (
                ("> /dev/full", 4, "conv-db: error: cannot write standard output: No space left on device\n"),
                ("| head -c 0", 0, ""),
            ):
                script = f'set -o pipefail; "$@" {output}'
                done = subprocess.run(
                    ["bash", "-c", script, "sh", *command], stderr=subprocess.PIPE, text=True, env=environment
                )
                self.assertEqual((done.returncode, done.stderr), (code, text), arguments)

    def test_full_disk(self):
        """If files cannot grow, the error is one line, and the earlier rows stay."""

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        other = ROOT / "large.db"
        with Database(other, write=True) as database:
            database.add(dataclasses.replace(ROW, schedule=f"#conv.schedule<{i}>" + " " * 500) for i in range(1000))
        code, text = tool("merge", self.path, other, preexec_fn=limit)
        self.assertEqual(code, 4, text)
        self.assertRegex(text, "^conv-db: error: cannot use the tuning database .*(full|disk I/O error)")
        with Database(self.path) as database:
            self.assertEqual((database.rows(), database.verify()), ([ROW], []))

    def test_writers_and_readers_at_once_and_killed(self):
        """There are two writers, one of which is killed repeatedly. Readers see only whole transactions, and all that were
        reported."""
        code = (
            "import dataclasses, sys\n"
            "from conv.tune import Database, Measurement\n"
            "[row] = [row for row in Database(sys.argv[1]).rows() if row.schedule == '#conv.schedule<a>']\n"
            "name, number = sys.argv[2], int(sys.argv[3])\n"
            "while True:\n"
            "    with Database(sys.argv[1], write=True) as database:\n"
            "        pair = [dataclasses.replace(row, schedule=f'#conv.schedule<{name} {number} {i}>') for i in range(2)]\n"
            "        database.add(pair)\n"
            "    print(number, flush=True)\n"
            "    number += 1\n"
        )

        def start(name, number):
            command = [sys.executable, "-c", code, str(self.path), name, str(number)]
            return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

        def whole(rows):
            counts = {}
            for row in rows:
                if row.schedule != ROW.schedule:
                    counts.setdefault(row.schedule.rpartition(" ")[0], []).append(row)
            self.assertTrue(all(len(pair) == 2 for pair in counts.values()))
            return set(counts)

        steady = start("steady", 0)
        written = set()
        for round_ in range(4):
            killed = start("killed", 1000 * round_)
            for line in killed.stdout:
                written.add(f"#conv.schedule<killed {int(line)}")
                with Database(self.path) as database:
                    whole(database.rows())
                if int(line) % 1000 == 5:
                    break
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            written |= {f"#conv.schedule<killed {int(line)}" for line in killed.stdout}
            killed.stdout.close()
        steady.send_signal(signal.SIGKILL)
        steady.wait()
        written |= {f"#conv.schedule<steady {int(line)}" for line in steady.stdout}
        steady.stdout.close()
        with Database(self.path) as database:
            self.assertLessEqual(written, whole(database.rows()), "what was reported is there")
            self.assertEqual(database.verify(), [])
        self.assertTrue(any("steady" in name for name in written))


if __name__ == "__main__":
    unittest.main()

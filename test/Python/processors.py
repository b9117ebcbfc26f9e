# RUN: %python %s
"""The processors that this process may use: those of its affinity, within the quotas of its control groups."""

import os
import pathlib
import tempfile
import unittest

from conv._processors import count_processors


class Processors(unittest.TestCase):
    def count(self, groups, **quotas):
        """In a system whose control groups have these quotas, by their paths."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "proc/self").mkdir(parents=True)
            (root / "proc/self/cgroup").write_text(groups)
            for group, quota in quotas.items():
                path = root / "sys/fs/cgroup" / group.replace("root", "").replace("_", "/")
                path.mkdir(parents=True, exist_ok=True)
                (path / "cpu.max").write_text(quota + "\n")
            return count_processors(folder)

    def test_affinity(self):
        everyone = os.sched_getaffinity(0)
        self.assertEqual(self.count("0::/a/b\n"), len(everyone))
        self.assertEqual(self.count("1:cpu:/a\n", a="1000 100000"), len(everyone))  # Version 1.
        try:
            os.sched_setaffinity(0, {min(everyone)})
            self.assertEqual(count_processors(), 1)
        finally:
            os.sched_setaffinity(0, everyone)

    def test_quotas(self):
        most = len(os.sched_getaffinity(0))
        self.assertEqual(self.count("0::/a/b\n", a_b="max 100000", a="max 100000"), most)
        self.assertEqual(self.count("0::/a/b\n", a_b="max 100000", a="50000 100000"), 1)
        self.assertEqual(self.count("0::/a/b\n", a_b="10000 100000", a="900000 100000"), 1)
        self.assertEqual(self.count("0::/\n", root="150000 100000"), min(2, most))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Print how far execution tests were from their bounds, one row for each suite.

Usage: summarize_execution.py RESULTS.json...

`conv_execution_tests --gtest_output=json:RESULTS.json` writes these files. `runs` counts problems times targets times kinds
of data; `worst error/bound` is the largest error of any element as a share of its bound. Exits with 1 if a test failed or
if there are no results.
"""

import json
import sys


class Row:
    """The counts and the largest error of the tests of one suite."""

    def __init__(self):
        self.cases = self.failed = self.runs = self.elements = 0
        self.worst = 0.0

    def add(self, case):
        self.cases += 1
        self.failed += "failures" in case
        self.runs += int(case.get("runs", 0))
        self.elements += int(case.get("elements", 0))
        self.worst = max(self.worst, float(case.get("worst_ratio", 0)))


def main(paths):
    rows = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for suite in json.load(file)["testsuites"]:
                for case in suite["testsuite"]:
                    if case["status"] == "RUN":
                        rows.setdefault(suite["name"], Row()).add(case)
    print("| suite | cases | failed | runs | elements | worst error/bound |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, row in sorted(rows.items()):
        print(f"| {name} | {row.cases} | {row.failed} | {row.runs} | {row.elements} | {row.worst:.3f} |")
    return 0 if rows and not any(row.failed for row in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

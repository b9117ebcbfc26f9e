#!/usr/bin/env python3
"""Sum up the JSON results of lit; the last line is `N passed, N failed`.

Exits with 1 if a test failed, if there are no results, or if nothing ran.
"""

import collections
import json
import sys

PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
NOT_RUN = {"EXCLUDED", "SKIPPED", "UNSUPPORTED"}


def main(path):
    try:
        with open(path, encoding="utf-8") as file:
            tests = json.load(file)["tests"]
    except (OSError, ValueError, KeyError) as error:
        print(f"summarize_tests.py: error: {path}: {error}", file=sys.stderr)
        tests = [{"code": "UNRESOLVED"}]
    counts = collections.Counter(test["code"] for test in tests)
    passed = sum(count for code, count in counts.items() if code in PASSED)
    not_run = sum(count for code, count in counts.items() if code in NOT_RUN)
    failed = sum(counts.values()) - passed - not_run
    if not_run:
        print(f"{not_run} not run on this machine")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

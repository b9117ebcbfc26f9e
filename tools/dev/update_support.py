#!/usr/bin/env python3
"""Compare the support tables of a Markdown page with the tables that conv-support prints, or update the page.

Usage: update_support.py PAGE.md PATH/TO/conv-support [--write]

The tables are between the lines `<!-- conv-support -->` and `<!-- end -->`.
"""

import difflib
import re
import subprocess
import sys


def main(page_path, tool, *flags):
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    tables = subprocess.run([tool], capture_output=True, text=True, check=True).stdout
    pattern = r"(?<=^<!-- conv-support -->\n).*?(?=^<!-- end -->$)"
    current = re.search(pattern, page, flags=re.M | re.S)
    assert current, f"{page_path} has no place for the tables"
    if "--write" in flags:
        with open(page_path, "w", encoding="utf-8") as file:
            file.write(page[: current.start()] + tables + page[current.end() :])
        return 0
    difference = list(difflib.unified_diff(current[0].splitlines(), tables.splitlines(), "page", "compiler", lineterm=""))
    print("\n".join(difference))
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""Check that each argument of each Python command has a help text.

Usage: check_help.py [ROOT]

Reads the Python sources of the package, the benchmarks and the tools, and looks at every call of `add_argument` and `add_parser`, so
that commands whose packages are not installed (PyTorch) are checked, too. Prints a line for each call without a help text; the exit
code is 1 if there is any.
"""

import ast
import pathlib
import sys

FOLDERS = ["bench", "python", "tools"]
CALLS = {"add_argument", "add_parser"}


def find_calls(tree):
    """The calls that add an argument or a command of a command line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS:
            yield node


def has_help(call):
    helps = [keyword.value for keyword in call.keywords if keyword.arg == "help"]
    return bool(helps) and not (isinstance(helps[0], ast.Constant) and not str(helps[0].value or "").strip())


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
    count, missing = 0, []
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.py")):
        for call in find_calls(ast.parse(path.read_text(encoding="utf-8"))):
            count += 1
            if not has_help(call):
                name = ast.unparse(call.args[0]) if call.args else "an argument"
                missing.append(f"{path.relative_to(root)}:{call.lineno}: error: expects a help text of {name}, but got none")
    print("\n".join(missing) or f"{count} arguments have a help text")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

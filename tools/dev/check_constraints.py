#!/usr/bin/env python3
"""Look up each numbered constraint in the verifiers and in the tests.

A constraint, such as `(S17)` in the description of an attribute or a row `| M11 |` of the manifest's rules, has a label. The
code that checks it says the label in a comment, and so does a negative test, in a comment or in its name (`@s17_columns`,
`TEST(Manifest, M11...)`). Ranges count: "C4 to C6". Constraints of different ops that have the same label count as one. Prints
one line for each label that is missing on one of the two sides, and exits with 1 if there is one.

    check_constraints.py [ROOT]
"""

import pathlib
import re
import sys

STATED = re.compile(r"^\s*(?://\s*)?\* \(([A-Z]\d+)\)(?:, \(([A-Z]\d+)\))?|^\| (M\d+) \|")
COMMENT = re.compile(r"//(.*)")
RANGE = re.compile(r"\b([A-Z])(\d+) to [A-Z]?(\d+)\b")
LABEL = re.compile(r"\b[A-Z]\d+\b")
NAME = re.compile(r"@(\w+)|\bTEST(?:_F)?\(\w+, (\w+)")
LABEL_IN_NAME = re.compile(r"(?<![a-zA-Z0-9])[a-zA-Z]\d+(?![a-z0-9])")


def read(paths):
    for path in sorted(paths):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield path, number, line


def find(root, folder, *suffixes):
    return [path for path in (root / folder).rglob("*") if path.suffix in suffixes]


def labels_of(comment):
    """The labels of a comment, with those inside ranges."""
    labels = set(LABEL.findall(comment))
    for letter, first, last in RANGE.findall(comment):
        labels.update(f"{letter}{number}" for number in range(int(first), int(last) + 1))
    return labels


def collect(lines):
    """The labels in comments and names of tests."""
    labels = set()
    for _, _, line in lines:
        for comment in COMMENT.findall(line):
            labels |= labels_of(comment)
        for names in NAME.findall(line):
            labels.update(label.upper() for name in names for label in LABEL_IN_NAME.findall(name.replace("_", " ")))
    return labels


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
    specifications = [*find(root, "include", ".td"), *(root / "docs").glob("artifact.md")]
    stated, verifying = [], []
    for path, number, line in read(specifications):
        match = STATED.match(line)
        if match:
            stated += [(label, path.relative_to(root), number) for label in match.groups() if label]
        else:
            verifying.append((path, number, line))
    sides = {
        "verifier": collect([*verifying, *read(find(root, "lib", ".cpp", ".h"))]),
        "test": collect(read(find(root, "test", ".mlir", ".cpp", ".test"))),
    }
    missing = 0
    for label, path, number in stated:
        for side, labels in sides.items():
            if label not in labels:
                print(f"{path}:{number}: error: {label} has no {side}")
                missing += 1
    if missing:
        return 1
    print(f"each of {len({label for label, _, _ in stated})} constraints has a verifier and a test")
    return 0


if __name__ == "__main__":
    sys.exit(main())

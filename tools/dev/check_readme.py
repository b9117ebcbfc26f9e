#!/usr/bin/env python3
"""Run the commands that a Markdown page shows, and compare their output with the output that the page shows.

Usage: check_readme.py PAGE.md SOURCE_ROOT BIN_FOLDER

Every fenced block marked `console` is checked, in order, in one temporary folder that has links to examples/ and tools/. Lines
that start with `$ ` are commands (`\\` continues one); the lines after a command are an excerpt of its output. In them,
`...` stands for any text, and neither the names of SSA values nor line breaks matter. A command that fails is an error,
unless the last line of its output in the page is `exit code N`.

A block that names a file after its language, such as `cpp examples/jit.cpp`, must have consecutive lines of that file.
"""

import os
import re
import subprocess
import sys
import tempfile


def read_examples(page):
    """Pairs of a command and the lines that the page shows below it."""
    examples = []
    for block in re.findall(r"^```console\n(.*?)^```$", page, flags=re.M | re.S):
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            if line.startswith("$ "):
                examples.append((line[2:], []))
            else:
                examples[-1][1].append(line)
    return examples


def find_excerpts(page, root):
    """Yield a message for each block that names a file but does not occur in it."""
    for path, block in re.findall(r"^```\w+ (\S+)\n(.*?)^```$", page, flags=re.M | re.S):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            content = file.read()
        if "\n".join(line.strip() for line in block.splitlines()) not in "\n".join(
            line.strip() for line in content.splitlines()
        ):
            yield f"expects a part of {path}, but got\n{block}"


def normalise(text):
    """The text with one space between words and the same name for every SSA value."""
    return " ".join(re.sub(r"%[\w$-]+", "%", text).split())


def find_missing(lines, output):
    """The first excerpt between two `...` that the output does not have after the earlier ones, or None."""
    output, position = normalise(output), 0
    for excerpt in map(str.strip, normalise("\n".join(lines)).split("...")):
        found = output.find(excerpt, position)
        if found < 0:
            return excerpt
        position = found + len(excerpt)
    return None


def check(command, lines, environment, folder):
    """A message on what is wrong with one example, or None."""
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=environment, cwd=folder, timeout=300
    )
    output = done.stdout + done.stderr
    expected_code = 0
    if lines and (match := re.fullmatch(r"exit code (\d+)", lines[-1])):
        expected_code, lines = int(match[1]), lines[:-1]
    if done.returncode != expected_code:
        return f"expects exit code {expected_code}, but got {done.returncode}\n{output[-2000:]}"
    missing = find_missing(lines, output)
    return missing and f"expects\n  {missing}\nbut it printed\n{output[:6000]}"


def main(page_path, root, bin_folder):
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    examples = read_examples(page)
    assert examples, f"{page_path} has no console block"
    environment = dict(os.environ, PATH=os.pathsep.join([os.path.abspath(bin_folder), os.environ["PATH"]]))
    failures = 0
    for wrong in find_excerpts(page, root):
        print(f"{page_path}: {wrong}", file=sys.stderr)
        failures += 1
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "tools"):
            os.symlink(os.path.abspath(os.path.join(root, name)), f"{folder}/{name}")
        for command, lines in examples:
            if wrong := check(command, lines, environment, folder):
                print(f"{page_path}: $ {command}\n{wrong}", file=sys.stderr)
                failures += 1
    print(f"{len(examples)} commands checked, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

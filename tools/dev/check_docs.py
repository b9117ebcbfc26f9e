#!/usr/bin/env python3
"""Check that what the documentation names exists.

Usage: check_docs.py [ROOT]

Reads every Markdown page of the repository. Relative links must lead to a file, and to a heading if they have an anchor. Code
spans outside of fenced blocks are searched for names: a path must be a file or a folder, from the root or the page's folder,
or end the path of one; a name with an underscore or capitals inside, an option, and a pass must occur in a source file. Pages that
explain plans and kernels have no measured times, which are in bench/results. Prints a line for each that
does not hold; the exit code is 1 if there is any.
"""

import fnmatch
import os.path
import pathlib
import re
import sys

FOLDERS = ["bench", "docs", "examples", "include", "lib", "python", "share", "test", "tools"]

FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2`*$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
# Paths that start at the root, and source files by any end of their path.
PATH = re.compile(rf"(?<![\w./-])(?:(?:{'|'.join(FOLDERS)})/[\w./*<>-]*|[\w./*<>-]+\.(?:cpp|h|td|py|md)\b)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]|\bconv-[a-z0-9-]*[a-z0-9]\b")
NAME = re.compile(r"\b(?:[A-Za-z]+_\w*\w|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)\b(?!\*)")

# Names of other software that no source file has: counters of rocprof, instructions, functions of LLVM, options of other tools.
OTHERS = re.compile(
    r"(?:SQC?|TCC|TCP|GRBM)_\w+|(?:v|s|ds|global)_[a-z0-9_]+|--list-avail|--kernel-trace|MfmaUtil"
    r"|getLdsDwGranularity|mma_promotion_interval|perf_models|E[45]M[23]FNUZ"
)
# Words of former versions, in the table of families.md that translates them; quantities of formulas, and sizes in types;
# test programs, whose names are put together by CMake.
FORMER = {"host_cache", "patch_buffer"}
FORMULA = re.compile(r"[A-Za-z]_[A-Za-z]|x[A-Z]x\w+")
MADE = re.compile(r"conv_unit_\w+")

# Pages that explain; measurements of what they explain are in bench/results.
TIMELESS = re.compile(r"docs/(architecture|plans)\.md|lib/")
TIME = re.compile(r"\b\d[\d.]* (?:us|ms)\b")


def list_files(root):
    """The files of the repository, without what builds and Python leave."""
    files = [path for path in root.iterdir() if path.is_file()]
    for folder in FOLDERS:
        files += [path for path in (root / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return sorted(str(path.relative_to(root)) for path in files)


def read_sources(root, files):
    """The text of all source files, in which names are looked up; this file and its test have names that do not exist."""
    texts = []
    for name in files:
        path = root / name
        if path.suffix in (".md", ".db", ".svg", ".json", ".jsonl") or path.name in ("check_docs.py", "check-docs.test"):
            continue
        try:
            texts.append(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            pass
    return "\n".join(texts)


def get_anchor(heading):
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


class Tree:
    def __init__(self, root):
        self.root = root
        files = list_files(root)
        self.pages = [name for name in files if name.endswith(".md")]
        folders = {str(parent) for name in files for parent in pathlib.PurePath(name).parents}
        self.paths = set(files) | folders
        self.sources = read_sources(root, files)
        self.words = set(re.findall(r"[A-Za-z_]\w*", self.sources)) | {
            pathlib.PurePath(path).stem for path in self.paths
        }
        self.options = set(re.findall(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", self.sources))

    def has_path(self, path, page):
        pattern = re.sub(r"<[^>]*>", "*", path.rstrip("/"))
        beside = str(pathlib.PurePath(page).parent / pattern)
        if "*" in pattern:
            return any(fnmatch.fnmatch(each, pattern) or fnmatch.fnmatch(each, "*/" + pattern) for each in self.paths)
        return (
            pattern in self.paths
            or beside in self.paths
            or os.path.normpath(beside) in self.paths
            or any(each.endswith("/" + pattern) for each in self.paths)
        )

    def has_name(self, name):
        return name in self.words or name in FORMER or any(other.fullmatch(name) for other in (OTHERS, FORMULA, MADE))

    def has_option(self, option, is_prefix):
        name = option.lstrip("-")
        if is_prefix:
            return any(each.startswith(name + "-") for each in self.options)
        return name in self.options or bool(OTHERS.fullmatch(option))


def find_missing_links(tree, page, text):
    for link in LINK.findall(text):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        target = (tree.root / page).parent / path if path else tree.root / page
        if not target.exists():
            yield f"no file {link}"
        elif anchor and target.suffix == ".md":
            headings = HEADING.findall(FENCE.sub("", target.read_text(encoding="utf-8")))
            if anchor not in map(get_anchor, headings):
                yield f"no heading {link}"


def find_missing_names(tree, page, text):
    for _, span in SPAN.findall(text):
        for path in PATH.findall(span):
            if not tree.has_path(path, page):
                yield f"no path {path}"
        rest = PATH.sub(" ", span)
        for match in OPTION.finditer(rest):
            if not tree.has_option(match[0], is_prefix=rest.startswith("-<", match.end())):
                yield f"no option or pass {match[0]}"
        for name in NAME.findall(OPTION.sub(" ", rest)):
            if not tree.has_name(name):
                yield f"no name {name}"


def find_times(page, text):
    if TIMELESS.match(page):
        for time in TIME.findall(text):
            yield f"a measured time, which belongs to bench/results: {time}"


def main():
    tree = Tree(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]))
    missing = []
    for page in tree.pages:
        text = FENCE.sub("", (tree.root / page).read_text(encoding="utf-8"))
        for found in (find_missing_links, find_missing_names):
            missing += [f"{page}: {message}" for message in dict.fromkeys(found(tree, page, text))]
        missing += [f"{page}: {message}" for message in find_times(page, text)]
    print("\n".join(missing) or f"{len(tree.pages)} pages name nothing that does not exist")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

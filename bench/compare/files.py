"""Files that are whole or not there."""

import json
import os


def read_json(path):
    """Return the contents of a JSON file; a file that is not JSON ends the program."""
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as error:
            raise SystemExit(f"compare: error: expects JSON in {path}, but got: {error}") from error


def write_file(path, text):
    """Replaces the file: an interruption, or a full disk, leaves the previous one."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)

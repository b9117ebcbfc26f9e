"""Files that are whole or not there."""

import os


def write_file(path, text):
    """Replaces the file: who stops in between, or has no room, leaves the one before."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)

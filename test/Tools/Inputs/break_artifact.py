"""Write an artifact that is wrong in one way.

break_artifact.py KIND FROM TO
"""

import json
import sys
import zipfile

kind, source, target = sys.argv[1:]
with zipfile.ZipFile(source) as archive:
    members = [(name, archive.read(name)) for name in archive.namelist()]


def write(members):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)


def with_manifest(change):
    manifest = json.loads(dict(members)["manifest.json"])
    change(manifest)
    write([(name, json.dumps(manifest).encode() if name == "manifest.json" else data) for name, data in members])


def edit_entry(**fields):
    with_manifest(lambda manifest: [entry.update(fields) for entry in manifest["entries"]])


def set_shape(manifest):
    manifest["entries"][0]["arguments"][0]["shape"] = [2**62, 4, 4, 8]


def shrink_argument(manifest):
    """Make a manifest that is consistent but wrong: all fields agree on a buffer that is too small for the kernel."""
    for entry in manifest["entries"]:
        argument = entry["arguments"][0]
        argument["shape"] = [1, 1, 1, 1]
        argument["strides"] = [1, 1, 1, 1]
        del entry["reference"]


if kind == "truncated":
    with open(source, "rb") as file:
        data = file.read()
    with open(target, "wb") as file:
        file.write(data[: len(data) // 2])
elif kind == "empty":
    open(target, "wb").close()
elif kind == "dots":
    write(members + [("../escape", b"x")])
elif kind == "digest":
    write([(name, data if name == "manifest.json" else data[:-1] + bytes([data[-1] ^ 1])) for name, data in members])
elif kind == "data-byte":
    write([(name, bytes([data[0] ^ 1]) + data[1:] if name.startswith("data/") else data) for name, data in members])
elif kind == "data-short":
    write([(name, data[:-1] if name.startswith("data/") else data) for name, data in members])
elif kind == "data-gone":
    write([member for member in members if not member[0].startswith("data/")])
elif kind == "deflated":
    write(members)
elif kind == "bomb":
    # Members that nothing names are never inflated, so the manifest contains the bomb.
    write([(name, data + b" " * (900 << 20) if name == "manifest.json" else data) for name, data in members])
elif kind == "no-manifest":
    write(members[1:])
elif kind == "not-json":
    write([(name, b"{]" if name == "manifest.json" else data) for name, data in members])
elif kind == "sizes":
    with_manifest(set_shape)
elif kind == "contract":
    with_manifest(shrink_argument)
elif kind == "workspace":
    edit_entry(workspace_bytes=-1)
elif kind == "format":
    with_manifest(lambda manifest: manifest.update(format=2))
elif kind == "reference":
    edit_entry(reference={"steps": [], "outputs": []})
else:
    raise SystemExit(f"unknown kind {kind}")

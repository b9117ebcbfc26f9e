"""Copy an artifact and replace a text in its manifest.

change_manifest.py FROM TO OLD NEW; whitespace between JSON tokens does not matter.
"""

import json
import sys
import zipfile

source, target, old, new = sys.argv[1:]
with zipfile.ZipFile(source) as archive:
    members = {name: archive.read(name) for name in archive.namelist()}
manifest = json.dumps(json.loads(members["manifest.json"]), separators=(",", ":"))
assert old in manifest, f"expects {old} in {manifest}"
members["manifest.json"] = manifest.replace(old, new).encode()
with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, data in members.items():
        archive.writestr(name, data)

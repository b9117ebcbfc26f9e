"""Writes artifacts with the host kernels of the runtime's tests, for any arguments and targets."""

import hashlib
import json
import os
import struct
import zipfile


def argument(name, dtype="f32", shape=(100,), strides=None, layout="", access="read", alignment=16):
    if strides is None:
        strides, step = [], 1
        for size in reversed(shape):
            strides.insert(0, step)
            step *= size
    return {
        "name": name,
        "role": name,
        "access": access,
        "dtype": dtype,
        "layout": layout,
        "shape": list(shape),
        "strides": list(strides),
        "alignment": alignment,
    }


def launch(kernel, parameters, grid=(1, 1, 1)):
    return {"kernel": kernel, "parameters": parameters, "grid": list(grid)}


# Computes output = 6 * input over 100 floats, in two launches through the workspace.
TWICE = {
    "arguments": [argument("input"), argument("output", access="write")],
    "launches": [
        launch("scale", [{"argument": 0}, {"workspace": 512}, {"i32": -2}], grid=(100, 1, 1)),
        launch("scale", [{"workspace": 512}, {"argument": 1}, {"i32": -3}], grid=(100, 1, 1)),
    ],
    "workspace_bytes": 1024,
}


def nothing(*arguments):
    """A function that has these arguments and does not access them."""
    return {"arguments": list(arguments), "launches": [launch("empty", [])], "workspace_bytes": 0}


def gpu_code():
    """The header of a GPU's code object; the stand-in runs the code of the host entry instead."""
    header = b"\x7fELF\2\1\1".ljust(16, b"\0")
    return struct.pack("<16sHHIQQQIHHHHHH", header, 2, 190, 1, 0, 0, 68, 0, 64, 0, 0, 64, 0, 0) + b"code"


def contract(function, launches):
    """The digest that binds sizes to code: rule M14 of docs/artifact.md."""
    names = [name for name in ("sizes", "arguments", "workspace_bytes") if name in function]
    relied_on = {**{name: function[name] for name in names}, "launches": launches}
    text = json.dumps(relied_on, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def write(path, functions, targets=("host",)):
    """Write an artifact of `functions`, which are given by name, for each target."""
    with open(os.environ["CONV_TEST_KERNELS"], "rb") as file:
        host_code = file.read()
    members, entries = {}, []
    for target in targets:
        code = host_code if target == "host" else gpu_code()
        digest = hashlib.sha256(code).hexdigest()
        member = f"code/{digest}.{'so' if target == 'host' else 'cubin'}"
        members[member] = code
        for name, function in functions.items():
            launches = [
                {
                    "code": member,
                    "sha256": digest,
                    "kernel": launch["kernel"],
                    "grid": launch["grid"],
                    "block": [1, 1, 1],
                    "cluster": [1, 1, 1],
                    "dynamic_shared_bytes": 0,
                    "parameters": launch["parameters"],
                    "resources": dict.fromkeys(("vgpr", "agpr", "sgpr", "shared_bytes", "scratch_bytes", "spills"), 0),
                }
                for launch in function["launches"]
            ]
            entries.append(
                {
                    "function": name,
                    "target": target,
                    "problem": "none",
                    "algorithm": "none",
                    "schedule": "",
                    "chosen_by": "user",
                    "deterministic": True,
                    "error_bound": {"accumulation": 0, "output_ulp": 0.5},
                    **function,
                    "launches": launches,
                    "contract": contract(function, launches),
                }
            )
    manifest = {
        "format": 1,
        "compiler": {"version": "0", "llvm": "0", "fingerprint": ""},
        "entries": entries,
    }
    with zipfile.ZipFile(path, "w") as pack:
        pack.writestr("manifest.json", json.dumps(manifest))
        for member, code in members.items():
            pack.writestr(member, code)

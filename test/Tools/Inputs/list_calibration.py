"""Prints the floating-point constants of the calibration's records: as the headers declare them, or, with --listed, as the
tables of CalibrationConstants.cpp name them."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
if "--listed" in sys.argv:
    text = (root / "lib/Chip/CalibrationConstants.cpp").read_text(encoding="utf-8")
    names = [f"{record}::{name}" for name, record, own in re.findall(r'\{"(\w+)",\s*&(\w+)::(\w+)\}', text) if name == own]
    # Each table is listed under some name.
    tables = set(re.findall(r">\s+(k\w+)\[\]", text))
    assert tables == set(re.findall(r",\s+(k\w+)\);", text)), "expects each table to be listed"
else:
    names = []
    for path in (root / "include/conv/Chip").glob("*Calibration.h"):
        if path.name == "HostCalibration.h":
            continue
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        for record, body in re.findall(r"struct (\w+) \{(.*?)\n\};", text, re.S):
            for fields in re.findall(r"\bdouble ([^;]+);", body):
                names += [f"{record}::{field.split('=')[0].strip()}" for field in fields.split(",")]
print("\n".join(sorted(names)))

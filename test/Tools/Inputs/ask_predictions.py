"""Asks conv-predict about some schedules of a convolution, and prints what a test checks."""

import json
import subprocess
import sys

target, line = sys.argv[1:]


def run(*arguments, text=None):
    return subprocess.run(arguments, input=text, capture_output=True, text=True, check=False)


module = run("conv-gen", *line.split()).stdout
listed = run("conv-compile", "-", f"--target={target}", "--emit=schedules", text=module).stdout
records = [json.loads(line) for line in listed.splitlines()][::40]
schedules = [record["schedule"] for record in records]
request = {"module": module, "target": target, "schedules": schedules}
name = "launch.startSeconds"
requests = [
    {**request, "schedules": [*schedules, "#conv.none", "[" * 100000, schedules[0].replace("gemm_k = 64", "gemm_k = 32")], "derivatives": True},
    {**request, "constants": {name: 2 * json.loads(run("conv-predict", "--constants", target).stdout)[name]}},
    {**request, "constants": {"warpgroup.none": 1}},
    {**request, "target": "sm_1"},
    {**request, "module": "module {}"},
    {**request, "constants": 1},
]
lines = [*map(json.dumps, requests), "[" * 100000]
done = run("conv-predict", text="".join(line + "\n" for line in lines))
plain, doubled, *errors = map(json.loads, done.stdout.splitlines())
seconds = plain["seconds"][: len(schedules)]
print("problem", plain["problem"])
print("as listed:", all(abs(a / b["seconds"] - 1) < 1e-9 for a, b in zip(seconds, records)))
print("not known:", plain["seconds"][len(schedules) :])
derivatives = plain["derivatives"]
print("derivatives in range:", all(-1.5 < value < 1.5 for own in derivatives.values() for value in own))
# The start is added to all else: twice of it adds as much as its share of the time.
more = [after / before - 1 for after, before in zip(doubled["seconds"], seconds)]
print("with twice the constant:", all(abs(a - b) < 0.02 for a, b in zip(more, derivatives[name]) if b < 0.2))
for answer in errors:
    print("error", answer["error"])
print("exit code", done.returncode)

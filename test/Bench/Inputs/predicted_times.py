"""Writes a file of measured times that equal the predictions of the cost model, times 1.5 for one family."""

import sys

root, path = sys.argv[1:]
sys.path[:0] = [f"{root}/bench/compare", f"{root}/bench/calibration", f"{root}/python"]

from sample import predict
from schedules import get_family
from table import write_table

records = []
for size in (9, 14, 20, 28):
    line = f"convbfp16 --layout nhwc -F 1 -n 2 -c 32 -k 48 -H {size} -W {size} -y 3 -x 3 -p 1 -q 1"
    _, default, predicted = predict(line, "sm_80")
    schedules = [one for one in predicted if get_family(one) in ("async_staged", "register_staged")][::40]
    seconds = {one: predicted[one] * (1.5 if get_family(one) == "async_staged" else 1) for one in schedules}
    microseconds = {one: time * 1e6 for one, time in seconds.items()}
    records.append({"problem": line, "library": None, "default": default, "microseconds": microseconds})
write_table(path, {"device": "none"}, records)

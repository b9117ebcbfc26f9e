"""Which schedules of a generated space are measured: few enough for a GPU's time, and of every kind."""

import json
import re

# How many times as slow as the best one, by the cost model, a schedule may be.
BOUND = 1.5
# Columns of tiles are told apart in steps of so many.
_COLUMNS = 32


def _kind(schedule):
    """What a schedule has in common with its neighbours in the space: all but the stages and the last few columns."""
    fields = dict(re.findall(r"(\w+) = (\[[^]]*\]|<[^>]*>|\w+)", schedule))
    rows, columns = json.loads(fields["workgroup"])
    return (
        fields["algorithm"],
        fields["main_loop"],
        "patch" in fields,
        fields.get("splits"),
        fields.get("merged_groups"),
        fields.get("cluster"),
        rows,
        json.loads(fields["subgroup"])[0],
        -(-columns // _COLUMNS),
    )


def sample(records, count):
    """At most `count` of the records of a space, which has the best one by the cost model first.

    Of each kind the best one within the bound is considered: half of `count` are the best of these, the others are
    taken evenly from the rest.
    """
    kinds = {}
    for record in records:
        if record["seconds"] <= BOUND * records[0]["seconds"]:
            kinds.setdefault(_kind(record["schedule"]), record)
    considered = list(kinds.values())
    best = min(-(-count // 2), len(considered))
    rest = considered[best:]
    others = min(count - best, len(rest))
    return considered[:best] + [rest[place * len(rest) // others] for place in range(others)]

"""Results as Markdown tables: the means of lists, the slow layers, and every layer."""

import math

from problem import DIRECTIONS
from report import SLOW, groups, operations, ratio, roof, summary

_TITLES = {direction: direction.replace("_", " ") for direction in DIRECTIONS}


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _means(report):
    """Yield a row for each list: for each direction, the geometric mean of the ratios and the least ratio."""
    by_group = groups(report)
    for name in dict.fromkeys(name for name, _ in by_group):
        means = [summary(by_group.get((name, direction), [])) for direction in DIRECTIONS]
        yield [name] + [f"{mean[0]:.2f} ({mean[1]:.2f})" if mean else "" for mean in means]


def _layers(report):
    """The results of each layer by label and direction; a layer of several lists appears once."""
    layers = {}
    for (_, direction), results in groups(report).items():
        for result in results:
            layers.setdefault(result["label"], {})[direction] = result
    return layers


def _cell(report, result):
    """Time, ratio and share of the roof of a result, or the reason why there are none."""
    if result is None:
        return ""
    if "refused" in result:
        return result["refused"]
    if "seconds" not in result:
        return f"wrong: {result['error']:.3g} of what is allowed"
    seconds, value = result["seconds"]["ours"]["median"], ratio(result)
    part = result["flops"] / seconds / roof(report, result)
    return f"{seconds * 1e6:.1f} us, " + (f"{value:.2f}, " if value else "") + f"{part:.0%}"


def _slow(layers):
    """Yield the layers whose ratio to the library is below SLOW, the slowest first."""
    ratios = [(ratio(r), label, direction) for label, by in layers.items() for direction, r in by.items()]
    for value, label, direction in sorted(found for found in ratios if (found[0] or math.inf) < SLOW):
        yield [label, _TITLES[direction], f"{value:.2f}"]


def to_markdown(report):
    """The text of `report.md`."""
    layers = _layers(report)
    protocol, ceilings = report["protocol"], report["ceilings"]
    copy, product = ceilings["bytes_per_second"] / 1e9, operations(ceilings["flops_per_second"])
    parts = [
        f"# {report['device']}\n",
        f"{report['library'] or 'No library to compare with'}. Medians of {protocol['rounds']} bursts of "
        f"{protocol['burst_seconds'] * 1e3:g} ms, in turn, each after {protocol['idle_seconds']:g} s of idle time.\n"
        f"A copy reached {copy:.0f} GB/s, counting both sides, and a matrix product {product}.\n",
    ]
    if report["library"]:
        parts.append("Geometric means of the ratios to the library (above 1 is faster), and the least of them:\n")
        parts.append(_table(["list", *_TITLES.values()], _means(report)))
        slow = list(_slow(layers))
        if slow:
            parts += [f"Below {SLOW}:\n", _table(["layer", "direction", "ratio"], slow)]
    parts.append("Each layer: its time, its ratio, and its part of the roofline.\n")
    rows = [[label, *(_cell(report, by.get(direction)) for direction in DIRECTIONS)] for label, by in layers.items()]
    parts.append(_table(["layer", *_TITLES.values()], rows))
    return "\n".join(parts)

"""Results as a table of text, and as a self-contained HTML page with rooflines."""

import html
import math
import pathlib

from files import write_file

# Categorical colours that colour-blind readers can tell apart; text never has these colours.
_COLOURS = {"forward": "#2a78d6", "backward_data": "#d9730d", "backward_weight": "#1a9c7c"}
SLOW = 0.95  # Shapes with a ratio below this are marked.


def ratio(result):
    """The speedup over the library, or None if the library was not timed."""
    seconds = result.get("seconds", {})
    return seconds["theirs"]["median"] / seconds["ours"]["median"] if "theirs" in seconds else None


def roof(report, result):
    """The operations a second that the roofline allows at the arithmetic intensity of this problem."""
    ceilings = report["ceilings"]
    return min(ceilings["flops_per_second"], ceilings["bytes_per_second"] * result["flops"] / result["bytes"])


def groups(report):
    """The results of each list and direction."""
    found = {}
    for result in report["results"]:
        found.setdefault((result["list"], result["direction"]), []).append(result)
    return found


def epilogues(report):
    """Pairs of a result with an epilogue and the result of the same convolution without an epilogue."""
    found = {}
    for result in report["results"]:
        if "seconds" in result:
            found[result["direction"], result["label"], result["dtype"]] = result
    pairs = [(r, found.get((r["direction"], r["tail"]["behind"], r["dtype"]))) for r in found.values() if "tail" in r]
    return [(result, alone) for result, alone in pairs if alone]


def print_epilogues(report):
    """Print what epilogues cost beyond the convolution, and the time that a copy takes for the bytes of their operands."""
    found = epilogues(report)
    if not found:
        return
    width = max(len(f"{result['direction']} {result['label']}") for result, _ in found)
    print(f"\n{'epilogues':{width}}{'alone':>9}{'with':>9}{'more':>9}{'bytes':>9}")
    for result, alone in found:
        before, behind = (each["seconds"]["ours"]["median"] for each in (alone, result))
        operands = result["tail"]["bytes"] / report["ceilings"]["bytes_per_second"]
        name = f"{result['direction']} {result['label']}"
        cells = (before, behind, behind - before, operands)
        print(f"{name:{width}}" + "".join(f"{cell * 1e6:>9.2f}" for cell in cells))


def summary(results):
    """The geometric mean and the minimum of the ratios, or None without a library."""
    ratios = [value for value in map(ratio, results) if value]
    return (math.exp(sum(map(math.log, ratios)) / len(ratios)), min(ratios)) if ratios else None


def three_digits(value):
    return f"{float(f'{value:.3g}'):g}"


def operations(rate):
    """Operations a second as text in TFLOP/s, or in GFLOP/s for the lower rates of CPUs."""
    return f"{three_digits(rate / 1e12)} TFLOP/s" if rate >= 1e12 else f"{three_digits(rate / 1e9)} GFLOP/s"


def outcome(report, result):
    """The cells that a table shows for a result: label, times, rates, ratio, error."""
    if "refused" in result:
        return {"label": result["label"], "note": result["refused"]}
    if "seconds" not in result:
        return {"label": result["label"], "note": f"wrong: {result['error']:.3g} of what is allowed"}
    ours, theirs = result["seconds"]["ours"], result["seconds"].get("theirs")
    spread = (ours["most"] - ours["least"]) / ours["median"]
    rate = result["flops"] / ours["median"]
    return {
        "label": result["label"],
        "ours": f"{ours['median'] * 1e6:.2f}",
        "spread": f"{spread:.1%}",
        "theirs": f"{theirs['median'] * 1e6:.2f}" if theirs else "",
        "ratio": f"{ratio(result):.2f}" if theirs else "",
        "rate": three_digits(rate / 1e12),
        "bandwidth": three_digits(result["bytes"] / ours["median"] / 1e9),
        "roof": f"{rate / roof(report, result):.0%}",
        "error": f"{result['error']:.2f}",
    }


_COLUMNS = {
    "ours": "us",
    "spread": "spread",
    "theirs": "library",
    "ratio": "ratio",
    "rate": "TFLOP/s",
    "bandwidth": "GB/s",
    "roof": "roof",
    "error": "error",
}


def print_table(report):
    print(f"{report['device']}; {report['library'] or 'no library to compare with'}")
    ceilings = report["ceilings"]
    copy, product = three_digits(ceilings["bytes_per_second"] / 1e9), operations(ceilings["flops_per_second"])
    print(f"copy {copy} GB/s, product {product}")
    for (name, direction), results in groups(report).items():
        cells = [outcome(report, result) for result in results]
        width = max(len(cell["label"]) for cell in cells)
        print(f"\n{f'{name} {direction}':{width}}" + "".join(f"{title:>9}" for title in _COLUMNS.values()))
        for cell in cells:
            values = "".join(f"{cell[column]:>9}" for column in _COLUMNS) if "ours" in cell else f"  {cell['note']}"
            print(f"{cell['label']:{width}}{values}")
        mean = summary(results)
        if mean:
            print(f"geometric mean {mean[0]:.3f}, least {mean[1]:.3f}")
    print_epilogues(report)


# The picture.

_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 55, 15, 24, 46


class _Axis:
    """A logarithmic axis that shows `values` between the positions `start` and `stop` of the picture."""

    def __init__(self, values, start, stop):
        self.low, self.high = min(values) / 1.4, max(values) * 1.4
        self.start, self.stop = start, stop

    def place(self, value):
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + part * (self.stop - self.start)

    def ticks(self):
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        ticks = [step * 10.0**power for power in decades for step in (1, 2, 5)]
        return [tick for tick in ticks if self.low <= tick <= self.high]


def _number(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _roofline(report, results):
    ceilings = report["ceilings"]
    balance = ceilings["flops_per_second"] / ceilings["bytes_per_second"]
    points = [
        (result, who, result["flops"] / result["bytes"], result["flops"] / times["median"] / 1e12)
        for result in results
        for who, times in result["seconds"].items()
    ]
    top = ceilings["flops_per_second"] / 1e12
    x = _Axis([balance / 5, balance * 5] + [point[2] for point in points], _LEFT, _WIDTH - _RIGHT)
    y = _Axis([top / 10, top] + [point[3] for point in points], _HEIGHT - _BOTTOM, _TOP)

    def line(x1, y1, x2, y2, kind):
        return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'

    def text(x, y, anchor, words, kind="tick"):
        return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'

    parts = []
    for value in x.ticks():
        parts.append(line(x.place(value), _TOP, x.place(value), _HEIGHT - _BOTTOM, "grid"))
        parts.append(text(x.place(value), _HEIGHT - _BOTTOM + 18, "middle", _number(value)))
    for value in y.ticks():
        parts.append(line(_LEFT, y.place(value), _WIDTH - _RIGHT, y.place(value), "grid"))
        parts.append(text(_LEFT - 8, y.place(value) + 4, "end", _number(value)))
    parts.append(text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, "middle", "operations per compulsory byte", "title"))
    parts.append(text(_LEFT, _TOP - 6, "start", "TFLOP/s", "title"))

    bandwidth = ceilings["bytes_per_second"] / 1e12  # TFLOP/s at an intensity of one operation a byte.
    first = max(x.low, y.low / bandwidth)
    parts.append(line(x.place(first), y.place(first * bandwidth), x.place(balance), y.place(top), "roof"))
    parts.append(line(x.place(balance), y.place(top), x.place(x.high), y.place(top), "roof"))
    parts.append(text(_WIDTH - _RIGHT - 4, y.place(top) - 6, "end", f"matrix product {operations(top * 1e12)}"))
    parts.append(text(x.place(balance) - 10, y.place(top) - 6, "end", f"copy {three_digits(bandwidth)} TB/s"))

    for result in results:
        rates = [result["flops"] / times["median"] / 1e12 for times in result["seconds"].values()]
        where = x.place(result["flops"] / result["bytes"])
        parts.append(line(where, y.place(min(rates)), where, y.place(max(rates)), "pair"))
    for result, who, intensity, rate in sorted(points, key=lambda point: point[1] == "ours"):
        colour = _COLOURS[result["direction"]]
        style = f'fill="{colour}"' if who == "ours" else f'class="hollow" style="stroke: {colour}"'
        name = "ours" if who == "ours" else "library"
        part = rate * 1e12 / roof(report, result)
        tip = f"{result['label']}, {result['direction']}\n{name}: {operations(rate * 1e12)}, {part:.0%} of the roof"
        parts.append(
            f'<circle cx="{x.place(intensity):.1f}" cy="{y.place(rate):.1f}" r="4.5" {style}>'
            f"<title>{html.escape(tip)}</title></circle>"
        )
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="roofline">{"".join(parts)}</svg>'


def _pictures(report):
    """Yield a roofline for each direction, in which every problem appears once."""
    chosen = [result for results in groups(report).values() for result in results]
    measured = {(r["label"], r["direction"]): r for r in chosen if "seconds" in r}.values()
    for direction, colour in _COLOURS.items():
        results = [result for result in measured if result["direction"] == direction]
        if not results:
            continue
        legend = f'<span><i style="background: {colour}"></i>ours</span>'
        if any("theirs" in result["seconds"] for result in results):
            legend += f'<span><i class="ring" style="border-color: {colour}"></i>library</span>'
        title = direction.replace("_", " ")
        yield f"<figure><figcaption><b>{title}</b>{legend}</figcaption>{_roofline(report, results)}</figure>"


def _rows(report, results):
    scale = 50  # A ratio of 1 has a bar of this percentage of the cell.
    for result in results:
        cell = outcome(report, result)
        label = f"<td>{html.escape(cell['label'])}</td>"
        if "note" in cell:
            yield f'<tr>{label}<td class="note" colspan="{len(_COLUMNS) + 1}">{html.escape(cell["note"])}</td></tr>'
            continue
        values = "".join(f"<td>{cell[column]}</td>" for column in _COLUMNS)
        value = ratio(result)
        bar = ""
        if value:
            kind = "slow" if value < SLOW else "fast"
            bar = f'<div class="bar {kind}" style="width:{min(value * scale, 100):.1f}%"></div><div class="one"></div>'
        yield f'<tr>{label}{values}<td class="track">{bar}</td></tr>'


def _tables(report):
    for (name, direction), results in groups(report).items():
        mean = summary(results)
        note = f" — geometric mean {mean[0]:.3f}, least {mean[1]:.3f}" if mean else ""
        head = "".join(f"<th>{title}</th>" for title in _COLUMNS.values())
        yield (
            f"<h2>{html.escape(name)}, {direction.replace('_', ' ')}<small>{note}</small></h2>"
            f'<table><thead><tr><th>shape</th>{head}<th class="track">against the library</th></tr></thead>'
            f"<tbody>{''.join(_rows(report, results))}</tbody></table>"
        )


def write_html(report, path):
    protocol = report["protocol"]
    page = _PAGE.format(
        device=html.escape(report["device"]),
        library=html.escape(report["library"] or "no library to compare with"),
        protocol=f"{protocol['idle_seconds']:g} s idle, {protocol['burst_seconds'] * 1e3:g} ms bursts in turn, "
        f"medians of {protocol['rounds']}",
        pictures="".join(_pictures(report)),
        tables="".join(_tables(report)),
    )
    write_file(pathlib.Path(path), page)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>conv on {device}</title>
<style>
:root {{ color-scheme: light dark;
        --text: #1f2328; --faint: #6a727c; --rule: #e3e6ea; --page: #ffffff; --roof: #4a525c; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --text: #e8eaed; --faint: #9aa3ad; --rule: #2c323a; --page: #14171b; --roof: #b6bec8; }}
}}
body {{ margin: 2rem auto; max-width: 1000px; padding: 0 1rem; background: var(--page); color: var(--text);
       font: 14px/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 1.5rem; margin: 0; }}
h2 {{ font-size: 1.05rem; margin: 2rem 0 .5rem; }}
small, p {{ color: var(--faint); font-weight: normal; }}
svg {{ width: 100%; height: auto; }}
.grid {{ stroke: var(--rule); }}
.roof {{ stroke: var(--roof); stroke-width: 2; stroke-linecap: round; }}
.pair {{ stroke: var(--faint); opacity: .5; }}
.tick {{ font-size: 11px; fill: var(--faint); font-variant-numeric: tabular-nums; }}
.title {{ font-size: 12px; fill: var(--text); }}
circle {{ stroke: var(--page); stroke-width: 1; }}
circle.hollow {{ fill: var(--page); stroke-width: 2; }}
circle:hover {{ r: 7; }}
.pictures {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 1rem 2rem; }}
figure {{ margin: 1rem 0 0; }}
figcaption span {{ margin-left: 1.2rem; color: var(--faint); }}
figcaption i {{ display: inline-block; width: 10px; height: 10px; border-radius: 50%; margin-right: .4rem; }}
figcaption i.ring {{ border: 2px solid; width: 6px; height: 6px; }}
table {{ border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 13px; }}
th, td {{ text-align: right; padding: .2rem .5rem; border-bottom: 1px solid var(--rule); white-space: nowrap; }}
th {{ font-weight: normal; color: var(--faint); }}
th:first-child, td:first-child, td.note, th.track {{ text-align: left; }}
td.note {{ color: var(--faint); white-space: normal; }}
td.track {{ position: relative; width: 16%; min-width: 110px; }}
.bar {{ height: 9px; border-radius: 0 4px 4px 0; }}
.bar.fast {{ background: #2a78d6; }}
.bar.slow {{ background: #d64545; }}
.one {{ position: absolute; top: 0; bottom: 0; left: calc(.5rem + (100% - 1rem) / 2);
       border-left: 1px dashed var(--faint); }}
</style>
<h1>Convolutions on {device}</h1>
<p>{library}; {protocol}. Every result was verified before it was timed.</p>
<div class="pictures">{pictures}</div>
{tables}
</html>
"""

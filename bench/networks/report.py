"""The tables of whole networks, as Markdown and as a self-contained HTML page."""

import html
import math
import os

# For each variant, a colour that colour-blind readers can tell apart; text never has these colours.
_COLOURS = {"conv": "#2a78d6", "eager": "#9aa3ad", "compile": "#d9730d", "max-autotune": "#1a9c7c"}
_STYLE = """body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1em 0 } td, th { padding: .25em .8em; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left } .bar { display: inline-block; height: .8em; vertical-align: baseline }
.slow { font-weight: bold } figure { margin: 1.5em 0 } figcaption { color: #555 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1d20 } td, th { border-color: #444 } figcaption { color: #aaa } }"""


def write_file(path, text):
    """Write a temporary file and rename it, so that nobody reads half of a file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def _others(report):
    return [name for name in report["rows"][0]["times"] if name != "conv"]


def _median(row, variant):
    return row["times"][variant]["median"]


def _ratio(row, variant):
    """The speedup of conv over a variant."""
    return _median(row, variant) / _median(row, "conv")


def _title(report):
    return f"{report['device']}, {report['what']}; PyTorch {report['torch']}"


def _head(report):
    others = _others(report)
    times = [f"{name} ms" for name in ["conv", *others]]
    return ["network", "batch", *times, "error of conv", "of eager", *(f"faster than {name}" for name in others), "kernels of conv"]


def _cells(report, row):
    others = _others(report)
    runs = [problem["runs"] for problem in row["problems"]]
    cells = [row["network"], str(row["batch"])]
    cells += [f"{_median(row, name) * 1e3:.3f}" for name in ["conv", *others]]
    cells += [f"{row['errors'][name]:.2g}" for name in ("conv", "eager")]
    return [*cells, *(f"{_ratio(row, name):.2f}×" for name in others), f"{runs.count('conv')} of {runs.count('conv') + runs.count('torch')}"]


def _means(report):
    for name in _others(report):
        ratios = [_ratio(row, name) for row in report["rows"]]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        yield f"Against {name}: {mean:.2f}× in the geometric mean, {min(ratios):.2f}× at least."


def _left(report):
    """The layers that PyTorch's kernels compute, with the reasons; each layer appears once."""
    return sorted(
        {
            (row["network"], str(row["batch"]), problem["problem"], problem["reason"])
            for row in report["rows"]
            for problem in row["problems"]
            if problem["runs"] == "torch"
        }
    )


def to_markdown(report):
    head = _head(report)
    lines = [_title(report), "", f"| {' | '.join(head)} |", f"| --- |{' ---: |' * (len(head) - 1)}"]
    lines += [f"| {' | '.join(_cells(report, row))} |" for row in report["rows"]]
    for mean in _means(report):
        lines += ["", mean]
    return "\n".join(lines) + "\n"


def _table(head, rows):
    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f"<table>{line('th', head)}{''.join(line('td', row) for row in rows)}</table>"


def _bars(report):
    """A bar for each variant of each network, whose length is its time relative to the slowest variant."""
    rows = []
    for row in report["rows"]:
        slowest = max(_median(row, name) for name in row["times"])
        for name in row["times"]:
            width = 30 * _median(row, name) / slowest
            label = f"{row['network']}, {row['batch']}" if name == "conv" else ""
            bar = f'<span class="bar" style="width: {width:.2f}em; background: {_COLOURS.get(name, "#777")}"></span>'
            time = f"{_median(row, name) * 1e3:.3f} ms"
            rows.append(f'<tr><td>{html.escape(label)}</td><td>{name}</td><td style="text-align: left">{bar} {time}</td></tr>')
    return f"<figure><table>{''.join(rows)}</table><figcaption>Medians; shorter is faster.</figcaption></figure>"


def to_html(report):
    """The HTML page: means, bars, the table, and the layers that were left to PyTorch."""
    title = html.escape(_title(report))
    means = "".join(f"<p>{html.escape(mean)}</p>" for mean in _means(report))
    body = f"<h1>Networks: {title}</h1>{means}{_bars(report)}"
    body += _table(_head(report), [_cells(report, row) for row in report["rows"]])
    left = _left(report)
    if left:
        body += "<h2>Layers that PyTorch computes</h2>" + _table(["network", "batch", "layer", "reason"], left)
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>{body}</html>\n'

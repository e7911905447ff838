"""Draws what benchmarks measured: from each docs/images/NAME.json an NAME.svg beside it.

pictures.py [FOLDER]. A file holds `title`, `measured` (by what, and when), and `panels`, each with `title`, `x` and `y`
(the names of the axes) and `lines`, each with `name` and `points` ([x, y], ...). Axes begin at 0. A line with `dashed`
is no measurement, but what it is held against; of one with `marks` the points stand alone. The name stands at the end
of a line, below it where `above` is false.
"""
import datetime
import json
import math
import os
import pathlib
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 430, 300  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 62, 30, 66, 48
TICKS = 5
COLORS = ("#1f6feb", "#b35900", "#1a7f37", "#8250df")
GRAY, INK = "#8c959f", "#1f2328"


def step_of(most):
    """The round number by which at most TICKS steps reach `most`."""
    raw = most / TICKS
    power = 10 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)


class Axis:
    """From 0 to the first tick that is not below the largest value."""

    def __init__(self, values, begin, end):
        most = max(values)
        self._step = step_of(most)
        self._count = math.ceil(most / self._step - 1e-9)
        self._begin, self._end = begin, end

    def at(self, value):
        return self._begin + (self._end - self._begin) * value / (self._step * self._count)

    def ticks(self):
        return [(self.at(i * self._step), f"{i * self._step:,.10g}") for i in range(self._count + 1)]


def text(x, y, words, size=12, anchor="start", color=INK, more=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}"{more}>'
            f"{escape(words)}</text>")


def grid(across, up):
    for y, label in up.ticks():
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d0d7de"/>'
        yield text(LEFT - 6, y + 4, label, 11, "end")
    for x, label in across.ticks():
        yield f'<path d="M{x:.1f} {HEIGHT - BOTTOM}v4" stroke="{GRAY}"/>'
        yield text(x, HEIGHT - BOTTOM + 17, label, 11, "middle")


def curve(line, color, across, up):
    places = [(across.at(x), up.at(y)) for x, y in line["points"]]
    way = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dashes = ' stroke-dasharray="5 4"' if line.get("dashed") else ""
    if not line.get("marks"):
        yield f'<path d="M{way}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>'
    if not line.get("dashed"):
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in places)


def panel(described, left):
    lines = described["lines"]
    across = Axis([x for line in lines for x, _ in line["points"]], LEFT, WIDTH - RIGHT)
    up = Axis([y for line in lines for _, y in line["points"]], HEIGHT - BOTTOM, TOP)
    yield f'<g transform="translate({left} 0)">'
    yield text(LEFT, 42, described["title"], 13, more=' font-weight="600"')
    yield from grid(across, up)
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, described["x"], 12, "middle")
    yield text(LEFT, 58, described["y"], 11, color="#57606a")
    measured = 0
    for number, line in enumerate(lines):
        color = GRAY if line.get("dashed") else COLORS[measured % len(COLORS)]
        measured += not line.get("dashed")
        yield from curve(line, color, across, up)
        x, y = line["points"][-1]
        yield text(across.at(x) - 6, up.at(y) + (-8 if line.get("above", True) else 16), line["name"], 11, "end", color)
    yield "</g>"


def picture(described):
    """Yields the lines of an SVG."""
    width = WIDTH * len(described["panels"])
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT + 22}" '
           f'viewBox="0 0 {width} {HEIGHT + 22}" font-family="sans-serif" role="img">')
    yield f"<title>{escape(described['title'])}</title>"
    yield f'<rect width="{width}" height="{HEIGHT + 22}" fill="#ffffff"/>'
    yield text(12, 20, described["title"], 14, more=' font-weight="600"')
    for number, one in enumerate(described["panels"]):
        yield from panel(one, number * WIDTH)
    yield text(12, HEIGHT + 14, described["measured"], 10, color="#57606a")
    yield "</svg>"


def write_figures(path, title, script, panels):
    """Writes what draw() reads, with the day and the script that measured; numbers to three digits behind the point."""
    rounded = [{**panel, "lines": [{**line, "points": [[round(x, 3), round(y, 3)] for x, y in line["points"]]}
                                   for line in panel["lines"]]} for panel in panels]
    measured = (f"tests/bench/{pathlib.Path(script).name}, {datetime.date.today()}, "
                f"{os.cpu_count()} cores for all servers and clients")
    described = {"title": title, "measured": measured, "panels": rounded}
    path.write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")


def draw(figures):
    return "\n".join(picture(json.loads(figures.read_text(encoding="utf-8")))) + "\n"


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).resolve().parents[2] / "docs" / "images")
    for figures in sorted(folder.glob("*.json")):
        figures.with_suffix(".svg").write_text(draw(figures), encoding="utf-8")
        print(figures.with_suffix(".svg"))


if __name__ == "__main__":
    main()

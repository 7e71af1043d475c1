"""SVG plots with logarithmic axes: linear growth is a line at 45 degrees."""

import math
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, LEGEND = 540, 420, 60, 40, 50, 60, 22
COLOURS = ("#d9480f", "#1971c2", "#2f9e44", "#7048e8")


@dataclass
class Panel:
    """Curves by name, each a list of pairs. Dashed curves reuse the colours of solid ones."""

    title: str
    curves: dict
    dashed: dict = field(default_factory=dict)


def svg(panels, label):
    """A picture of panels side by side, over the same kind of number."""
    rows = max(len(panel.curves) + len(panel.dashed) for panel in panels)
    width, height = WIDTH * len(panels), HEIGHT + rows * LEGEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="sans-serif" font-size="13">', f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for index, panel in enumerate(panels):
        parts.append(f'<g transform="translate({index * WIDTH} 0)">')
        parts += _panel(panel, label)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(panel, label):
    every = [*panel.curves.values(), *panel.dashed.values()]
    # Values of zero and less have no logarithm: they are below the precision.
    points = [point for curve in every for point in curve if point[1] > 0]
    across, up = _Axis([x for x, _ in points]), _Axis([y for _, y in points])
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def place(x, y):
        return across.part(x) * (right - LEFT) + LEFT, bottom - up.part(y) * (bottom - TOP)

    yield f'<text x="{LEFT}" y="{TOP - 20}" font-weight="bold">{escape(panel.title)}</text>'
    for value in across.marks():
        x, _ = place(value, up.low)
        yield f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#dddddd"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{value:,.10g}</text>'
    for value in up.marks():
        _, y = place(across.low, value)
        yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#dddddd"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:,.10g}</text>'
    yield f'<text x="{(LEFT + right) / 2}" y="{bottom + 38}" text-anchor="middle">{escape(label)}</text>'
    row = HEIGHT
    for curves, dash in ((panel.curves, ""), (panel.dashed, ' stroke-dasharray="5 4"')):
        for (name, curve), colour in zip(curves.items(), COLOURS):
            places = [place(x, y) for x, y in curve if y > 0]
            yield _line(places, colour, dash)
            yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places)
            yield _line([(LEFT, row), (LEFT + 40, row)], colour, dash)
            yield f'<text x="{LEFT + 50}" y="{row + 4}">{escape(name)}: {curve[-1][1]:,.3g} at {curve[-1][0]:,}</text>'
            row += LEGEND


def _line(places, colour, dash):
    way = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    return f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>' if places else ""


class _Axis:
    """From one power of ten to another."""

    def __init__(self, values):
        self.low = 10.0 ** math.floor(math.log10(min(values, default=1)))
        self.high = 10.0 ** math.ceil(math.log10(max(values, default=10)))
        if self.high == self.low:
            self.high *= 10

    def part(self, value):
        return math.log10(value / self.low) / math.log10(self.high / self.low)

    def marks(self):
        return [self.low * 10 ** power for power in range(round(math.log10(self.high / self.low)) + 1)]

"""Writes docs/questions/second-run.md: which verdicts of two runs, some hours apart, are the same.

python3 -m scripts.second_run --first FOLDER --second FOLDER   # both as scripts.question_pages keeps them
python3 -m scripts.second_run                                  # writes the page from what is kept

Reads the sweeps that both folders hold, and keeps them in docs/questions/second-run.json beside the others.
`--picture FILE` draws all of them (Chromium takes the picture).
"""

from __future__ import annotations

import argparse
import html
import json
import math
import os
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.printed_run import ROOT, write_picture, write_printed
from scripts.question_pages import PAGE_OF_SWEEP, QUESTIONS

KEPT = QUESTIONS / "second-run.json"
BEGIN = "<!-- what two runs of each sweep said: scripts/second_run.py -->\n"
TOLD = ("faster", "slower", "same")
ROW, LABEL, PLOT, SCALE = 26, 500, 400, 18  # pixels; SCALE: above the rows
LINES = {1 / 64: "64x faster", 1 / 16: "", 1 / 4: "4x", 1: "1x", 4: "4x", 16: "", 64: "64x slower"}
COLOURS = ("#7a8aa0", "#b4482f")  # first run, second run


@dataclass(frozen=True)
class Interval:
    """A ratio of times (above 1: slower) with its 95 % interval, where it has one, and its verdict."""

    ratio: float
    low: float | None
    high: float | None
    verdict: str

    def text(self) -> str:
        """Faster and slower need no word: the ratio says it."""
        ends = "no interval" if self.low is None else f"{self.low:.3g}, {self.high:.3g}"
        word = {"faster": "", "slower": "", "undecided": " not known yet"}.get(
            self.verdict, f" {self.verdict}"
        )
        return f"{self.ratio:.3g} [{ends}]{word}"


@dataclass(frozen=True)
class Twice:
    """One contrast in both runs."""

    label: str
    first: Interval
    second: Interval

    @property
    def flipped(self) -> bool:
        """Decided in both runs, but not alike."""
        verdicts = {self.first.verdict, self.second.verdict}
        return len(verdicts) == 2 and verdicts <= set(TOLD)

    @property
    def moved(self) -> bool:
        """Decided in one run only."""
        return (self.first.verdict in TOLD) != (self.second.verdict in TOLD)


@dataclass(frozen=True)
class Sweep:
    name: str
    hours: float
    contrasts: list[Twice]
    cells: int
    different: int  # cells that `regatta compare` calls faster or slower

    def count(self, what: str) -> int:
        return sum(getattr(each, what) for each in self.contrasts)


def regatta_json(*words: str) -> dict:
    """`compare` ends with 1 where something became slower: that is no error here."""
    command = [str(ROOT / "build" / "bin" / "regatta"), *words, "--json"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        raise SystemExit(f"{' '.join(words)}: no output, ended with {done.returncode}")
    return json.loads(done.stdout)


def label_of(arm: dict, trials: list[dict]) -> str:
    return next(t["label"] for t in trials if all(t[key] == arm[key] for key in arm))


def contrasts_of(report: dict) -> dict[str, Interval]:
    """By the label of what is compared: a setting has one baseline."""
    return {
        label_of(each["a"], report["trials"]): Interval(
            each["ratio"], each["low"], each["high"], each["verdict"]
        )
        for each in report["contrasts"]
    }


def read(sweep: str, first: Path, second: Path) -> Sweep:
    files = [folder / f"{sweep}.h5" for folder in (first, second)]
    reports = [contrasts_of(regatta_json("report", str(file))) for file in files]
    alone = set(reports[0]) ^ set(reports[1])
    if alone:
        raise SystemExit(
            f"{sweep}: only one run has {', '.join(sorted(alone))}; run the same sweep twice"
        )
    said = regatta_json("compare", *map(str, files))
    ends = [os.stat(folder / f"{sweep}.run.json").st_mtime for folder in (first, second)]
    return Sweep(
        sweep,
        abs(ends[1] - ends[0]) / 3600,
        [Twice(label, reports[0][label], reports[1][label]) for label in reports[0]],
        len(said["cells"]),
        sum(cell["verdict"] in ("faster", "slower") for cell in said["cells"]),
    )


def kept() -> dict[str, Sweep]:
    """The results that were read before, by the names of the sweeps."""
    if not KEPT.exists():
        return {}
    sweeps = {}
    for each in json.loads(KEPT.read_text(encoding="utf-8")):
        contrasts = [
            Twice(twice["label"], Interval(**twice["first"]), Interval(**twice["second"]))
            for twice in each.pop("contrasts")
        ]
        sweeps[each["name"]] = Sweep(contrasts=contrasts, **each)
    return sweeps


def keep(sweeps: list[Sweep]) -> None:
    KEPT.write_text(
        json.dumps([asdict(sweep) for sweep in sweeps], indent=1) + "\n", encoding="utf-8"
    )


def table(sweeps: list[Sweep]) -> str:
    lines = [
        f"{'sweep':28}{'hours apart':>12}{'comparisons':>13}{'contradict':>12}{'one run only':>14}{'trials':>8}{'different':>11}"
    ]
    for s in sweeps:
        lines.append(
            f"{s.name:28}{s.hours:12.1f}{len(s.contrasts):13}{s.count('flipped'):12}{s.count('moved'):14}"
            f"{s.cells:8}{s.different:11}"
        )
    totals = [sum(len(s.contrasts) for s in sweeps)]
    totals += [sum(s.count(what) for s in sweeps) for what in ("flipped", "moved")]
    totals += [sum(s.cells for s in sweeps), sum(s.different for s in sweeps)]
    lines.append(
        f"{'all':28}{'':12}{totals[0]:13}{totals[1]:12}{totals[2]:14}{totals[3]:8}{totals[4]:11}"
    )
    twice = [each for sweep in sweeps for each in sweep.contrasts]
    open_once = sum(
        each.moved and "undecided" in {each.first.verdict, each.second.verdict} for each in twice
    )
    lines.append(
        f"one run only: {totals[2]} of {totals[0]}; {open_once} of them are not known yet in the other"
    )
    return "\n".join(lines)


def rows(sweeps: list[Sweep]) -> str:
    lines = []
    for sweep in (each for each in sweeps if each.contrasts):
        lines += ["", sweep.name]
        for each in sweep.contrasts:
            mark = "! " if each.flipped else "~ " if each.moved else "  "
            lines += [
                f"{mark}{each.label}",
                f"    {each.first.text():44}{each.second.text()}",
            ]
    return "\n".join(lines)


def place(ratio: float) -> float:
    """Pixels from the left of the plot: 1/256 to 256, logarithmic; what lies beyond ends at its edge."""
    return min(max((math.log2(ratio) + 8) / 16, 0.0), 1.0) * PLOT


def mark(interval: Interval, y: float, colour: str) -> str:
    low, high = interval.low or interval.ratio, interval.high or interval.ratio
    told = interval.verdict in TOLD
    return (
        f'<line x1="{place(low):.1f}" x2="{place(high):.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="3"/>'
        f'<circle cx="{place(interval.ratio):.1f}" cy="{y}" r="3" stroke="{colour}" stroke-width="2" '
        f'fill="{colour if told else "white"}"/>'
    )


def forest(sweep: Sweep) -> str:
    height = SCALE + ROW * len(sweep.contrasts)
    parts = []
    for ratio, words in LINES.items():
        x, colour = f"{place(ratio):.1f}", "#444" if ratio == 1 else "#ddd"
        parts += [
            f'<line x1="{x}" x2="{x}" y1="{SCALE}" y2="{height}" stroke="{colour}"/>',
            f'<text x="{x}" y="{SCALE - 5}" text-anchor="middle" font-size="11" fill="#666">{words}</text>',
        ]
    for i, each in enumerate(sweep.contrasts):
        parts += [
            mark(each.first, SCALE + ROW * i + 8, COLOURS[0]),
            mark(each.second, SCALE + ROW * i + 18, COLOURS[1]),
        ]
    labels = "".join(f"<div>{html.escape(each.label)}</div>" for each in sweep.contrasts)
    svg = f'<svg width="{PLOT}" height="{height}">{"".join(parts)}</svg>'
    return f"<h2>{html.escape(sweep.name)}</h2><div class=forest><div class=labels>{labels}</div>{svg}</div>"


def page(sweeps: list[Sweep]) -> str:
    style = f"""body {{ font: 13px sans-serif; margin: 20px; }} h2 {{ font-size: 14px; margin: 14px 0 4px; }}
.forest {{ display: flex; }} .labels {{ width: {LABEL}px; padding-top: {SCALE}px; }}
.labels div {{ height: {ROW}px; line-height: {ROW}px; white-space: nowrap; overflow: hidden; }}"""
    legend = (
        "<h1>Two runs, some hours apart</h1><p>Each row is a ratio of times: faster left of the dark line, slower "
        "right of it. The lines are 4 times apart. "
        f'<b style="color:{COLOURS[0]}">First run</b>, <b style="color:{COLOURS[1]}">second run</b>. '
        "A disc has a verdict; a ring is not known yet.</p>"
    )
    body = "".join(forest(sweep) for sweep in sweeps if sweep.contrasts)
    return f"<!doctype html><meta charset=utf-8><title>Two runs</title><style>{style}</style>{legend}{body}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first", type=Path, help="results of the first runs")
    parser.add_argument("--second", type=Path, help="results of the second runs")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw both runs, row by row")
    arguments = parser.parse_args()
    if (arguments.first is None) != (arguments.second is None):
        parser.error("--first and --second need each other")
    known = kept()
    if arguments.first is not None:
        first, second = arguments.first.resolve(), arguments.second.resolve()
        for name in PAGE_OF_SWEEP:
            if (first / f"{name}.h5").exists() and (second / f"{name}.h5").exists():
                known[name] = read(name, first, second)
    sweeps = [known[name] for name in sorted(known)]
    keep(sweeps)
    write_printed(QUESTIONS / "second-run.md", BEGIN, table(sweeps) + "\n" + rows(sweeps))
    if arguments.picture is None:
        return
    height = 110 + sum(SCALE + ROW * len(s.contrasts) + 40 for s in sweeps if s.contrasts)
    with tempfile.TemporaryDirectory() as name:
        write_picture(page(sweeps), Path(name), arguments.picture.resolve(), (950, height))


if __name__ == "__main__":
    main()

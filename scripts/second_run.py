"""Writes docs/questions/second-run.md: what each run of a sweep said, and whether two of them contradict one another.

python3 -m scripts.second_run --add FOLDER                 # one more run of each sweep in it, as scripts.question_pages keeps it
python3 -m scripts.second_run --add SECOND --before FIRST  # the same, and times trial by trial (`regatta compare`)
python3 -m scripts.second_run                              # writes the page from what is kept

All runs are kept in docs/questions/second-run.json. `--picture FILE` draws them (Chromium takes the picture).
"""

from __future__ import annotations

import argparse
import html
import itertools
import json
import math
import os
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.printed_run import END, ROOT, write_picture
from scripts.question_pages import PAGE_OF_SWEEP, QUESTIONS

KEPT = QUESTIONS / "second-run.json"
BEGIN = "<!-- what the runs of each sweep said: scripts/second_run.py -->\n"
DECIDED = ("faster", "slower", "same")
COLUMN = 34  # characters
ROW, LABEL, PLOT, SCALE = 30, 500, 400, 18  # pixels; SCALE: above the rows
LINES = {1 / 64: "64x faster", 1 / 16: "", 1 / 4: "4x", 1: "1x", 4: "4x", 16: "", 64: "64x slower"}
COLOURS = ("#7a8aa0", "#b4482f", "#2f7d4f")  # first, second and third run


def figure(value: float) -> str:
    return f"{value:#.3g}".rstrip(".")


@dataclass(frozen=True)
class Interval:
    """A ratio of times (above 1: slower) with its 95 % interval, where there is one, and its verdict."""

    ratio: float | None
    low: float | None
    high: float | None
    verdict: str
    early: bool = False

    @property
    def decided(self) -> bool:
        return self.verdict in DECIDED

    def text(self) -> str:
        """Faster and slower need no word: the ratio says it. A star stands for early, as in the pages."""
        ratio = "" if self.ratio is None else f"{figure(self.ratio)}{'*' if self.early else ''} "
        ends = "no interval"
        if self.low is not None and self.high is not None:
            ends = f"{figure(self.low)}, {figure(self.high)}"
        word = {"faster": "", "slower": "", "undecided": " not known yet"}.get(
            self.verdict, f" {self.verdict}"
        )
        return f"{ratio}[{ends}]{word}"


@dataclass(frozen=True)
class Contrast:
    """One comparison in all runs of its sweep; None where a run does not have it."""

    label: str
    runs: list[Interval | None]

    def pairs(self) -> list[tuple[Interval, Interval]]:
        return list(itertools.combinations([run for run in self.runs if run is not None], 2))

    @property
    def contradicts(self) -> bool:
        """Decided in two runs, but not alike."""
        return any(a.decided and b.decided and a.verdict != b.verdict for a, b in self.pairs())

    @property
    def not_in_all(self) -> bool:
        """Decided in some runs and not in others."""
        return any(a.decided != b.decided for a, b in self.pairs())

    @property
    def apart(self) -> bool:
        """Two of its intervals do not meet: the ratio itself moved between the hours of these runs."""
        return any(
            a.low > b.high or b.low > a.high
            for a, b in self.pairs()
            if None not in (a.low, a.high, b.low, b.high)
        )


@dataclass(frozen=True)
class Run:
    hours: float | None  # after the first one; None: a day or more, not recorded
    wall_seconds: float | None
    marks_early: bool = True  # False: whether its verdicts were early was not kept


@dataclass(frozen=True)
class Sweep:
    name: str
    runs: list[Run]
    contrasts: list[Contrast]
    trials: int | None = None  # compared by `regatta compare` between two runs
    different: int | None = None  # trials that it calls faster or slower

    def count(self, what: str) -> int:
        return sum(getattr(each, what) for each in self.contrasts)

    @property
    def repeated(self) -> list[Contrast]:
        return [each for each in self.contrasts if each.pairs()]


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
            each["ratio"],
            each["low"],
            each["high"],
            each["verdict"],
            early=each["verdict"] in DECIDED and not each["confirmed"],
        )
        for each in report["contrasts"]
    }


def with_run(known: Sweep, run: Run, said: dict[str, Interval]) -> Sweep:
    """The sweep with one more run. A comparison that only one of them has stays, with a gap."""
    earlier = {each.label: each.runs for each in known.contrasts}
    gaps: list[Interval | None] = [None] * len(known.runs)
    contrasts = [
        Contrast(label, [*earlier.get(label, gaps), said.get(label)])
        for label in [*earlier, *(label for label in said if label not in earlier)]
    ]
    return Sweep(known.name, [*known.runs, run], contrasts, known.trials, known.different)


def ended(folder: Path, sweep: str) -> float:
    return os.stat(folder / f"{sweep}.run.json").st_mtime


def read(known: Sweep, folder: Path, before: Path | None) -> Sweep:
    """Adds the run that the folder keeps; `before` keeps the run whose trials are compared with it."""
    file = folder / f"{known.name}.h5"
    said = json.loads((folder / f"{known.name}.run.json").read_text(encoding="utf-8"))
    hours = None if known.runs else 0.0
    if before is not None:
        since = known.runs[-1].hours if known.runs else None
        hours = (since or 0.0) + (ended(folder, known.name) - ended(before, known.name)) / 3600
    added = with_run(
        known, Run(hours, said["wall_seconds"]), contrasts_of(regatta_json("report", str(file)))
    )
    if before is None:
        return added
    cells = regatta_json("compare", str(before / file.name), str(file))["cells"]
    different = sum(cell["verdict"] in ("faster", "slower") for cell in cells)
    return Sweep(added.name, added.runs, added.contrasts, len(cells), different)


def kept() -> dict[str, Sweep]:
    """The runs that were read before, by the names of the sweeps."""
    if not KEPT.exists():
        return {}
    sweeps = {}
    for each in json.loads(KEPT.read_text(encoding="utf-8")):
        contrasts = [
            Contrast(c["label"], [None if run is None else Interval(**run) for run in c["runs"]])
            for c in each.pop("contrasts")
        ]
        runs = [Run(**run) for run in each.pop("runs")]
        sweeps[each["name"]] = Sweep(runs=runs, contrasts=contrasts, **each)
    return sweeps


def keep(sweeps: list[Sweep]) -> None:
    text = json.dumps([asdict(sweep) for sweep in sweeps], indent=1)
    KEPT.write_text(text + "\n", encoding="utf-8")


def table(sweeps: list[Sweep]) -> str:
    """One line for each sweep, and their sums."""
    lines = [
        f"{'sweep':28}{'runs':>6}{'comparisons':>13}{'contradict':>12}{'not in all':>12}{'apart':>7}{'trials':>8}{'different':>11}"
    ]
    for s in sweeps:
        compared = f"{s.trials:8}{s.different:11}" if s.trials is not None else f"{'–':>8}{'–':>11}"
        lines.append(
            f"{s.name:28}{len(s.runs):6}{len(s.repeated):13}{s.count('contradicts'):12}{s.count('not_in_all'):12}"
            f"{s.count('apart'):7}{compared}"
        )
    sums = [sum(len(s.repeated) for s in sweeps)]
    sums += [sum(s.count(what) for s in sweeps) for what in ("contradicts", "not_in_all", "apart")]
    sums += [sum(getattr(s, what) or 0 for s in sweeps) for what in ("trials", "different")]
    lines.append(
        f"{'all':28}{'':6}{sums[0]:13}{sums[1]:12}{sums[2]:12}{sums[3]:7}{sums[4]:8}{sums[5]:11}"
    )
    return "\n".join(lines)


def run_words(run: Run) -> str:
    after = (
        "a day later"
        if run.hours is None
        else f"{run.hours:.1f} h later"
        if run.hours
        else "first run"
    )
    took = "" if run.wall_seconds is None else f", {run.wall_seconds:.0f} s"
    return after + took + ("" if run.marks_early else ", no *")


def baseline_of(sweep: str) -> str:
    """The baseline in its file: "engine torch, mode eager". Axes that it leaves open are each row's own."""
    file = json.loads((ROOT / "sweeps" / f"{sweep}.json").read_text(encoding="utf-8"))
    return ", ".join(f"{name} {value}" for name, value in file["compare"]["baseline"].items())


def rows(sweep: Sweep, baseline: str) -> str:
    """The ratios of all runs beside one another, the oldest first."""
    lines = [f"times as long as {baseline}", ""]
    lines.append("    " + "".join(f"{run_words(run):{COLUMN}}" for run in sweep.runs).rstrip())
    for each in sweep.contrasts:
        marks = "!" * each.contradicts + "~" * each.not_in_all + "^" * each.apart
        cells = "".join(f"{'–' if run is None else run.text():{COLUMN}}" for run in each.runs)
        lines += [f"{marks:3} {each.label}", f"    {cells.rstrip()}"]
    return "\n".join(lines)


def block(text: str) -> str:
    return f"```text\n{text}\n```\n"


def write_page(sweeps: list[Sweep]) -> None:
    """Puts the table and the rows of each sweep under a heading of its own between the marks of the page."""
    file = QUESTIONS / "second-run.md"
    before, found, rest = file.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not found or not end:
        raise SystemExit(f"{file} has lost '{BEGIN.strip()}' or '{END.strip()}'")
    parts = [block(table(sweeps))]
    parts += [
        f"\n### {s.name}\n\n{block(rows(s, baseline_of(s.name)))}" for s in sweeps if s.contrasts
    ]
    file.write_text(before + BEGIN + "".join(parts) + END + after, encoding="utf-8")


def place(ratio: float) -> float:
    """Pixels from the left of the plot: 1/256 to 256, logarithmic; what lies beyond ends at its edge."""
    return min(max((math.log2(ratio) + 8) / 16, 0.0), 1.0) * PLOT


def mark(interval: Interval, y: float, colour: str) -> str:
    """The interval as a line, the ratio as a disc, or as a ring where nothing is decided."""
    if interval.low is None or interval.high is None:
        return ""
    ratio = interval.ratio or math.sqrt(interval.low * interval.high)
    return (
        f'<line x1="{place(interval.low):.1f}" x2="{place(interval.high):.1f}" y1="{y}" y2="{y}" '
        f'stroke="{colour}" stroke-width="3"/>'
        f'<circle cx="{place(ratio):.1f}" cy="{y}" r="3" stroke="{colour}" stroke-width="2" '
        f'fill="{colour if interval.decided else "white"}"/>'
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
        for n, run in enumerate(each.runs):
            if run is not None:
                parts.append(mark(run, SCALE + ROW * i + 7 + 9 * n, COLOURS[n % len(COLOURS)]))
    labels = "".join(f"<div>{html.escape(each.label)}</div>" for each in sweep.contrasts)
    svg = f'<svg width="{PLOT}" height="{height}">{"".join(parts)}</svg>'
    return f"<h2>{html.escape(sweep.name)}</h2><div class=forest><div class=labels>{labels}</div>{svg}</div>"


def page(sweeps: list[Sweep]) -> str:
    style = f"""body {{ font: 13px sans-serif; margin: 20px; }} h2 {{ font-size: 14px; margin: 14px 0 4px; }}
.forest {{ display: flex; }} .labels {{ width: {LABEL}px; padding-top: {SCALE}px; }}
.labels div {{ height: {ROW}px; line-height: {ROW}px; white-space: nowrap; overflow: hidden; }}"""
    names = ", ".join(
        f'<b style="color:{colour}">{word} run</b>'
        for colour, word in zip(COLOURS, ("first", "second", "third"), strict=True)
    )
    legend = (
        "<h1>Runs of the same sweeps</h1><p>Each row is a ratio of times: faster left of the dark line, slower "
        f"right of it. The lines are 4 times apart. Colours: {names}. "
        "A disc has a verdict; a ring is not known yet.</p>"
    )
    body = "".join(forest(sweep) for sweep in sweeps if sweep.contrasts)
    return f"<!doctype html><meta charset=utf-8><title>Runs</title><style>{style}</style>{legend}{body}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--add", type=Path, metavar="FOLDER", help="results of one more run")
    parser.add_argument(
        "--before", type=Path, metavar="FOLDER", help="results of the run that it is compared with"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the runs, row by row")
    arguments = parser.parse_args()
    if arguments.before is not None and arguments.add is None:
        parser.error("--before needs --add")
    known = kept()
    if arguments.add is not None:
        before = None if arguments.before is None else arguments.before.resolve()
        for name in PAGE_OF_SWEEP:
            if (arguments.add / f"{name}.h5").exists():
                sweep = known.get(name, Sweep(name, [], []))
                known[name] = read(sweep, arguments.add.resolve(), before)
    sweeps = [known[name] for name in sorted(known)]
    keep(sweeps)
    write_page(sweeps)
    if arguments.picture is None:
        return
    height = 110 + sum(SCALE + ROW * len(s.contrasts) + 40 for s in sweeps if s.contrasts)
    with tempfile.TemporaryDirectory() as name:
        write_picture(page(sweeps), Path(name), arguments.picture.resolve(), (950, height))


if __name__ == "__main__":
    main()

"""Runs the sweeps behind docs/questions. Results and HTML pages go to a folder; scripts.second_run adds them to the record.

Run by hand after a sweep has changed, on a quiet machine, with Regatta built and the frameworks of
scripts/setup-engines.sh installed:

    python3 -m scripts.question_pages --keep first tf2-predict first-calls   # measures these, keeps the results
    python3 -m scripts.question_pages --keep first --render all              # shows kept results as today's report
    python3 -m scripts.question_pages --keep first --render --pictures all   # takes pictures of the pages (Chromium)

What a training printed goes into its page of docs/questions.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from scripts.printed_run import ROOT, begin_line, run_sweep, write_picture, write_printed

QUESTIONS = ROOT / "docs" / "questions"
SCRIPT = "question_pages.py"
PICTURE_SIZE = (960, 1200)
PAGE_OF_SWEEP = {
    "array-or-dataset": "array-or-dataset",
    "beta-or-2.0": "versions",
    "do-more-devices-pay": "do-more-devices-pay",
    "first-calls": "versions",
    "first-calls-gradient": "versions",
    "gpu-against-cpu": "gpu-against-cpu",
    "hundred-epochs": "tensorflow-against-pytorch",
    "operands": "gpu-against-cpu",
    "slow-step-checklist": "slow-step-checklist",
    "tensorflow-against-pytorch": "tensorflow-against-pytorch",
    "tf2-execution-modes": "tf2-execution-modes",
    "tf2-predict": "tf2-execution-modes",
    "versions": "versions",
    "whole-scripts": "tensorflow-against-pytorch",
}
OPTIONS = {"do-more-devices-pay": ("--ranks", "2")}
PAGE_OF_TRAINING = {"train-digits": "which-learns-best"}
PAGES = PAGE_OF_SWEEP | PAGE_OF_TRAINING


@dataclass(frozen=True)
class Kept:
    """The files that a run left in its folder."""

    folder: Path
    sweep: str

    @property
    def results(self) -> Path:
        return self.folder / f"{self.sweep}.h5"

    @property
    def page(self) -> Path:
        """The report with its figures."""
        return self.folder / f"{self.sweep}.html"

    @property
    def picture(self) -> Path:
        return self.folder / f"{self.sweep}.png"

    @property
    def said(self) -> Path:
        """The plan before the run, and its wall time after; its date is the end of the run."""
        return self.folder / f"{self.sweep}.run.json"


def regatta(*words: str, cwd: Path) -> str:
    command = [str(ROOT / "build" / "bin" / "regatta"), *words]
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, text=True, check=True).stdout


def measure(kept: Kept) -> None:
    """One run with the plan before it and its wall time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sweeps").symlink_to(ROOT / "sweeps")
        plan = regatta("plan", f"sweeps/{kept.sweep}.json", cwd=folder)
        begin = time.monotonic()
        run_sweep(kept.sweep, folder, *OPTIONS.get(kept.sweep, ()))
        said = {"plan": plan, "wall_seconds": time.monotonic() - begin, "cores": os.cpu_count()}
        kept.folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "results" / kept.results.name, kept.results)
        kept.said.write_text(json.dumps(said), encoding="utf-8")


def render(kept: Kept) -> None:
    """The HTML page beside the results; of a training also the printed report, in its page of docs/questions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "results").mkdir()  # where a run puts it
        shutil.copy(kept.results, folder / "results")
        report = regatta(
            "report", f"results/{kept.results.name}", "--html", "report.html", cwd=folder
        )
        shutil.copy(folder / "report.html", kept.page)
    if kept.sweep not in PAGE_OF_TRAINING:
        return
    said = json.loads(kept.said.read_text(encoding="utf-8"))
    run = " ".join(["regatta", "run", f"sweeps/{kept.sweep}.json"])
    text = f"$ regatta plan sweeps/{kept.sweep}.json\n{said['plan'].strip()}\n"
    text += f"$ {run}\n{report.strip()}\n(wall time: {said['wall_seconds']:.0f} s)"
    page = QUESTIONS / f"{PAGE_OF_TRAINING[kept.sweep]}.md"
    write_printed(page, begin_line(kept.sweep, SCRIPT), text)


def take_picture(kept: Kept) -> None:
    with tempfile.TemporaryDirectory() as name:
        page = kept.page.read_text(encoding="utf-8")
        write_picture(page, Path(name), kept.picture, PICTURE_SIZE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sweeps", nargs="+", choices=["all", *sorted(PAGES)], metavar="SWEEP")
    parser.add_argument("--keep", type=Path, required=True, help="a folder for results and pages")
    parser.add_argument("--render", action="store_true", help="measure nothing: results are there")
    parser.add_argument("--measure", action="store_true", help="only measure, and make no page")
    parser.add_argument(
        "--pictures", action="store_true", help="take a picture of each page (needs Chromium)"
    )
    arguments = parser.parse_args()
    for sweep in sorted(PAGES) if arguments.sweeps == ["all"] else arguments.sweeps:
        kept = Kept(arguments.keep.resolve(), sweep)
        if not arguments.render:
            measure(kept)
        if not arguments.measure:
            render(kept)
            if arguments.pictures:
                take_picture(kept)


if __name__ == "__main__":
    main()

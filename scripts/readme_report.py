"""Puts a real run of the quickstart into README.md: what it printed, and docs/images/quickstart.svg, its ratios.

The run is that of a new user: an empty cache folder, so no PyTorch and nothing learnt from earlier runs.
Run by hand after the report has changed, on a quiet machine, with Regatta built and Matplotlib installed:

    python3 -m scripts.readme_report
    python3 -m scripts.readme_report --page    # also docs/images/page.png, its page (Chromium)
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from scripts.printed_run import ROOT, begin_line, run_sweep, write_picture, write_printed

IMAGES = ROOT / "docs" / "images"
FIGURE = IMAGES / "quickstart.svg"
PAGE_PICTURE = IMAGES / "page.png"
PICTURE_SIZE = (1200, 800)
INCHES = (8, 3.2)
STYLES = ("o", "s", "D", "^", "v")
COLOURS = ("#0b5cad", "#b34700", "#00765a", "#96316f", "#6b5b00")


def arm_of(parameters: dict[str, Any]) -> str:
    return " ".join(str(parameters[name]) for name in ("engine", "mode") if parameters[name])


def setting_of(parameters: dict[str, Any]) -> str:
    model = str(parameters["model"])
    return f"{model}, batch {parameters['batch']}" if parameters["batch"] else model


def draw(contrasts: list[dict[str, Any]], figure: Path) -> None:
    """Settings as rows, arms as marks: how many times as long as the baseline each takes, with its interval."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "regatta", "font.size": 9})
    from matplotlib import pyplot

    settings = list(dict.fromkeys(setting_of(each["b"]) for each in contrasts))
    arms = list(dict.fromkeys(arm_of(each["a"]) for each in contrasts))
    page, axes = pyplot.subplots(figsize=INCHES)
    for number, arm in enumerate(arms):
        rows = [each for each in contrasts if arm_of(each["a"]) == arm and each["ratio"]]
        places = [settings.index(setting_of(each["b"])) for each in rows]
        ratios = [each["ratio"] for each in rows]
        below = [each["ratio"] - (each["low"] or each["ratio"]) for each in rows]
        above = [(each["high"] or each["ratio"]) - each["ratio"] for each in rows]
        axes.errorbar(
            ratios,
            places,
            xerr=[below, above],
            fmt=STYLES[number % len(STYLES)],
            color=COLOURS[number % len(COLOURS)],
            label=arm,
            capsize=2,
            markersize=5,
        )
    axes.axvline(1, color="#5d6166", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(settings)), settings)
    axes.invert_yaxis()
    axes.set_xlabel(f"times as long as {arm_of(contrasts[0]['b'])} (95 % interval)")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}x")
    axes.grid(axis="x", alpha=0.25)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, 1.16), ncol=len(arms), frameon=False)
    page.tight_layout()
    figure.parent.mkdir(exist_ok=True)
    page.savefig(figure, metadata={"Date": None, "Creator": None})


def contrasts_of(results: Path) -> list[dict[str, Any]]:
    program = str(ROOT / "build" / "bin" / "regatta")
    printed = subprocess.check_output([program, "report", str(results), "--json"], text=True)
    found: list[dict[str, Any]] = json.loads(printed)["contrasts"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--page", action="store_true", help="also take a picture of the page")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        printed, page = run_sweep("quickstart", folder)
        write_printed(ROOT / "README.md", begin_line("quickstart", "readme_report.py"), printed)
        draw(contrasts_of(folder / "results" / "quickstart.h5"), FIGURE)
        if arguments.page:
            write_picture(page, folder, PAGE_PICTURE, PICTURE_SIZE)


if __name__ == "__main__":
    main()

"""Draws docs/questions/versions.svg from results of sweeps/versions.json: a step's time in each version, a line a loop.

python3 -m scripts.versions_figure KEPT/versions.h5     # needs xarray, netCDF4 and Matplotlib
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from scripts.printed_run import ROOT

FIGURE = ROOT / "docs" / "questions" / "versions.svg"
OLDEST = "tensorflow@tensorflow-1.15"
AS_IT_COMES = {
    OLDEST: ("v1-session", ""),  # a session reads no api
    "tensorflow": ("graph", "keras"),
}
LOOPS = {"train_on_batch": "#1b6ca8", "fit": "#c25b12", "predict": "#3d7a3d"}
MODELS = {"mlp-10": "10-50-1 network", "conv1d-small": "small Conv1D network"}
INCHES = (9, 3.8)


def version_of(engine: str) -> str:
    """The environment tensorflow-2.0 has version "2.0"; an engine that names none has "today"."""
    return engine.partition("@tensorflow-")[2] or "today"


def lines_of(trials: list[dict[str, Any]], model: str) -> dict[str, dict[str, float]]:
    """Milliseconds a step, by loop and version in the sweep's order: of each version the way that it runs as it comes."""
    lines: dict[str, dict[str, float]] = {loop: {} for loop in LOOPS}
    for trial in trials:
        mode, api = AS_IT_COMES.get(trial["f_engine"], ("graph", "tf_keras"))
        if (trial["f_model"], trial["f_mode"], trial["f_api"]) == (model, mode, api):
            lines[trial["f_loop"]][version_of(trial["f_engine"])] = 1e3 * trial["m_step_time"]
    return lines


def trials_of(results: Path) -> list[dict[str, Any]]:
    import xarray

    with xarray.open_dataset(results, group="trials", engine="netcdf4") as trials:
        names = ["f_engine", "f_model", "f_mode", "f_api", "f_loop", "m_step_time"]
        return trials[names].to_dataframe().to_dict("records")


def draw(trials: list[dict[str, Any]], figure: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "regatta", "font.size": 10})
    from matplotlib import pyplot

    page, panels = pyplot.subplots(1, len(MODELS), figsize=INCHES, sharey=True)
    for panel, (model, title) in zip(panels, MODELS.items()):
        for loop, line in lines_of(trials, model).items():
            panel.plot(list(line), list(line.values()), marker="o", color=LOOPS[loop], label=loop)
        panel.set_title(f"{title}, batch 32, 1 thread")
        panel.set_xlabel("TensorFlow")
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter("{x:g}")
        panel.grid(axis="y", which="both", alpha=0.3)
    panels[0].set_ylabel("ms a step (log scale)")
    panels[-1].legend(frameon=False, loc="lower right")
    page.tight_layout()
    page.savefig(figure, format="svg", metadata={"Date": None})
    text = figure.read_text(encoding="utf-8")
    figure.write_text("\n".join(line.rstrip() for line in text.split("\n")), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", type=Path)
    draw(trials_of(parser.parse_args().results), FIGURE)


if __name__ == "__main__":
    main()

"""Runs three checked steps of every named model with every engine, mode, loop and interface that is installed, and
writes the table of docs/reference/engines.md: which do the same work as the native engine, and what is skipped why.

It talks to the workers itself (docs/reference/worker-protocol.md), one process for each engine, so that nothing is
timed and no framework is imported twice. Losses are compared with those of the native engine; gradients, updates and
the optimizer of frameworks among each other. Frameworks come from scripts/setup-engines.sh. Takes half an hour, mostly
of compiling. The results are kept in BUILD/engines_table.json: with --only the columns of other models are those of
their last run, and with --retry only cells that say "failed", "no" or "alone" there are run again, beside the native
engine and one other.
usage: python3 -m scripts.engines_table [--build FOLDER] [--only MODEL]... [--retry] [--write PAGE]
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from regatta_worker.same_work import Evidence

from tools import ROOT, page_part
from tools.engine_trials import MODELS, input_files, installed_engines, parameters_of, planned
from tools.same_work_judge import difference
from tools.worker_process import WorkerProcess

COLUMNS = ("engine", "mode", "api", "loop", "work")
IN_DOUBT = ("failed", "no", "alone")

STEPS = 3


def check(worker: WorkerProcess, trial: dict[str, Any], paths: dict[str, str]) -> None:
    """Stores losses and evidence in the trial, or what stands in its cell instead."""
    request = {"arm": 0, "parameters": parameters_of(trial), "model": trial["json"], **paths}
    answer = worker.ask(type="prepare", **request)
    if answer["type"] == "prepared":
        answer = worker.ask(type="check", arm=0, steps=STEPS, evidence=True)
        worker.ask(type="release", arm=0)
    if answer["type"] == "error":
        word = "skipped" if answer["kind"] == "unsupported" else "failed"
        trial["cell"] = (word, answer["message"])
        return
    trial["losses"] = [
        [math.nan if loss is None else loss for loss in step] for step in answer["losses"]
    ]
    if "evidence" in answer:
        trial["evidence"] = Evidence(trial["losses"], **answer["evidence"])


def run_all(build: Path, folder: Path, engines: list[str], trials: list[dict]) -> None:
    for engine, is_v1 in itertools.product(engines, (False, True)):
        worker = None  # v1-session turns eager off in its process, for good
        for trial in trials:
            if (trial["engine"], trial["mode"] == "v1-session") != (engine, is_v1):
                continue
            if trial["skip"]:
                trial["cell"] = ("skipped", trial["skip"])
                continue
            if worker is not None and (worker.process.poll() is not None or worker.has_grown()):
                worker.stop()
                worker = None
            if worker is None:
                worker = WorkerProcess(build, engine, folder / "workers.log")
            begin = time.monotonic()
            check(worker, trial, input_files(build, folder, trial))
            words = [str(trial[column]) for column in ("model", *COLUMNS) if trial[column]]
            cell = trial.get("cell", ("ran",))[0]
            print(f"{' '.join(words)}: {cell}, {time.monotonic() - begin:.1f} s", file=sys.stderr)
        if worker is not None:
            worker.stop()


def judge(trials: list[dict]) -> None:
    """Fills the cells of what ran: against native graph, or the first that ran."""
    for trial in trials:
        if "cell" in trial:
            continue
        alike = [
            other
            for other in trials
            if (other["model"], other["work"]) == (trial["model"], trial["work"])
            and "losses" in other
        ]
        alike.sort(key=lambda other: (other["engine"] != "native", other["mode"] != "graph"))
        first, its = (each.get("evidence", Evidence(each["losses"])) for each in (alike[0], trial))
        found = difference(first, its)
        lonely = len({other["engine"] for other in alike}) < 2
        trial["cell"] = ("no", found) if found else ("alone" if lonely else "yes", "")


class Reasons:
    """Footnotes: each text once, numbered."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def mark(self, text: str) -> str:
        text = " ".join(text.split())
        if text not in self.texts:
            self.texts.append(text)
        return f"[{self.texts.index(text) + 1}]"


def key_of(trial: dict[str, Any]) -> list[str]:
    """Key of its row."""
    return [trial[column] or "–" for column in COLUMNS]


def kept(store: Path) -> dict[str, list[list]]:
    """Per model [row's key, [word, text]] of earlier runs."""
    return json.loads(store.read_text()) if store.exists() else {}


def once_more(trials: list[dict], cells: dict[str, list[list]]) -> list[dict]:
    """Trials in doubt, and of their model and work the native engine's and one other's, to compare them with."""
    words = {(model, *key): word for model, rows in cells.items() for key, (word, _) in rows}
    found = []
    for model, work in dict.fromkeys((trial["model"], trial["work"]) for trial in trials):
        alike = [each for each in trials if (each["model"], each["work"]) == (model, work)]
        word_of = [words.get((model, *key_of(each)), "") for each in alike]
        if not any(word in IN_DOUBT for word in word_of):
            continue
        is_other = [
            each["engine"] != "native" and word == "yes"
            for each, word in zip(alike, word_of, strict=True)
        ]
        other = is_other.index(True) if any(is_other) else None
        found += [
            each
            for at, each in enumerate(alike)
            if each["engine"] == "native" or word_of[at] in IN_DOUBT or at == other
        ]
    return found


def remembered(store: Path, trials: list[dict], only_these: bool) -> dict[str, list[list]]:
    """The kept cells, with the cells of these trials; other cells of their models go unless `only_these` are new."""
    cells = kept(store)
    for model in {trial["model"] for trial in trials}:
        found = [[key_of(trial), trial["cell"]] for trial in trials if trial["model"] == model]
        new = {tuple(key): cell for key, cell in found}
        old = [[key, new.get(tuple(key), cell)] for key, cell in cells.get(model, [])]
        cells[model] = old if only_these else found
    store.write_text(json.dumps(cells))
    return {model: cells[model] for model in MODELS if model in cells}


def merged(rows: dict[tuple, dict[str, str]]) -> dict[tuple, dict[str, str]]:
    """Interfaces and loops of one engine, mode and work that have the same cells share a row."""
    groups: dict[tuple, list[tuple]] = {}
    for key, row in rows.items():
        engine, mode, _, _, work = key
        groups.setdefault((engine, mode, work, tuple(sorted(row.items()))), []).append(key)
    result = {}
    for (engine, mode, work, cells), keys in groups.items():
        apis, loops = (", ".join(dict.fromkeys(key[at] for key in keys)) for at in (2, 3))
        result[(engine, mode, apis, loops, work)] = dict(cells)
    return result


def table(cells: dict[str, list[list]]) -> str:
    models, reasons = list(cells), Reasons()
    rows: dict[tuple, dict[str, str]] = {}
    for model, found in cells.items():
        for key, (word, text) in found:
            rows.setdefault(tuple(key), {})[model] = (
                f"{word} {reasons.mark(text)}" if text else word
            )
    rows = {
        key: row  # no such mode with any model: the reason below is enough
        for key, row in rows.items()
        if len(set(row.values())) > 1 or not next(iter(row.values())).startswith("skipped")
    }
    lines = ["| " + " | ".join((*COLUMNS, *models)) + " |"]
    lines.append("|" + "---|" * (len(COLUMNS) + len(models)))
    for key, row in merged(rows).items():
        cells = (row.get(model, "–") for model in models)
        lines.append("| " + " | ".join((*key, *cells)) + " |")
    notes = [f"{number}. {text}" for number, text in enumerate(reasons.texts, 1)]
    return "\n".join([*lines, "", *notes])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--only", action="append", choices=list(MODELS), help="these models only")
    parser.add_argument("--write", type=Path, help="the page whose table is replaced")
    parser.add_argument("--retry", action="store_true", help="only what was in doubt before")
    options = parser.parse_args()
    store = options.build / "engines_table.json"
    with tempfile.TemporaryDirectory() as name:
        folder, engines = Path(name), installed_engines(options.build)
        models = options.only or list(MODELS)
        trials = [
            each for model in models for each in planned(options.build, folder, model, engines)
        ]
        if options.retry:
            trials = once_more(trials, kept(store))
        run_all(options.build, folder, engines, trials)
    judge(trials)
    text = table(remembered(store, trials, options.retry))
    print(text)
    if options.write:
        page_part.write(options.write, "engines_table.py", text)


if __name__ == "__main__":
    main()

"""Regatta's search beside random search and Optuna's TPE that train as much: how far what they choose lies behind the best.

Searches on sweeps/train-digits.json's space with the native engine, each on a draw of its own (bench/digits_draws.py).
Random search and TPE train as many configurations to the end, once each and one after the other, as Regatta's search
was worth in full trainings: with its fresh seeds, and without them. Each choice is then trained under fresh seeds on
one draw that no search has seen: that is the truth. The best possible is the best of everything that was ever chosen,
under other seeds. Writes docs/background/search.md; some 10 minutes on two idle cores. Searches that are recorded are
not run again.

usage: python3 -m bench.search_regret [--searches 20] [--build FOLDER] [--record FILE] [--fresh] [--page-only]
Needs scripts/setup-engines.sh optuna.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.digits_draws import Digits
from bench.native_vs_frameworks import git
from bench.search_page import METRICS, REGRET_RECORD, write_page
from bench.trainings import JSON, Trained, Trainer, Trial, output_of, planned
from tools import ROOT
from tools.interpreters import interpreter

SEARCH_SEED = 0  # Regatta's own
TRUTH_DRAW, TRUTH_SEEDS = 1_000_000, range(10_000, 10_020)
BEST_OF, BEST_SEEDS = 8, range(20_000, 20_100)
TUNED = ("model", "batch", "learning_rate", "weight_decay", "schedule")
SAMPLES_AHEAD = 1.1  # points to draw for each that is needed: a row that is drawn twice stands once


def search_commit() -> str:
    """The last commit of what searches and of what trains."""
    return git("log", "-1", "--format=%h", "--", "src/search", "src/engine", "workers/native")


def example() -> JSON:
    return json.loads((ROOT / "sweeps" / "train-digits.json").read_text())


def sweep_on(entry: JSON, number: int) -> JSON:
    sweep = {**example(), "name": f"search-{number}", "sample_seed": number}
    sweep["axes"] = {**sweep["axes"], "dataset": ["draw"]}
    return {**sweep, "datasets": {"draw": entry}}


def report_of(build: Path, sweep: JSON, folder: Path) -> JSON:
    """Runs a sweep and reads what it found."""
    file = folder / f"{sweep['name']}.json"
    file.write_text(json.dumps(sweep))
    regatta = str(build / "bin" / "regatta")
    command = [regatta, "run", str(file), "--out", str(folder)]
    output_of(command)
    command = [regatta, "report", str(folder / f"{sweep['name']}.h5"), "--json"]
    return json.loads(output_of(command))


def tuned(parameters: JSON) -> JSON:
    return {name: parameters[name] for name in TUNED}


def choice(configuration: JSON, reported: float) -> JSON:
    return {"configuration": configuration, "reported": reported}


def regatta_choices(report: JSON) -> tuple[dict[str, JSON], dict[str, int]]:
    """The choice of the whole search, and the choice by its best single run; their costs, in whole trainings."""
    learning = report["learning"]
    order = {trial["id"]: trial for trial in report["trials"]}
    ranking = {each["trial"]: each for each in learning["ranking"]}
    leader = learning["leader"]
    seen = max(
        (each for each in order if each in ranking),
        key=lambda each: ranking[each]["searched"] or 0.0,  # the first of equals
    )
    cost = learning["cost"]
    alone = cost["search"] + cost["clones"] + cost["trained_on"]
    whole, part = "regatta", "halving alone"
    return {
        whole: choice(tuned(order[leader]), ranking[leader]["validation"]["mean"]),
        part: choice(tuned(order[seen]), ranking[seen]["searched"]),
    }, {whole: round(alone + cost["fresh"]), part: round(alone)}


def best_of(trained: list[tuple[JSON, float]]) -> JSON:
    return choice(*max(trained, key=lambda each: each[1]))  # the first of equals


def random_search(trainer: Trainer, sweep: JSON, count: int) -> list[tuple[JSON, float]]:
    """The first of these points are those that Regatta has."""
    many = {**sweep, "samples": round(SAMPLES_AHEAD * count), "name": f"{sweep['name']}-random"}
    trials = planned(trainer.build, many, trainer.folder.parent)[:count]  # the draw lies there
    return [
        (tuned(trial.parameters), trainer.train(trial, SEARCH_SEED).validation) for trial in trials
    ]


def space(sweep: JSON) -> JSON:
    axes = {name: sweep["axes"][name] for name in TUNED}
    levels = {name: axis.get("choice", axis) for name, axis in axes.items()}
    return {**levels, "model": [model["name"] for model in levels["model"]]}


def tpe_search(
    trainer: Trainer, trials: dict[str, Trial], sweep: JSON, seed: int, count: int
) -> list[tuple[JSON, float]]:
    command = [str(interpreter("optuna")), str(ROOT / "bench" / "tpe.py"), str(seed)]
    command.append(json.dumps(space(sweep)))
    trained = []
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as tpe:
        assert tpe.stdin and tpe.stdout
        for _ in range(count):
            configuration = json.loads(tpe.stdout.readline())
            trial = trial_of(trials, configuration)
            trained.append((configuration, trainer.train(trial, SEARCH_SEED).validation))
            print(trained[-1][1], file=tpe.stdin, flush=True)
        tpe.stdin.close()
        tpe.kill()
    return trained


def trial_of(trials: dict[str, Trial], configuration: JSON) -> Trial:
    """Any trial of its model, with these parameters."""
    trial = trials[configuration["model"]]
    return Trial({**trial.parameters, **configuration}, trial.model)


class Bench:
    def __init__(self, build: Path, folder: Path) -> None:
        self.build, self.folder = build, folder
        trials = planned(build, {**example(), "name": "space"}, folder)
        self.trials = {trial.parameters["model"]: trial for trial in trials}
        self.digits = Digits(build, trials[0], folder)

    def trainer(self, draw: int, name: str) -> Trainer:
        folder = self.folder / f"{name}-{draw}"
        folder.mkdir(exist_ok=True)
        trainer = Trainer(self.build, "native", folder, example()["train"])
        self.digits.write_samples(draw, trainer.data)
        return trainer

    def search(self, number: int) -> JSON:
        sweep = sweep_on(self.digits.draw(number), number)
        report = report_of(self.build, sweep, self.folder)
        found, costs = regatta_choices(report)
        whole, alone = costs["regatta"], costs["halving alone"]
        trainers = [self.trainer(number, name) for name in ("random", "tpe")]
        same_as_regatta(trainers[0], planned(self.build, sweep, self.folder), report)
        with ThreadPoolExecutor(2) as both:
            random = both.submit(random_search, trainers[0], sweep, whole)
            tpe = both.submit(tpe_search, trainers[1], self.trials, sweep, number, whole)
            for name, trained in (("random", random.result()), ("TPE", tpe.result())):
                found[name] = best_of(trained)
                found[f"{name} of the search alone"] = best_of(trained[:alone])
        for trainer in trainers:
            trainer.stop()
        return {"trainings": costs, "choices": found}

    def runs(self, configurations: list[JSON], seeds: range) -> list[JSON]:
        """Accuracies under these seeds, on the draw that no search has seen."""
        trainers = [self.trainer(TRUTH_DRAW, f"truth-{i}") for i in range(2)]

        def train(place: int, trainer: Trainer) -> list[list[Trained]]:
            return [
                [trainer.train(trial_of(self.trials, each), seed, True) for seed in seeds]
                for each in configurations[place::2]
            ]

        with ThreadPoolExecutor(2) as both:
            halves = list(both.map(train, (0, 1), trainers))
        for trainer in trainers:
            trainer.stop()
        return [accuracies(halves[i % 2][i // 2]) for i in range(len(configurations))]

    def truths(self, configurations: list[JSON], seeds: range) -> list[JSON]:
        """Their means."""
        return [
            {metric: round(sum(values) / len(values), 6) for metric, values in each.items()}
            for each in self.runs(configurations, seeds)
        ]


def accuracies(runs: list[Trained]) -> JSON:
    """0 is the accuracy of a run that diverged."""
    return {metric: [getattr(run, metric) or 0.0 for run in runs] for metric in METRICS}


def same_as_regatta(trainer: Trainer, trials: list[Trial], report: JSON) -> None:
    """A training here gives what Regatta's own gave: of the leader, under its first fresh seed."""
    learning = report["learning"]
    figure = learning["ranking"][0]["validation"]
    trial = next(each for each in trials if each.id == learning["leader"])
    ours = trainer.train(trial, figure["seeds"][0]).validation
    if ours != figure["values"][0]:
        raise RuntimeError(f"a training gave {ours}, Regatta's {figure['values'][0]}")


def add_truths(bench: Bench, record: JSON) -> None:
    """The truth of every configuration that was chosen, and the best possible."""
    chosen = {
        json.dumps(each["configuration"], sort_keys=True)
        for search in record["searches"].values()
        for each in search["choices"].values()
    }
    new = sorted(chosen - record["truths"].keys())
    found = bench.truths([json.loads(each) for each in new], TRUTH_SEEDS)
    record["truths"].update(zip(new, found, strict=True))
    foremost = {
        each
        for metric in METRICS
        for each in sorted(chosen, key=lambda each: -record["truths"][each][metric])[:BEST_OF]
    }
    again = bench.truths([json.loads(each) for each in sorted(foremost)], BEST_SEEDS)
    record["best"] = {metric: max(each[metric] for each in again) for metric in METRICS}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--searches", type=int, default=20)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--record", type=Path, default=REGRET_RECORD)
    parser.add_argument("--fresh", action="store_true", help="forget the recorded searches")
    parser.add_argument("--page-only", action="store_true")
    options = parser.parse_args()
    record: JSON = {"searches": {}, "truths": {}}
    if options.record.exists() and not options.fresh:
        record = json.loads(options.record.read_text())
    if not options.page_only:
        record["commit"] = search_commit()
        with tempfile.TemporaryDirectory(prefix="regatta-regret-") as folder:
            bench = Bench(options.build, Path(folder))
            for number in range(1, options.searches + 1):
                start = time.monotonic()
                if str(number) not in record["searches"]:
                    record["searches"][str(number)] = bench.search(number)
                    options.record.write_text(json.dumps(record, indent=1) + "\n")
                print(f"search {number}: {time.monotonic() - start:.0f} s", flush=True)
            add_truths(bench, record)
            options.record.write_text(json.dumps(record, indent=1) + "\n")
    write_page()


if __name__ == "__main__":
    main()

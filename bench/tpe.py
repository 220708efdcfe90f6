"""Optuna's TPE over lines of JSON, in the environment that `scripts/setup-engines.sh optuna` makes.

usage: python tpe.py SEED SPACE        SPACE: {"name": [choices] or {"log_uniform": [low, high]}}
Prints a suggestion, reads its value from a line of stdin, and so on until that ends. Every suggestion knows all values before it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import optuna


def suggestion(trial: optuna.trial.Trial, space: dict[str, Any]) -> dict[str, Any]:
    return {
        name: trial.suggest_float(name, *levels["log_uniform"], log=True)
        if isinstance(levels, dict)
        else trial.suggest_categorical(name, levels)
        for name, levels in space.items()
    }


def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    space = json.loads(sys.argv[2])
    sampler = optuna.samplers.TPESampler(seed=int(sys.argv[1]))
    study = optuna.create_study(direction="maximize", sampler=sampler)
    while True:
        trial = study.ask()
        print(json.dumps(suggestion(trial, space)), flush=True)
        value = sys.stdin.readline()
        if not value:
            return
        study.tell(trial, float(value))


if __name__ == "__main__":
    main()

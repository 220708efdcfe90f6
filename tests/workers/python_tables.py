"""Prints, as JSON, what the Python worker knows of layers, losses, parameters and engines."""

import ast
import dataclasses
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from regatta_worker import engines, inputs, layers


def layer_options() -> dict[str, dict[str, Any]]:
    """Each layer's keys beside its own, with their defaults; null where a value is needed."""
    rows = {}
    for name, (kind, main) in layers._KINDS.items():
        fields = [field for field in dataclasses.fields(kind) if field.name != main]
        needed = dataclasses.MISSING
        rows[name] = {f.name: None if f.default is needed else f.default for f in fields}
    return rows


def constants(engine: str) -> dict[str, Any]:
    """The constants of an engine's modules, read without importing its framework."""
    found: dict[str, Any] = {}
    spec = importlib.util.find_spec(f"regatta_worker.engines.{engine}")
    for folder in spec.submodule_search_locations if spec else []:
        for path in sorted(Path(folder).glob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    try:
                        found[node.targets[0].id] = ast.literal_eval(node.value)
                    except ValueError:
                        continue
    return found


def levels() -> dict[str, dict[str, list[str]]]:
    rows = {}
    for engine in engines.NAMES:
        known = constants(engine)
        training, inference = known.get("TRAINING_LOOPS", ()), known.get("INFERENCE_LOOPS", ())
        rows[engine] = {
            "modes": known.get("MODES", []),
            "inputs": known.get("INPUTS", ()),
            "loops": list(dict.fromkeys((*training, *inference))),
        }
    rows["numpy"]["modes"] = engines.load("numpy").describe().modes
    return rows


def other_defaults(parameters: dict[str, Any]) -> list[str]:
    """Settings that differ between a trial that names nothing and one that names these defaults."""
    unnamed, named = inputs.settings_of({}), inputs.settings_of(parameters)
    fields = (field.name for field in dataclasses.fields(inputs.Settings))
    return [name for name in fields if getattr(unnamed, name) != getattr(named, name)]


def main() -> None:
    print(
        json.dumps(
            {
                "layers": layer_options(),
                "losses": inputs.OWN_ACTIVATION,
                "other_defaults": other_defaults(json.loads(sys.argv[1])),
                "engines": levels(),
            }
        )
    )


if __name__ == "__main__":
    main()

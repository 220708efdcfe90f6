"""Prints, as JSON, what the Python worker knows of layers, losses, parameters and engines."""

import ast
import dataclasses
import importlib.util
import json
import re
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


def modules(engine: str) -> list[ast.Module]:
    """An engine's modules, read without importing its framework."""
    spec = importlib.util.find_spec(f"regatta_worker.engines.{engine}")
    folders = spec.submodule_search_locations if spec else []
    paths = [path for folder in folders for path in sorted(Path(folder).glob("*.py"))]
    return [ast.parse(path.read_text(encoding="utf-8")) for path in paths]


def constants(engine: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for node in (node for module in modules(engine) for node in module.body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


class Asked(dict[str, Any]):
    """Parameters that remember the names that they were asked for."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def get(self, name: str, default: Any = None) -> Any:
        self.names.append(name)
        return default


BY_NAME = re.compile(r"""(?:\.own|\bparameters)(?:\[|\.get\()['"](\w+)['"]""")


def reads(engine: str) -> dict[str, list[str]]:
    """Parameters that the engine's modules name, and those that the settings give which it takes."""
    text = "\n".join(ast.unparse(module) for module in modules(engine))
    asked = Asked()
    if "settings_of(" in text:
        inputs.settings_of(asked)
    return {"by_name": BY_NAME.findall(text), "settings": asked.names}


def engine_rows() -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for engine in engines.NAMES:
        known = constants(engine)
        training, inference = known.get("TRAINING_LOOPS", ()), known.get("INFERENCE_LOOPS", ())
        rows[engine] = {
            "modes": known.get("MODES", []),
            "devices": known.get("DEVICES", ["cpu"]),
            "inputs": known.get("INPUTS", ()),
            "loops": list(dict.fromkeys((*training, *inference))),
            "has_ranks": engine in engines.WITH_RANKS,
            **reads(engine),
        }
    rows["numpy"]["modes"] = engines.load("numpy").describe().modes
    return rows


def other_defaults(parameters: dict[str, Any]) -> list[str]:
    """Settings that differ between a trial that names nothing and one that names these defaults."""
    unnamed, named = inputs.settings_of({}), inputs.settings_of(parameters)
    fields = (field.name for field in dataclasses.fields(inputs.Settings) if field.name != "own")
    return [name for name in fields if getattr(unnamed, name) != getattr(named, name)]


def main() -> None:
    print(
        json.dumps(
            {
                "layers": layer_options(),
                "losses": inputs.OWN_ACTIVATION,
                "other_defaults": other_defaults(json.loads(sys.argv[1])),
                "engines": engine_rows(),
            }
        )
    )


if __name__ == "__main__":
    main()

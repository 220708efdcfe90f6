"""As much of JSON Schema (draft 07) as docs/reference/sweep.schema.json uses; a keyword that is not here is an error."""

import re
from typing import Any

NO_CHECK = {"$schema", "title", "definitions"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}


def problems(value: Any, schema: dict, root: dict, at: str = "") -> list[str]:
    """The problems of the value, each with its JSON pointer."""
    found = []
    for keyword, wanted in schema.items():
        if keyword not in NO_CHECK:
            found += CHECKS[keyword](value, wanted, schema, root, at)
    return found


def _type(value: Any, wanted: str, schema: dict, root: dict, at: str) -> list[str]:
    if wanted in ("integer", "number"):
        kinds = (int,) if wanted == "integer" else (int, float)
        fits = isinstance(value, kinds) and not isinstance(value, bool)
    else:
        fits = isinstance(value, TYPES[wanted])
    return [] if fits else [f"{at}: {value!r} is no {wanted}"]


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def _enum(value: Any, wanted: list, schema: dict, root: dict, at: str) -> list[str]:
    return (
        []
        if any(_same(value, each) for each in wanted)
        else [f"{at}: {value!r} is not among {wanted}"]
    )


def _const(value: Any, wanted: Any, schema: dict, root: dict, at: str) -> list[str]:
    return [] if _same(value, wanted) else [f"{at}: {value!r} is not {wanted!r}"]


def _any_of(value: Any, wanted: list[dict], schema: dict, root: dict, at: str) -> list[str]:
    tried = [problems(value, each, root, at) for each in wanted]
    return [] if any(not each for each in tried) else min(tried, key=len)


def _ref(value: Any, wanted: str, schema: dict, root: dict, at: str) -> list[str]:
    return problems(value, root["definitions"][wanted.removeprefix("#/definitions/")], root, at)


def _minimum(value: Any, wanted: float, schema: dict, root: dict, at: str) -> list[str]:
    return (
        [f"{at}: {value} is below {wanted}"]
        if isinstance(value, (int, float)) and value < wanted
        else []
    )


def _exclusive_minimum(value: Any, wanted: float, schema: dict, root: dict, at: str) -> list[str]:
    return (
        [f"{at}: {value} is not above {wanted}"]
        if isinstance(value, (int, float)) and value <= wanted
        else []
    )


def _maximum(value: Any, wanted: float, schema: dict, root: dict, at: str) -> list[str]:
    return (
        [f"{at}: {value} is above {wanted}"]
        if isinstance(value, (int, float)) and value > wanted
        else []
    )


def _pattern(value: Any, wanted: str, schema: dict, root: dict, at: str) -> list[str]:
    fits = not isinstance(value, str) or re.search(wanted, value)
    return [] if fits else [f"{at}: {value!r} does not match {wanted}"]


def _min_items(value: Any, wanted: int, schema: dict, root: dict, at: str) -> list[str]:
    return [f"{at}: too short"] if isinstance(value, list) and len(value) < wanted else []


def _max_items(value: Any, wanted: int, schema: dict, root: dict, at: str) -> list[str]:
    return [f"{at}: too long"] if isinstance(value, list) and len(value) > wanted else []


def _items(value: Any, wanted: dict, schema: dict, root: dict, at: str) -> list[str]:
    items = value if isinstance(value, list) else []
    return [p for i, item in enumerate(items) for p in problems(item, wanted, root, f"{at}/{i}")]


def _min_properties(value: Any, wanted: int, schema: dict, root: dict, at: str) -> list[str]:
    return [f"{at}: no member"] if isinstance(value, dict) and len(value) < wanted else []


def _required(value: Any, wanted: list[str], schema: dict, root: dict, at: str) -> list[str]:
    missing = [key for key in wanted if isinstance(value, dict) and key not in value]
    return [f"{at}: no {key}" for key in missing]


def _properties(value: Any, wanted: dict, schema: dict, root: dict, at: str) -> list[str]:
    members = value if isinstance(value, dict) else {}
    return [
        p
        for key, member in members.items()
        if key in wanted
        for p in problems(member, wanted[key], root, f"{at}/{key}")
    ]


def _additional(value: Any, wanted: bool | dict, schema: dict, root: dict, at: str) -> list[str]:
    members = value if isinstance(value, dict) else {}
    others = {
        key: member for key, member in members.items() if key not in schema.get("properties", {})
    }
    if wanted is False:
        return [f"{at}/{key}: unknown key" for key in others]
    return [
        p for key, member in others.items() for p in problems(member, wanted, root, f"{at}/{key}")
    ]


def _property_names(value: Any, wanted: dict, schema: dict, root: dict, at: str) -> list[str]:
    members = value if isinstance(value, dict) else {}
    return [p for key in members for p in problems(key, wanted, root, f"{at}/{key}")]


CHECKS = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "anyOf": _any_of,
    "$ref": _ref,
    "minimum": _minimum,
    "exclusiveMinimum": _exclusive_minimum,
    "maximum": _maximum,
    "pattern": _pattern,
    "minItems": _min_items,
    "maxItems": _max_items,
    "items": _items,
    "minProperties": _min_properties,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": _property_names,
}

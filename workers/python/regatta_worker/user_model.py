"""The user's own model (docs/guide/your-model.md): his file loaded, his functions called, his batches made.

What goes wrong in it is told with the file and the line; the whole traceback goes to the worker's log.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import inspect
import os
import random
import sys
import traceback
import weakref
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Tuple

import numpy as np

from .errors import Unsupported, UserModelError, ran_out_of_memory
from .inputs import Settings, Tensors
from .layers import UserModel
from .order import tested_rows

MAX_BATCHES = 8
MAX_BATCHES_BYTES = 64 << 20  # for x; at least one batch all the same
SAMPLES = 2560  # asked for at once where a model is trained to an end
LEAST_SAMPLES = 5  # one in so many belongs to the test part
MAX_VALUES = 4096  # more losses of one step become their mean
DEFAULT_RATE = 0.01  # for plain gradient descent, where the user names no optimizer

Batch = Tuple[np.ndarray, np.ndarray]

_modules: dict[tuple[str, str], ModuleType] = {}  # by path and digest: arms share what a file holds
_built: weakref.WeakSet = weakref.WeakSet()  # modules and Keras models; each call makes a new one


def seed_everything(seed: int) -> None:
    """Seeds the generators for functions without a parameter `seed`; engines seed their frameworks."""
    random.seed(seed)
    np.random.seed(seed % 2**32)


# ---- files and functions -------------------------------------------------------------------------


def _read(model: UserModel, file: str, path: str) -> tuple[bytes, str]:
    """Text and digest, which must be that of the sweep."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise UserModelError(f"cannot read {path}: {error.strerror}") from error
    digest = hashlib.sha256(text).hexdigest()
    if model.sources.get(file, digest) != digest:
        raise UserModelError(
            f"{file} was edited after the sweep was read; run the same command again"
        )
    return text, digest


def _module(model: UserModel, file: str) -> ModuleType:
    path = os.path.join(model.folder, file)
    if (path, model.sources.get(file)) in _modules:
        return _modules[path, model.sources[file]]
    text, digest = _read(model, file, path)
    folder, name = os.path.dirname(path), Path(file).stem
    if folder not in sys.path:  # as for a script: it may import its neighbours
        sys.path.insert(0, folder)
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) != path:
        name = f"regatta_user_{name}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _guarded(file, model.folder, lambda: exec(compile(text, path, "exec"), module.__dict__))
    _modules[path, digest] = module
    return module


def _function(model: UserModel, place: str) -> Callable:
    file, _, name = place.rpartition(":")
    module = _module(model, file)
    found = getattr(module, name, None)
    if callable(found):
        return found
    known = [other for other, value in vars(module).items() if callable(value)]
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise UserModelError(f"{file} has no function {name}{hint}")


def _guarded(what: str, folder: str, run: Callable[[], Any]) -> Any:
    """Whatever the user's code raises, as an error that names the last line of his that was reached."""
    try:
        return run()
    except UserModelError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, Exception) and ran_out_of_memory(error):
            raise
        traceback.print_exc()
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if _is_own(frame.filename, folder)]
        where = f" ({os.path.basename(own[-1].filename)}, line {own[-1].lineno})" if own else ""
        text = " ".join(str(error).split())
        raise UserModelError(f"{what} raised {type(error).__name__}: {text}{where}") from error


def _is_own(path: str, folder: str) -> bool:
    return bool(folder) and path.startswith(folder) and "site-packages" not in path


def _call(model: UserModel, place: str, given: tuple, named: dict, offered: dict) -> Any:
    """`offered` are arguments for the parameters of these names, where there are any."""
    function = _function(model, place)
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions tell none
        parameters = {}
    taken = {name: value for name, value in offered.items() if name in parameters}
    return _guarded(place, model.folder, lambda: function(*given, **{**taken, **named}))


# ---- what they give ------------------------------------------------------------------------------


def build(
    model: UserModel, settings: Settings, engine: str, names: tuple[str, ...]
) -> dict[str, Any]:
    """The parts that the user's function returned, by name; None for those it left out.

    It may be the first of `names` alone, a tuple in their order, or a dict with them as keys.
    """
    refuse_files(settings)
    seed_everything(settings.seed)
    offered = {"seed": settings.seed, "engine": engine}
    if settings.own.get("learning_rate") is not None:
        offered["learning_rate"] = settings.own["learning_rate"]
    built = _call(model, model.build, (), model.arguments, offered)
    if isinstance(built, dict):
        parts = built
        fits = bool(built) and set(built) <= set(names)
    else:
        values = tuple(built) if isinstance(built, (tuple, list)) else (built,)
        parts = dict(zip(names, values))
        fits = 0 < len(values) <= len(names)
    if not fits or parts.get(names[0]) is None:
        raise UserModelError(
            f"{model.build} returned {_described(built)}, expected {names[0]} alone, or "
            f"({', '.join(names)}) as a tuple or as a dict with these keys"
        )
    if names[0] == "model":
        refuse_shared(model, parts["model"])
    return {**dict.fromkeys(names), **parts}


def refuse_files(settings: Settings) -> None:
    """Raises Unsupported for what takes samples from a file."""
    reads = "a model of your own makes its samples itself"
    if settings.input == "loader":
        raise Unsupported(f"{reads}: Regatta's loader has nothing to read; use another input")
    if settings.host_dtype == "uint8":
        raise Unsupported(f"{reads}: give bytes in your batch function; use host_dtype float32")


def refuse_shared(model: UserModel, made: Any) -> None:
    """Checks begin at the initial weights, beside the arm that is timed: they need a model of their own. JAX's arrays
    never change."""
    try:
        is_known = made in _built
        _built.add(made)
    except TypeError:  # no model of any framework
        return
    if is_known:
        raise UserModelError(
            f"{model.build} returned the same object twice; make a new one each time"
        )


def _described(value: Any) -> str:
    if isinstance(value, dict):
        return f"a dict with the keys {', '.join(map(str, value)) or 'none'}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(_described(part) for part in value)})"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with the shape {value.shape}"
    return "None" if value is None else f"a {type(value).__name__}"


def make_batches(model: UserModel, settings: Settings, rows: int) -> list[Batch]:
    """Distinct batches of `rows` samples: as many as fit, each made by a call of the user's function.

    Floating-point samples have the type that the trial's host_dtype says, labels never more than float32.
    """
    seed_everything(settings.seed)
    batches = [_one_batch(model, settings, rows, 0)]
    count = min(MAX_BATCHES, max(1, MAX_BATCHES_BYTES // max(1, batches[0][0].nbytes)))
    for number in range(1, count):
        batches.append(_one_batch(model, settings, rows, number))
    return batches


def make_samples(model: UserModel) -> Tensors:
    """All samples of a run that is trained to its end: one call, in every process the same. The test part is drawn once,
    with its share of each class where labels are whole numbers; or it is what the call returns behind x and y."""
    seed_everything(0)
    made = _call(model, model.batch, (SAMPLES,), {}, {**model.arguments, "seed": 0})
    parts = [made[at : at + 2] for at in range(0, len(made), 2)] if _is_pairs(made) else []
    if not parts or not _are_samples(parts[0], LEAST_SAMPLES) or not _are_samples(parts[-1], 1):
        raise UserModelError(
            f"{model.batch} returned {_described(made)}, expected two NumPy arrays of numbers (x, y) "
            f"with as many rows each, at least {LEAST_SAMPLES}. Two more may follow, of the test part"
        )
    x, y = (_as_type(part, np.float32) for part in parts[0])
    if len(parts) == 2:
        test_x, test_y = (_as_type(part, np.float32) for part in parts[1])
        unknown = set(test_y.reshape(-1).tolist()) - set(y.reshape(-1).tolist())
        if _are_classes(y) and unknown:
            raise UserModelError(
                f"{model.batch} returned a test part with the class {min(unknown)}, "
                "which no row of the training part has"
            )
        return {"x": x, "y": y, "test_x": test_x, "test_y": test_y}
    is_tested = tested_rows(len(x), y.reshape(-1) if _are_classes(y) else None)
    return {
        "x": x[~is_tested],
        "y": y[~is_tested],
        "test_x": x[is_tested],
        "test_y": y[is_tested],
    }


def _is_pairs(made: Any) -> bool:
    return isinstance(made, (tuple, list)) and len(made) in (2, 4)


def _are_samples(pair: Any, least: int) -> bool:
    rows = len(pair[0]) if np.ndim(pair[0]) > 0 else 0
    return rows >= least and all(_is_samples(part, rows) for part in pair)


def _are_classes(y: np.ndarray) -> bool:
    return y.dtype.kind in "iub" and y.size == len(y)


def takes(model: UserModel, name: str) -> bool:
    """Whether `build` has a parameter of this name."""
    try:
        return name in inspect.signature(_function(model, model.build)).parameters
    except (TypeError, ValueError):
        return False


def _one_batch(model: UserModel, settings: Settings, rows: int, number: int) -> Batch:
    offered = {**model.arguments, "seed": settings.seed + number}
    batch = _call(model, model.batch, (rows,), {}, offered)
    is_pair = isinstance(batch, (tuple, list)) and len(batch) == 2
    if not is_pair or not all(_is_samples(part, rows) for part in batch):
        raise UserModelError(
            f"{model.batch} returned {_described(batch)} for {rows} samples, "
            f"expected two NumPy arrays of numbers (x, y) with {rows} rows each"
        )
    x, y = batch
    real = np.float64 if settings.host_dtype == "float64" else np.float32
    return _as_type(x, real), _as_type(y, np.float32)


def _is_samples(part: Any, rows: int) -> bool:
    is_numbers = isinstance(part, np.ndarray) and part.dtype.kind in "fiub"
    return is_numbers and part.ndim > 0 and len(part) == rows


def _as_type(array: np.ndarray, real: type) -> np.ndarray:
    """A copy of its own, in C order."""
    return np.array(array, dtype=real if array.dtype.kind == "f" else array.dtype, order="C")


def values_of(losses: np.ndarray, rows: int) -> list[float]:
    """The losses of the samples, or their mean where the loss gives nothing else."""
    losses = np.asarray(losses, dtype=np.float64)
    if losses.ndim > 0 and losses.size % rows == 0 and rows <= MAX_VALUES:
        return losses.reshape(rows, -1).mean(axis=1).tolist()
    return [float(losses.mean())]


def need(model: UserModel, part: Any, name: str, why: str) -> None:
    """Raises UserModelError if the user's function left out what this work takes."""
    if part is None:
        raise UserModelError(f"{model.build} gives no {name} ({why})")

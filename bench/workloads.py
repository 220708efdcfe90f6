"""The workloads of docs/background/performance.md, and what is wanted of the native engine in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

JSON = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A workload, and how much faster than the fastest framework the native graph must be."""

    name: str
    axes: JSON
    bar: float
    share_bar: float = 0.0  # at least this part of the measured peak
    work: str = "train"
    rounds: int = 21  # bench_engine_steps'
    missed: str = ""  # why the bar is missed where it is: what bounds it, what was tried
    eager_missed: str = ""  # the same of eager's overhead

    @property
    def case(self) -> str:
        batch, length = self.axes.get("batch", 1), self.axes.get("length", 140)
        return f"{self.axes['model']}:{batch}:{length}" + (":infer" if self.work == "infer" else "")


def network(model: str, batch: int, **more: object) -> JSON:
    return {"model": model, "batch": batch, **more}


EAGER_MEMORY = (
    "neither the dispatcher (mlp-10 shows its time) nor the order of operations, which both have. Blocks of eager's allocator come in "
    "a few sizes and are larger together than the graph's arena, so operands come from further away. One range of huge pages "
    "took half of the overhead from conv1d-question, and nothing from conv1d-medium."
)

ROWS = [
    Row("mlp-10, batch 32", network("mlp-10", 32), 10),
    Row(
        "mlp-10, batch 1000",
        network("mlp-10", 1000),
        3,
        missed="50 columns fill 64 lanes, so that a fifth of the multiply-adds is padding, and rows of 50 are stored "
        "across cache lines. Row blocks, sums of a few terms in one loop, dot products four rows at a time and an outer "
        "product that never leaves the registers are in; the last layer's own gradient in that same loop is not.",
    ),
    Row(
        "mlp-784, batch 32",
        network("mlp-784", 32),
        2.5,
        missed="the products and Adam's multiply-adds, both at the peak of the core, take nearly all of the goal's time. The step waits "
        "for multipliers, not for memory: asking for weights and moments ahead of their use did not help.",
    ),
    Row("scalar-gradient", {"model": "scalar-gradient"}, 20),
    Row(
        "cnn-28, inference, batch 1",
        network("cnn-28", 1, work="infer"),
        2,
        work="infer",
        missed="the second convolution is nearly all of it: 121 positions in rows of 11, which fill 11 of the 13 rows of a "
        "tile. Its rows of positions as one product would read across the ends of rows.",
    ),
    Row(
        "matmul-1000",
        {"model": "matmul-1000"},
        1,
        share_bar=0.8,
        missed="with its loads, a tile stays below the peak, which has multiply-adds alone (below). All frameworks stay below it, too.",
    ),
    Row("conv1d-small, 140", network("conv1d-small", 32, length=140), 1.1),
    Row("conv1d-small, 1400", network("conv1d-small", 32, length=1400), 1.1, rounds=7),
    Row(
        "conv1d-question",
        network("conv1d-question", 32),
        1.5,
        rounds=7,
        missed="its products alone, at the peak of the core, leave little of the bar's time for the dense layer, dropout, "
        "Adam's traffic with memory and what kernels fall short of the peak. Taps outside the input are "
        "skipped, dropout is drawn by vectors, Adam follows its gradient. Asking for the next panel of weights ahead and "
        "taking all taps for one panel of filters were tried and did not help.",
        eager_missed=EAGER_MEMORY,
    ),
    Row(
        "conv1d-medium, 140",
        network("conv1d-medium", 32, length=140),
        1.1,
        rounds=11,
        missed="all of the step is products, and the fastest framework's are not far from what a tile keeps up (below). Huge "
        "pages, kernels transposed four by four while they are packed, an input packed for the kernel gradient, four terms "
        "of a sum at a time and blocks of a thousand terms are in; asking for the next panel of weights, or for the rows "
        "of the next tile, ahead was tried and did not help.",
        eager_missed=EAGER_MEMORY,
    ),
    Row(
        "conv1d-large, 1400",
        network("conv1d-large", 32, length=1400),
        1.1,
        rounds=1,
    ),
    Row(
        "bilstm-question",
        network("bilstm-question", 32),
        2.2,
        rounds=1,
        missed="at the goal its products would have to be faster than a tile with its loads (below). A recurrent kernel of 4 MiB is read "
        "again at each of 400 positions; asking for its next block ahead made that slower.",
    ),
]
THREAD_ROWS = {
    "conv1d-medium, 140": network("conv1d-medium", 32, length=140),
    "matmul-1000": {"model": "matmul-1000"},
}

PRECISION_ROWS = {
    "conv1d-medium, 140": network("conv1d-medium", 32, length=140),
    "conv1d-small, 140": network("conv1d-small", 32, length=140),
    "matmul-1000": {"model": "matmul-1000"},
}


@dataclass(frozen=True)
class Saving:
    """A way to the same result from less work: a level of an axis, beside its default."""

    name: str
    axes: JSON
    axis: str
    plain: str
    saving: str


SAVINGS = [
    Saving(f"{model}, {length}", network(model, 32, length=length), "algorithm", "direct", "fft")
    for model, length in [("conv1d-question", 400), ("conv1d-medium", 140), ("conv1d-medium", 1400)]
] + [
    Saving(
        "conv1d-medium, 140",
        network("conv1d-medium", 32, length=140),
        "rewrite",
        "none",
        "algebraic",
    )
]

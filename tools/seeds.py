"""The seed of tests that draw: one for all runs of the usual command, a drawn one for `scripts/test.sh --all`."""

from __future__ import annotations

import argparse
import os

VARIABLE = "REGATTA_TEST_SEED"  # scripts/test.sh --all draws it
USUAL = 7


def usual_seed() -> int:
    return int(os.environ.get(VARIABLE, USUAL))


def add_seed(parser: argparse.ArgumentParser) -> None:
    """--seed, which the test prints, so that a failure is repeated by it."""
    parser.add_argument("--seed", type=int, default=usual_seed())

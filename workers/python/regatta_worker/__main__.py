"""Serves the protocol on a descriptor: python -m regatta_worker [--engine NAME] [--fd N]."""

from __future__ import annotations

import argparse
import sys

from . import __version__, engines
from .link import Link
from .session import Session


def main() -> int:
    parser = argparse.ArgumentParser(prog="regatta_worker", description=__doc__)
    parser.add_argument("--engine", default=engines.NAMES[0], help="what `ready` speaks for")
    parser.add_argument("--fd", type=int, default=3, help="descriptor of the protocol link")
    parser.add_argument("--version", action="version", version=__version__)
    options = parser.parse_args()
    return Session(Link(options.fd), options.engine).serve()


if __name__ == "__main__":
    sys.exit(main())

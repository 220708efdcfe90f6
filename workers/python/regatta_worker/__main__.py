"""Serves the protocol on a descriptor: python -m regatta_worker [--engine NAME] [--fd N]."""

from __future__ import annotations

import argparse
import sys

from regatta.wire import LINK

from . import __version__, engines
from .errors import LinkClosed
from .link import Link


def main() -> int:
    parser = argparse.ArgumentParser(prog="regatta_worker", description=__doc__)
    parser.add_argument("--engine", default=engines.NAMES[0], help="what `ready` speaks for")
    parser.add_argument("--fd", type=int, default=LINK, help="descriptor of the protocol link")
    parser.add_argument("--version", action="version", version=__version__)
    options = parser.parse_args()
    link = Link(options.fd)
    try:
        from .session import Session
    except ImportError as error:
        return refuse(link, error)
    return Session(link, options.engine).serve()


def refuse(link: Link, error: ImportError) -> int:
    """Answers the first request: this Python lacks what every worker needs."""
    text = f"this Python cannot run workers: {error}; install numpy for {sys.executable}"
    try:
        link.receive()
        link.send({"type": "error", "kind": "unsupported", "message": text, "final": True})
    except LinkClosed:
        pass
    return 1


if __name__ == "__main__":
    sys.exit(main())

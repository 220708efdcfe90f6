#!/usr/bin/env python3
"""Prints each test that failed in the JUnit file that CTest wrote, with the end of what it said."""

import sys
import xml.etree.ElementTree as ElementTree

LINES = 20


def failed(file: str) -> dict[str, list[str]]:
    """The last lines that each test said; CTest's status is "run" for a test that ran and passed."""
    cases = ElementTree.parse(file).getroot().iter("testcase")
    told = {}
    for case in cases:
        if case.get("status") != "run":
            text = case.findtext("system-out") or "(it did not run)"
            told[case.get("name", "")] = text.rstrip().splitlines()[-LINES:]
    return told


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: failed_tests.py CTEST-JUNIT-FILE", file=sys.stderr)
        return 2
    try:
        told = failed(sys.argv[1])
    except (OSError, ElementTree.ParseError) as error:
        print(f"failed_tests.py: {sys.argv[1]}: {error} (did ctest run?)", file=sys.stderr)
        return 1
    for name, lines in told.items():
        print(f"FAILED {name}", *lines, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())

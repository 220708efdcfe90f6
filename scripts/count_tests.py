#!/usr/bin/env python3
"""Prints "PASSED FAILED" for the JUnit file that CTest wrote; a test that did not run counts as failed. With --failed
each test that failed instead, with the end of what it said."""

import argparse
import sys
import xml.etree.ElementTree as ElementTree

PASSED = "run"  # CTest's status of a test that ran and passed
LINES = 20


def counts(cases: list[ElementTree.Element]) -> str:
    passed = sum(case.get("status") == PASSED for case in cases)
    return f"{passed} {len(cases) - passed}\n"


def failures(cases: list[ElementTree.Element]) -> str:
    told = ""
    for case in cases:
        if case.get("status") != PASSED:
            said = (case.findtext("system-out") or "(it did not run)").rstrip().splitlines()
            told += "\n  ".join([f"FAILED {case.get('name')}", *said[-LINES:]]) + "\n"
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="CTEST-JUNIT-FILE")
    parser.add_argument("--failed", action="store_true")
    options = parser.parse_args()
    try:
        cases = list(ElementTree.parse(options.file).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        print(f"count_tests.py: {options.file}: {error} (did ctest run?)", file=sys.stderr)
        return 1
    sys.stdout.write(failures(cases) if options.failed else counts(cases))
    return 0


if __name__ == "__main__":
    sys.exit(main())

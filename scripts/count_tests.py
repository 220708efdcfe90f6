#!/usr/bin/env python3
"""Prints "PASSED FAILED" for the JUnit file that CTest wrote; a test that did not run counts as failed."""

import sys
import xml.etree.ElementTree as ElementTree


def count(file: str) -> tuple[int, int]:
    """Counts the test cases of `file`; CTest's status is "run" for a test that ran and passed."""
    statuses = [case.get("status") for case in ElementTree.parse(file).getroot().iter("testcase")]
    passed = statuses.count("run")
    return passed, len(statuses) - passed


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: count_tests.py CTEST-JUNIT-FILE", file=sys.stderr)
        return 2
    try:
        passed, failed = count(sys.argv[1])
    except (OSError, ElementTree.ParseError) as error:
        print(f"count_tests.py: {sys.argv[1]}: {error} (did ctest run?)", file=sys.stderr)
        return 1
    print(passed, failed)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Every check of mirrors.py fails on a planted violation."""

import unittest

import mirrors
from planted import ARCHITECTURE, PlantedCase

CLOCK = {
    "include/regatta/base/clock.hpp": "#pragma once\nint now();\n",
    "src/base/clock.cpp": '#include "regatta/base/clock.hpp"\nint now() { return 1; }\n',
}
PARTS = {
    "include/regatta/base/parts.hpp": "#pragma once\nint first_part();\nint second_part();\n",
    "src/base/first.cpp": '#include "regatta/base/parts.hpp"\nint first_part() { return 1; }\n',
}
ROOMS = ARCHITECTURE.replace(
    "| `launcher` |", "| `launcher/os` | the kernel | base | none |\n| `launcher` |"
)


class MirroredTests(PlantedCase):
    def test_healthy_tree_has_no_problem(self) -> None:
        self.assertEqual(mirrors.mirrored_tests(self.tree()), [])
        self.assertEqual(mirrors.misplaced_tests(self.tree()), [])

    def test_source_without_a_test(self) -> None:
        self.assert_one(mirrors.mirrored_tests(self.tree(CLOCK)), "src/base/clock.cpp", "no test")

    def test_source_that_only_a_tested_source_uses(self) -> None:
        user = {
            "src/base/log.cpp": '#include "regatta/base/log.hpp"\n#include "regatta/base/clock.hpp"\n'
        }
        tree = self.tree({**CLOCK, **user})
        self.assert_one(mirrors.mirrored_tests(tree), "src/base/clock.cpp", "no test")

    def test_source_named_by_its_header(self) -> None:
        test = {"tests/base/log_test.cpp": '#include "regatta/base/clock.hpp"\n'}
        self.assertEqual(
            mirrors.mirrored_tests(self.tree({**CLOCK, **test, "tests/base/log.cpp": ""})), []
        )

    def test_source_of_a_shared_header_needs_a_call(self) -> None:
        test = {
            "tests/base/parts_test.cpp": '#include "regatta/base/parts.hpp"\nint x = second_part();\n'
        }
        tree = self.tree({**PARTS, **test})
        self.assert_one(mirrors.mirrored_tests(tree), "src/base/first.cpp", "no test")
        test = {
            "tests/base/parts_test.cpp": '#include "regatta/base/parts.hpp"\nint x = first_part();\n'
        }
        self.assertEqual(mirrors.mirrored_tests(self.tree({**PARTS, **test})), [])

    def test_excuse_needs_a_reason(self) -> None:
        tree = self.tree({**CLOCK, mirrors.UNTESTED: "src/base/clock.cpp:\n"})
        self.assert_one(mirrors.mirrored_tests(tree), "has no reason")

    def test_excuse_for_a_folder(self) -> None:
        tree = self.tree({**CLOCK, mirrors.UNTESTED: "src/base/: one reason\n"})
        self.assertEqual(mirrors.mirrored_tests(tree), [])

    def test_excuse_that_is_no_longer_needed(self) -> None:
        for line in ("src/base/log.cpp: one line\n", "src/base/: one line\n"):
            tree = self.tree({mirrors.UNTESTED: line})
            self.assert_one(mirrors.mirrored_tests(tree), "has a test now")

    def test_excuse_for_a_file_that_is_gone(self) -> None:
        tree = self.tree({mirrors.UNTESTED: "src/base/gone.cpp: one line\n"})
        self.assert_one(mirrors.mirrored_tests(tree), "does not exist")

    def test_test_outside_the_mirror_of_its_room(self) -> None:
        tree = self.tree(
            {
                "docs/architecture.md": ROOMS,
                "launcher/os/wait.hpp": "#pragma once\n",
                "launcher/os/wait.cpp": '#include "os/wait.hpp"\n',
                "tests/launcher/wait_test.cpp": "",
            }
        )
        self.assert_one(
            mirrors.misplaced_tests(tree), "tests/launcher/wait_test.cpp", "tests/launcher/os"
        )


if __name__ == "__main__":
    unittest.main()

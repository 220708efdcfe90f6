"""Holds the tree against docs/architecture.md and the rules of CONTRIBUTING.md."""

import sys
import unittest
from pathlib import Path

import arrows
import conventions
import doors
import mirrors
import sizes
import units
from tree import Tree

ROOT = Path(__file__).resolve().parents[2]


class Architecture(unittest.TestCase):
    maxDiff = None
    tree = Tree(ROOT)

    def check(self, problems: list[str]) -> None:
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def test_table_names_every_folder(self) -> None:
        sources = {path.split("/")[1] for path in self.tree.matching("src/*", "include/regatta/*")}
        self.assertLess(8, len(self.tree.rows))
        self.assertLessEqual(sources - {"regatta"}, self.tree.rows.keys())
        self.check([f"{row}: in the table, but no such folder" for row in self.missing_rows()])

    def missing_rows(self) -> list[str]:
        places = ("", "src/", "include/regatta/")
        exists = {row: any((ROOT / (p + row)).is_dir() for p in places) for row in self.tree.rows}
        return [row for row, there in exists.items() if not there]

    def test_include_arrows(self) -> None:
        self.check(arrows.include_arrows(self.tree))

    def test_unused_arrows(self) -> None:
        self.check(arrows.unused_arrows(self.tree))

    def test_no_cycles(self) -> None:
        self.check(arrows.cycles(self.tree))

    def test_link_arrows(self) -> None:
        self.check(arrows.link_arrows(self.tree))
        self.check(arrows.wide_rooms(self.tree))

    def test_third_party_includes(self) -> None:
        self.check(arrows.third_party_includes(self.tree))

    def test_third_party_links(self) -> None:
        self.check(arrows.third_party_links(self.tree))

    def test_python_imports(self) -> None:
        self.check(arrows.python_imports(self.tree))
        self.check(arrows.unknown_imports(self.tree))

    def test_file_sizes(self) -> None:
        self.check(sizes.file_sizes(self.tree))

    def test_function_sizes(self) -> None:
        print(sizes.summary(self.tree))
        self.check(sizes.function_sizes(self.tree))

    def test_mirrored_tests(self) -> None:
        self.check(mirrors.mirrored_tests(self.tree))
        self.check(mirrors.misplaced_tests(self.tree))

    def test_no_circle_of_units(self) -> None:
        self.check(units.circles(self.tree))

    def test_room_sizes(self) -> None:
        self.check(units.full_rooms(self.tree))

    def test_forbidden_words(self) -> None:
        self.check(conventions.forbidden_words(self.tree))

    def test_comments_name_the_thing(self) -> None:
        self.check(conventions.cut_comments(self.tree))

    def test_large_blobs(self) -> None:
        self.check(conventions.large_blobs(self.tree))

    def test_headers(self) -> None:
        self.check(conventions.using_in_headers(self.tree))

    def test_kernels_begin_before_all_else(self) -> None:
        self.check(conventions.kernels_that_do_not_begin(self.tree))
        self.check(conventions.unguarded_headers(self.tree))
        self.check(conventions.misnamed_files(self.tree))

    def test_dependencies_documented(self) -> None:
        self.check(conventions.undocumented_parts(self.tree))

    def test_public_functions_are_called(self) -> None:
        self.check(doors.uncalled_functions(self.tree))

    def test_keys_are_read(self) -> None:
        self.check(doors.unread_keys(self.tree))

    def test_rules_have_a_text(self) -> None:
        self.check(doors.unknown_rules(self.tree))
        self.check(doors.rules_without_place(self.tree))

    def test_exit_codes_have_names(self) -> None:
        self.check(doors.exit_codes(self.tree))

    def test_links_resolve(self) -> None:
        self.check(conventions.broken_links(self.tree))
        self.check(conventions.stale_paths(self.tree))
        self.check(conventions.wide_lines(self.tree))


if __name__ == "__main__":
    if sys.argv[1:] == ["--summary"]:
        print(sizes.summary(Tree(ROOT)))
        sys.exit(0)
    unittest.main()

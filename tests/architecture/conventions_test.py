"""Every check of conventions.py and sizes.py fails on a planted violation."""

import unittest

import conventions
import sizes
from planted import PlantedCase

DOCUMENT = "docs/page.md"


class Conventions(PlantedCase):
    def test_healthy_tree_has_no_problem(self) -> None:
        tree = self.tree()
        checks = (
            conventions.forbidden_words,
            conventions.large_blobs,
            conventions.using_in_headers,
            conventions.kernels_that_do_not_begin,
            conventions.unguarded_headers,
            conventions.misnamed_files,
            conventions.undocumented_parts,
            conventions.broken_links,
            conventions.stale_paths,
            conventions.wide_lines,
            conventions.cut_comments,
            sizes.file_sizes,
            sizes.function_sizes,
        )
        for check in checks:
            self.assertEqual(check(tree), [], check.__name__)

    def test_paths_and_hosts(self) -> None:
        planted = [
            "/" + "home/me/x",
            "see /" + "work/x",
            "http://" + "pypi" + ".org",
            "deb" + ".debian.org",
        ]
        for text in planted:
            self.assert_one(conventions.forbidden_words(self.tree({DOCUMENT: text})), DOCUMENT)
        self.assertEqual(
            conventions.forbidden_words(self.tree({DOCUMENT: "src/work/x, ~/home/x"})), []
        )

    def test_large_blob(self) -> None:
        tree = self.tree({"datasets/x.bin": "x" * (conventions.BLOB_BYTES + 1)})
        self.assert_one(conventions.large_blobs(tree), "datasets/x.bin")

    def test_using_namespace_in_a_header(self) -> None:
        text = "#pragma once\n// using namespace std;\nnamespace a {\nusing namespace std;\n}\n"
        self.assert_one(
            conventions.using_in_headers(self.tree({"src/base/a.hpp": text})), "src/base/a.hpp:4"
        )

    def test_kernel_that_does_not_begin(self) -> None:
        text = "#pragma once\n__global__ void __launch_bounds__(f(2)) a(int x) {%s\n  work(x);\n}\n"
        path = "src/engine/cuda/kernels/a.cuh"
        planted = self.tree({path: text % ""})
        self.assert_one(conventions.kernels_that_do_not_begin(planted), f"{path}:2")
        begun = self.tree({path: text % "\n  device::begin();"})
        self.assertEqual(conventions.kernels_that_do_not_begin(begun), [])

    def test_header_without_guard(self) -> None:
        self.assert_one(
            conventions.unguarded_headers(self.tree({"src/base/a.hpp": "\n"})), "src/base/a.hpp"
        )

    def test_misnamed_file(self) -> None:
        self.assert_one(
            conventions.misnamed_files(self.tree({"src/base/Log.cpp": ""})), "src/base/Log.cpp"
        )

    def test_undocumented_package_and_part(self) -> None:
        tree = self.tree({"scripts/packages-test.txt": "libxyz-dev # why\n"})
        self.assert_one(conventions.undocumented_parts(tree), "libxyz-dev")
        tree = self.tree({"src/base/CMakeLists.txt": "pkg_check_modules(xyz REQUIRED)\n"})
        self.assert_one(conventions.undocumented_parts(tree), "xyz")

    def test_broken_links(self) -> None:
        for link in ("gone.md", "architecture.md#nowhere", "#nowhere"):
            self.assert_one(
                conventions.broken_links(self.tree({DOCUMENT: f"# A b\n[x]({link})\n"})), link
            )
        good = (
            "# A `b`, c\n[x](architecture.md) [y](#a-b-c) [z](https://example.org) `[q](gone.md)`\n"
        )
        self.assertEqual(conventions.broken_links(self.tree({DOCUMENT: good})), [])

    def test_stale_paths(self) -> None:
        good = "`src/model`, `src/model/`, `src/model/rows.hpp`, `src/model/rows`, `src/model/*.cpp`, `sweeps/x`, `a/b`\n"
        self.assertEqual(conventions.stale_paths(self.tree({DOCUMENT: good})), [])
        for gone in ("src/gone", "src/model/gone.cpp", "launcher/*.hpp"):
            tree = self.tree({DOCUMENT: f"see `{gone}`\n"})
            self.assert_one(conventions.stale_paths(tree), DOCUMENT, f"`{gone}` is nowhere")

    def test_wide_lines(self) -> None:
        wide = "word " * 24
        self.assert_one(
            conventions.wide_lines(self.tree({DOCUMENT: f"x\n{wide}\n"})), f"{DOCUMENT}:2", "118"
        )
        kept = f"| {wide} |\n```text\n{wide}\n```\n"
        self.assertEqual(conventions.wide_lines(self.tree({DOCUMENT: kept})), [])

    def test_cut_comments(self) -> None:
        def found(path: str, text: str, **left: int) -> list[str]:
            return conventions.cut_comments(self.tree({path: text}), left)

        python = 'def f():\n    """Of a row."""\nTIME = 1' + "  # time; of a row\n"
        self.assert_one(found("bench/x.py", python, of=0), "bench/x.py:2", "name the thing")
        self.assertEqual(found("bench/x.py", python, of=1), [])
        header = "src/base/a.hpp"
        kept = (
            "int x;  ///< a row, or\n        ///< what it\n        ///< was\n// offset\n// those\n"
        )
        self.assertEqual(found(header, kept, of=0, what=0, those=0), [])
        trailing = "int x;  ///< of a row\nint y;  ///< of a column\n"
        self.assertEqual(len(found(header, trailing, of=0)), 2)
        self.assertEqual(found(header, trailing, of=2), [])
        self.assertEqual(len(found(header, trailing, of=1)), 2)
        for word in conventions.CUT_COMMENTS_LEFT:
            text = f"// {word.capitalize()} took it.\n"
            self.assert_one(found(header, text, **{word: 0}), f"{header}:1", f"'{word}'")
        for place in ("// log.cpp: What it took.\n", '#include "a.hpp"\n/// What a row took.\n'):
            self.assert_one(found(header, place, what=0), header)
        self.assert_one(
            found("scripts/x.sh", "x=1 #" + " what it took\n", what=0), "scripts/x.sh:1"
        )
        for asked in (
            "// Which rows?\n",
            "/// What did\n/// it take? Nothing.\n",
            'f("// what");\n',
        ):
            self.assertEqual(found(header, asked, which=0, what=0), [], asked)


class Sizes(PlantedCase):
    def test_long_file(self) -> None:
        tree = self.tree({"src/base/log.cpp": "\n" * (sizes.FILE_LINES + 1)})
        self.assert_one(sizes.file_sizes(tree), "src/base/log.cpp", "701 lines")

    def test_long_functions(self) -> None:
        body = "\n" * sizes.FUNCTION_LINES
        tree = self.tree({"src/base/log.cpp": f"int f() {{{body}}}\n"})
        self.assert_one(sizes.function_sizes(tree), "src/base/log.cpp:1: f", "61 lines")
        tree = self.tree({"scripts/x.py": "def f():\n" + "    1\n" * sizes.FUNCTION_LINES})
        self.assert_one(sizes.function_sizes(tree), "scripts/x.py:1: f")

    def test_a_table_may_be_long(self) -> None:
        rows = '    {"a",\n     {1, 2}},\n' * sizes.FUNCTION_LINES
        tree = self.tree({"src/base/log.cpp": f"Rows f() {{\n  return {{\n{rows}  }};\n}}\n"})
        self.assertEqual(sizes.function_sizes(tree), [])
        acts = f"Rows f() {{\n  act();\n  return {{\n{rows}  }};\n}}\n"
        tree = self.tree({"src/base/log.cpp": acts})
        self.assert_one(sizes.function_sizes(tree), "src/base/log.cpp:1: f")

    def test_long_main(self) -> None:
        body = "\n" * sizes.MAIN_LINES
        tree = self.tree({"launcher/main.cpp": f"int main() {{{body}}}\n"})
        self.assert_one(sizes.function_sizes(tree), "main", "41 lines")

    def test_summary_counts(self) -> None:
        self.assertIn(
            "functions: median 1, p90 1, p99 1, max 1",
            sizes.summary(self.tree({"src/base/x.hpp": "void f() {}\n"})),
        )

    def test_percentile(self) -> None:
        values = list(range(1, 11))
        self.assertEqual([sizes.percentile(values, s) for s in (0.5, 0.9, 0.99)], [5, 9, 10])


if __name__ == "__main__":
    unittest.main()

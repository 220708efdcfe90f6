"""cmake/together.py: sources share a unit unless a name of one would mean something in another."""

import tempfile
import unittest
from pathlib import Path

from cmake.together import Project


def source(own: str = "", rest: str = "") -> str:
    return f"namespace regatta {{\nnamespace {{\n{own}\n}}  // namespace\n{rest}\n}}  // namespace regatta\n"


class Together(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def groups(self, *texts: str) -> list[list[int]]:
        """Numbers of the texts that come together."""
        paths = [self.root / f"source_{number}.cpp" for number in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text)
        return [
            [paths.index(path) for path in group] for group in Project(self.root).groups_of(paths)
        ]

    def test_sources_without_names_of_their_own_come_together(self) -> None:
        self.assertEqual(
            self.groups(
                source(), source("int one() { return 1; }"), source("struct Two { int x; };")
            ),
            [[0, 1, 2]],
        )

    def test_a_unit_has_eight_sources_at_most(self) -> None:
        self.assertEqual([len(group) for group in self.groups(*[source()] * 17)], [8, 8, 1])

    def test_two_of_one_name_come_apart(self) -> None:
        for own in (
            "int same() { return 1; }",
            "template <class T> T same(T x) { return x; }",
            "struct same { int x = 0; };",
            "constexpr int same = 1;",
            "enum class same { a };",
            "enum { same, other };",
            "using same = int;",
        ):
            self.assertEqual(
                self.groups(source(own), source("long same(int x) { return x; }")), [[0], [1]], own
            )

    def test_a_function_that_another_source_calls_from_elsewhere_comes_apart(self) -> None:
        hides = source("int read(int x) { return x; }")
        self.assertEqual(
            self.groups(hides, source(rest="void f() { read(0, nullptr, 0); }")), [[0], [1]]
        )
        self.assertEqual(
            self.groups(hides, source(rest="void f() { ::read(0); a.read(1); b->read(2); }")),
            [[0, 1]],
        )
        self.assertEqual(
            self.groups(hides, source(rest="int f() { const int read = 0; return read; }")),
            [[0, 1]],
        )

    def test_a_constant_that_a_variable_would_shadow_comes_apart(self) -> None:
        self.assertEqual(
            self.groups(
                source("constexpr int most = 1;"),
                source(rest="int f() { int most = 0; return most; }"),
            ),
            [[0], [1]],
        )

    def test_a_name_of_a_header_that_only_the_other_has_comes_apart(self) -> None:
        (self.root / "include").mkdir()
        (self.root / "include" / "inner.hpp").write_text(
            "namespace regatta {\nint counted(int x);\n}\n"
        )
        (self.root / "include" / "outer.hpp").write_text('#include "inner.hpp"\n')
        own = source("int counted(long x) { return 1; }")
        includes = '#include "outer.hpp"\n'
        self.assertEqual(self.groups(own, includes + source()), [[0], [1]])
        self.assertEqual(
            self.groups(includes + own, includes + source()),
            [[0, 1]],
            "it compiles alone, so together too",
        )

    def test_one_alias_may_stand_in_both(self) -> None:
        using = source(
            "using testing::Not;\nnamespace fs = std::filesystem;\nusing Words = std::vector<std::string>;"
        )
        self.assertEqual(
            self.groups(using, using.replace("using testing", "using ::testing")), [[0, 1]]
        )
        self.assertEqual(
            self.groups(using, source("using other::Not;", "void f() { Not(); }")), [[0], [1]]
        )

    def test_comments_and_texts_name_nothing(self) -> None:
        quotes = source(
            rest='// calls same()\nconst char* f() { return "same()"; }\nauto g() { return R"(same())"; }'
        )
        self.assertEqual(self.groups(source("int same() { return 1'000; }"), quotes), [[0, 1]])

    def test_macros_of_a_source_are_its_own(self) -> None:
        self.assertEqual(
            self.groups("#define MOST 3\n" + source(), source(rest="int f() { return MOST; }")),
            [[0], [1]],
        )


if __name__ == "__main__":
    unittest.main()

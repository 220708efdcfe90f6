"""Every check of doors.py fails on a planted violation."""

import unittest

import doors
from planted import PlantedCase

CLOCK = "include/regatta/base/clock.hpp"
CLOCK_SOURCE = "src/base/clock.cpp"
MAIN = "launcher/main.cpp"
SPEC = """#pragma once
struct Limits {
  int attempts = 3;
};
struct Measure {
  double margin = 0.01;  ///< why; not
  std::vector<int> steps{};
};
struct Sweep {
  Measure measure;
  Limits limits;
};
"""
READS = "int f(const Sweep& s) { return s.limits.attempts + s.measure.steps[0]; }\n"


class Functions(PlantedCase):
    def declared(self, text: str, **others: str) -> list[str]:
        files = {
            CLOCK: "#pragma once\nnamespace base {\n" + text + "\n}\n",
            CLOCK_SOURCE: "",
            MAIN: "",
        }
        return doors.uncalled_functions(self.tree({**files, **others}))

    def test_healthy_tree_has_no_problem(self) -> None:
        self.assertEqual(doors.uncalled_functions(self.tree()), [])

    def test_function_that_only_tests_call(self) -> None:
        problems = self.declared(
            "int now(int zone = 0);",
            **{
                CLOCK_SOURCE: "int base::now(int zone) { return zone; }\n",
                "tests/base/log_test.cpp": "int x = now();\n",
            },
        )
        self.assert_one(problems, f"{CLOCK}: now", "no code of the product calls it")

    def test_call_in_a_comment_or_a_text_is_none(self) -> None:
        main = '// now()\nvoid f(const char* text = "now()");\nint g() { f(); return g(); }\n'
        self.assert_one(self.declared("int now();", **{MAIN: main}), "now")

    def test_member_function_and_inline_one(self) -> None:
        text = "class Clock {\n public:\n  [[nodiscard]] int now() const { return 1; }\n};\ninline int then() { return 2; }"
        problems = self.declared(text)
        self.assertEqual([p.split(": ")[1] for p in problems], ["now", "then"])

    def test_call_with_template_arguments_is_one(self) -> None:
        main = "int main() { return as<std::vector<int>>().size() + as<int>(); }\n"
        text = "template <class T>\nT as();"
        self.assertEqual(self.declared(text, **{MAIN: main}), [])

    def test_called_functions(self) -> None:
        text = "int now();\nstd::vector<int> all(int (*f)());\nstruct A {\n  explicit A(int x);\n  std::function<int(int)> f;\n};"
        main = "int main() { const A a(1); return all(now).size(); }\n"
        self.assertEqual(self.declared(text, **{MAIN: main}), [])

    def test_listed_function(self) -> None:
        listed = {doors.UNCALLED: f"{CLOCK}: now  # why\n"}
        self.assertEqual(self.declared("int now();", **listed), [])
        called = {MAIN: "int main() { return now(); }\n"}
        self.assert_one(self.declared("int now();", **listed, **called), "take the line out")


class Keys(PlantedCase):
    def problems(self, reader: str, **others: str) -> list[str]:
        return doors.unread_keys(
            self.tree({doors.SPEC: SPEC, "src/model/model.cpp": reader, **others})
        )

    def test_tree_without_a_sweep(self) -> None:
        self.assertEqual(doors.unread_keys(self.tree()), [])

    def test_key_that_nobody_reads(self) -> None:
        self.assert_one(self.problems(READS), "Measure::margin")

    def test_reading_the_file_and_writing_do_not_count(self) -> None:
        reader = {
            "src/sweep/read_budgets.cpp": "void r(Measure& m) { if (m.margin > 0) m.margin = 1; }\n"
        }
        writer = "void w(Sweep& sweep) { sweep.measure.margin = 1; }\n"
        self.assert_one(self.problems(READS + writer, **reader), "Measure::margin")

    def test_member_of_another_struct_does_not_count(self) -> None:
        self.assert_one(
            self.problems(READS + "int g(const Page& p) { return p.margin; }\n"), "Measure::margin"
        )

    def test_read_key(self) -> None:
        self.assertEqual(
            self.problems(READS + "bool g(const Measure& m) { return m.margin == 1; }\n"), []
        )


class Rules(PlantedCase):
    BOOK = "# Rules\n\n## R1 Estimand\n\n| test | what |\n|---|---|\n| T1 replay | noise |\n"

    def problems(self, path: str, text: str, book: str | None = BOOK) -> list[str]:
        return doors.unknown_rules(self.tree({doors.RULE_BOOK: book, path: text}))

    def test_rules_with_a_text(self) -> None:
        self.assertEqual(self.problems("src/base/log.cpp", "int x = 1;  // R1, see T1\n"), [])

    def test_rule_without_a_text(self) -> None:
        self.assert_one(
            self.problems("src/base/log.cpp", "int x = 1;  // R7\n"), "src/base/log.cpp:1", "R7"
        )
        self.assert_one(self.problems("bench/x.py", '"""(T12)"""\n'), "bench/x.py:1", "T12")
        self.assert_one(self.problems("docs/page.md", "as R2 says\n"), "docs/page.md:1", "R2")

    def test_code_is_no_rule(self) -> None:
        self.assertEqual(self.problems("src/base/log.cpp", "template <class T2> int R2();\n"), [])

    def test_missing_book(self) -> None:
        self.assert_one(self.problems("src/base/log.cpp", "", None), "missing")

    def test_rule_says_where_it_lives(self) -> None:
        def problems(place: str) -> list[str]:
            book = f"### R1 Estimand\n\nText.\n\n- Built: so.\n{place}\n### R2 Verdict\n\n- Where: `log`.\n"
            return doors.rules_without_place(self.tree({doors.RULE_BOOK: book}))

        self.assertEqual(problems("- Where: `src/base`, `log` and\n  `model`.\n"), [])
        self.assert_one(problems("\n"), "R1 does not say")
        self.assert_one(problems("- Where: `gone`, `log`.\n"), "R1 lives in `gone`")


class ExitCodes(PlantedCase):
    def test_named_codes(self) -> None:
        text = "int main() { return failed ? exit_code::storage : 0; }\nint f() { return 2.5; }\n"
        self.assertEqual(doors.exit_codes(self.tree({MAIN: text})), [])

    def test_literals(self) -> None:
        planted = [
            "int main() { return 75; }",
            "void f() { ::_exit(74); }",
            "bool f() { return end.exit_code == 2; }",
            "int f() { return open ? 75 : 0; }",
            "constexpr int exit_storage = 74;",
            "void f() { int code = 70; }",
        ]
        for text in planted:
            self.assert_one(doors.exit_codes(self.tree({MAIN: text + "\n"})), f"{MAIN}:1")

    def test_every_code_stands_in_the_reference(self) -> None:
        header = {
            doors.EXIT_CODES: "inline constexpr int done = 0;\ninline constexpr int work_left = 75;\n"
        }
        page = "| code | meaning |\n|---|---|\n| 0 | done |\n{}\n75 is elsewhere\n"
        good = {**header, doors.EXIT_CODES_PAGE: page.format("| 75 | work is left |")}
        self.assertEqual(doors.exit_codes(self.tree(good)), [])
        bad = {**header, doors.EXIT_CODES_PAGE: page.format("")}
        self.assert_one(doors.exit_codes(self.tree(bad)), doors.EXIT_CODES_PAGE, "75 (work_left)")


if __name__ == "__main__":
    unittest.main()

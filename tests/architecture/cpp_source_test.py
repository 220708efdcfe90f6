"""The C++ counter finds functions and their lines in everything the tree may hold."""

import unittest

from cpp_source import comments, functions, includes


def found(text: str) -> list[tuple[str, int, int]]:
    return [(f.name, f.first_line, f.last_line) for f in functions(text)]


class Functions(unittest.TestCase):
    def test_namespaces_classes_and_members(self) -> None:
        text = """namespace a::b {
class C final : public D<int> {
 public:
  explicit C(int x) : x_{x}, y_(2) {
  }
  C() = default;
  int operator()(int i = 3) const noexcept { return i; }
  bool operator==(const C& o) const {
    return x_ == o.x_;
  }

 private:
  int x_{0};
  enum class E { one, two };
};
namespace {
auto f(std::vector<int> v = {1, 2}) -> std::vector<int> {
  return v;
}
}  // namespace
}
"""
        names = [("C", 4, 5), ("operator()", 7, 7), ("operator==", 8, 10), ("f", 17, 19)]
        self.assertEqual(found(text), names)

    def test_constructor_with_braced_members(self) -> None:
        text = "A::A(int x)\n    : B{x},\n      c_{1, {2}},\n      d_(3) {\n  run();\n}\nA::A() : b{1} {}\n"
        self.assertEqual(found(text), [("A::A", 1, 6), ("A::A", 7, 7)])

    def test_literals_and_comments_hide_braces(self) -> None:
        text = 'void f() {\n  auto s = R"x({ ")" {)x";\n  char c = \'{\';\n  g("{", "\\"{"); // {\n  /* { */ int n = 1\'000\'000;\n}\nint after() { return 0; }\n'
        self.assertEqual(found(text), [("f", 1, 6), ("after", 7, 7)])

    def test_initialisers_are_no_functions_but_their_lambdas_are(self) -> None:
        text = """const std::vector<Row> table = {
    {"a", 1},
    {"b", [](int x) {
       return x;
     }},
};
constexpr std::array<int, 2> pair{1, 2};
const auto g = [](int x) -> int {
  return x;
};
"""
        self.assertEqual([(f.lines) for f in functions(text)], [3, 3])

    def test_lambdas_count_with_their_function(self) -> None:
        text = "void f() {\n  auto g = [] { struct S { int x; }; };\n  if (x) {\n  }\n}\n"
        self.assertEqual(found(text), [("f", 1, 5)])

    def test_templates_requires_and_attributes(self) -> None:
        text = """template <class T = std::vector<int>, int N = 3>
  requires std::integral<T>
[[nodiscard]] constexpr T f(T x) noexcept(N > 2) {
  return x;
}
template <>
struct Hash<int> {
  std::size_t operator()(int x) const { return x; }
};
struct alignas(64) Padded { int x; };
"""
        self.assertEqual([name for name, _, _ in found(text)], ["f", "operator()"])

    def test_first_preprocessor_branch_counts(self) -> None:
        text = "#define BIG(x) \\\n  { x\n#if A\nvoid f() {\n#else\nvoid f(int) {\n#endif\n}\nvoid g() {}\n"
        self.assertEqual(found(text), [("f", 4, 8), ("g", 9, 9)])

    def test_test_macros_have_names(self) -> None:
        self.assertEqual(found("TEST(Clock, moves) {\n}\n"), [("TEST(Clock, moves)", 1, 2)])

    def test_extern_c(self) -> None:
        self.assertEqual(found('extern "C" {\nint f() { return 1; }\n}\n'), [("f", 2, 2)])

    def test_unclosed_brace_is_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, "line 2"):
            functions("\nvoid f() {\n")


class Includes(unittest.TestCase):
    def test_quoted_and_angled(self) -> None:
        text = '#include <vector>\n// #include "a.hpp"\n#  include "b/c.hpp"  // why\n'
        self.assertEqual(includes(text), [(1, "vector", False), (3, "b/c.hpp", True)])


class Comments(unittest.TestCase):
    def test_lines_of_one_comment_are_joined(self) -> None:
        text = "/// One\n/// and more.\nint x;  ///< two\n        ///< lines\nint y;  // three\n"
        self.assertEqual(comments(text), [(1, "One and more."), (3, "two lines"), (5, "three")])

    def test_comments_beside_neighbouring_lines_are_apart(self) -> None:
        self.assertEqual(comments("a();  // x\nb();  // y\n"), [(1, "x"), (2, "y")])

    def test_texts_hold_none(self) -> None:
        self.assertEqual(comments('f("http://a", R"(// b)");\n'), [])


if __name__ == "__main__":
    unittest.main()

"""Every check of units.py fails on a planted violation."""

import unittest

import units
from planted import PlantedCase

CIRCLE = {
    "src/base/log.cpp": '#include "base/sink.hpp"\n',
    "src/base/sink.hpp": '#pragma once\n#include "regatta/base/log.hpp"\n',
}
LOOP = "workers/python/regatta_worker/loop.py"
LINK = "workers/python/regatta_worker/link.py"


class Circles(PlantedCase):
    def test_healthy_tree_has_no_problem(self) -> None:
        self.assertEqual(units.circles(self.tree()), [])
        self.assertEqual(units.full_rooms(self.tree()), [])

    def test_header_and_source_are_one_unit(self) -> None:
        graph = units.include_graph(self.tree())
        self.assertEqual(graph["model/model"], {"base/log", "model/rows"})

    def test_header_without_its_folder_is_found(self) -> None:
        tree = self.tree(
            {"launcher/wait.hpp": "#pragma once\n", "launcher/main.cpp": '#include "wait.hpp"\n'}
        )
        self.assertEqual(units.include_graph(tree)["launcher/main"], {"launcher/wait"})

    def test_circle_of_units(self) -> None:
        self.assert_one(units.circles(self.tree(CIRCLE)), "base/log base/sink", "in a circle")

    def test_circle_through_a_public_header_in_angle_brackets(self) -> None:
        circle = {**CIRCLE, "src/base/sink.hpp": "#pragma once\n#include <regatta/base/log.hpp>\n"}
        self.assert_one(units.circles(self.tree(circle)), "in a circle")

    def test_circle_of_python_modules_by_a_late_import(self) -> None:
        tree = self.tree({LINK: "from . import loop\n", LOOP: "def f():\n    from . import link\n"})
        self.assert_one(units.circles(tree), "regatta_worker.link regatta_worker.loop")

    def test_circle_of_scripts(self) -> None:
        tree = self.tree({"bench/a.py": "import b\n", "bench/b.py": "from a import x\n"})
        self.assert_one(units.circles(tree), "bench.a bench.b")

    def test_listed_circle_is_excused(self) -> None:
        tree = self.tree({**CIRCLE, units.CIRCLES: "# why\nbase/log base/sink\n"})
        self.assertEqual(units.circles(tree), [])

    def test_listed_circle_may_not_grow(self) -> None:
        grown = {"src/base/sink.hpp": '#pragma once\n#include "base/third.hpp"\n'}
        third = {"src/base/third.hpp": '#pragma once\n#include "regatta/base/log.hpp"\n'}
        listed = {units.CIRCLES: "base/log base/sink\n"}
        problems = units.circles(self.tree({**CIRCLE, **grown, **third, **listed}))
        self.assertIn("base/log base/sink base/third: these include", problems[0])

    def test_circle_that_shrank_or_went(self) -> None:
        tree = self.tree({**CIRCLE, units.CIRCLES: "base/log base/sink base/third\n"})
        self.assert_one(units.circles(tree), "has shrunk; write 'base/log base/sink'")
        tree = self.tree(
            {
                units.CIRCLES: "base/log model/model\n",
                "src/base/sink.hpp": "#pragma once\n",
                "src/base/log.cpp": "",
            }
        )
        self.assert_one(units.circles(tree), "take it out")


class Rooms(PlantedCase):
    def crowd(self, count: int) -> dict[str, str | None]:
        return {f"src/model/unit{number}.cpp": "" for number in range(count - 2)}

    def test_full_room(self) -> None:
        tree = self.tree(self.crowd(units.MOST_UNITS + 1))
        self.assert_one(units.full_rooms(tree), "model: 26 units, more than 25")

    def test_listed_room_may_only_shrink(self) -> None:
        crowd = self.crowd(30)
        for line, word in (
            ("model 29", "30 units, more than 29"),
            ("model 31", "write 'model 30'"),
        ):
            self.assert_one(units.full_rooms(self.tree({**crowd, units.FULL_ROOMS: line})), word)
        self.assertEqual(units.full_rooms(self.tree({**crowd, units.FULL_ROOMS: "model 30"})), [])

    def test_listed_room_that_is_small_or_gone(self) -> None:
        for line in ("model 30", "nowhere 30"):
            self.assert_one(
                units.full_rooms(self.tree({units.FULL_ROOMS: line})), "take the line out"
            )


if __name__ == "__main__":
    unittest.main()

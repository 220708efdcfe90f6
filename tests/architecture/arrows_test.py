"""Every check of arrows.py passes on a healthy tree and fails on a planted violation."""

import unittest

import arrows
from planted import ARCHITECTURE, PlantedCase
from tree import Tree, parse_table


class Table(unittest.TestCase):
    def test_reads_uses_and_limits(self) -> None:
        rows = parse_table(ARCHITECTURE)
        self.assertEqual(rows["launcher"].uses, {"base", "model"})
        self.assertEqual(rows["base"].uses, frozenset())
        self.assertEqual(rows["model"].third_party, {"nlohmann/json": 1})
        self.assertEqual(rows["base"].third_party, {"fmt": None})
        self.assertEqual(rows["tests"].uses, rows.keys())

    def test_refuses_a_folder_that_has_no_row(self) -> None:
        with self.assertRaisesRegex(ValueError, "'sweep' is no folder"):
            parse_table(ARCHITECTURE.replace("| base |", "| base, sweep |"))

    def test_refuses_a_folder_that_has_two_rows(self) -> None:
        again = "| `model` | models once more | base | none |\n| `launcher`"
        with self.assertRaisesRegex(ValueError, "several rows for model"):
            parse_table(ARCHITECTURE.replace("| `launcher`", again, 1))

    def test_refuses_a_page_without_the_table(self) -> None:
        with self.assertRaisesRegex(ValueError, "no table"):
            parse_table("# nothing\n")


class Includes(PlantedCase):
    def test_healthy_tree_has_no_problem(self) -> None:
        tree = self.tree()
        checks = (
            arrows.include_arrows,
            arrows.cycles,
            arrows.link_arrows,
            arrows.third_party_includes,
            arrows.third_party_links,
            arrows.python_imports,
        )
        for check in checks:
            self.assertEqual(check(tree), [], check.__name__)

    def test_upward_arrow(self) -> None:
        tree = self.tree({"src/base/log.cpp": '#include "regatta/model/model.hpp"\n'})
        self.assert_one(arrows.include_arrows(tree), "src/base/log.cpp:1", "base may not use model")

    def test_upward_arrow_in_angle_brackets(self) -> None:
        tree = self.tree({"src/base/log.cpp": "#include <regatta/model/model.hpp>\n"})
        self.assert_one(arrows.include_arrows(tree), "base may not use model")

    def test_commented_include_does_not_count(self) -> None:
        tree = self.tree({"src/base/log.cpp": '/*\n#include "regatta/model/model.hpp"\n*/\n'})
        self.assertEqual(arrows.include_arrows(tree), [])

    def test_foreign_private_header(self) -> None:
        tree = self.tree({"launcher/main.cpp": '#include "model/rows.hpp"\n'})
        self.assert_one(arrows.include_arrows(tree), "private header of model")

    def test_private_header_of_another_room(self) -> None:
        rooms = "| `model/read` | reading | model | none |\n| `model/plan` | plans | model/read | none |\n"
        table = ARCHITECTURE.replace("| `launcher`", rooms + "| `launcher`")
        files = {
            "docs/architecture.md": table,
            "src/model/read/cursor.hpp": "#pragma once\n",
            "src/model/plan/expand.cpp": '#include "model/read/cursor.hpp"\n',
        }
        self.assertEqual(arrows.include_arrows(self.tree(files)), [])
        files["src/model/read/cursor.cpp"] = '#include "model/plan/expand.hpp"\n'
        upward = arrows.include_arrows(self.tree(files))
        self.assert_one(upward, "src/model/read/cursor.cpp:1", "model/read may not use model/plan")

    def test_climbing_include(self) -> None:
        tree = self.tree({"launcher/main.cpp": '#include "../src/model/rows.hpp"\n'})
        self.assert_one(arrows.include_arrows(tree), "climbs out")

    def test_file_outside_the_table(self) -> None:
        self.assert_one(
            arrows.include_arrows(self.tree({"extra/x.cpp": ""})), "extra/x.cpp", "no folder"
        )

    def test_circle_in_the_table(self) -> None:
        table = ARCHITECTURE.replace("| nothing | fmt |", "| model | fmt |")
        tree = self.tree({"docs/architecture.md": table})
        self.assert_one(arrows.cycles(tree), "base, launcher, model")


class Links(PlantedCase):
    def test_library_links_too_much(self) -> None:
        tree = self.tree({"src/base/CMakeLists.txt": "regatta_library(base USES model)\n"})
        self.assert_one(arrows.link_arrows(tree), "src/base", "links model")

    def test_library_links_too_little(self) -> None:
        tree = self.tree({"src/model/CMakeLists.txt": "regatta_library(model SOURCES model.cpp)\n"})
        self.assert_one(arrows.link_arrows(tree), "does not link base")

    def test_program_links_too_much(self) -> None:
        table = ARCHITECTURE.replace("| base, model | none |", "| base | none |")
        self.assert_one(
            arrows.link_arrows(self.tree({"docs/architecture.md": table})),
            "launcher",
            "links model",
        )

    def test_third_party_target(self) -> None:
        added = "target_link_libraries(regatta_base PRIVATE HDF5::HDF5) # HDF5\n"
        tree = self.tree({"src/base/CMakeLists.txt": added})
        self.assert_one(arrows.third_party_links(tree), "HDF5::HDF5", "base may not use HDF5")


class RoomLinks(PlantedCase):
    """Rooms of the launcher are targets of their own."""

    ROOMS = ARCHITECTURE.replace(
        "| `launcher` | the program | base, model | none |",
        "| `launcher/os` | the kernel | base | none |\n"
        "| `launcher/ranks` | ranks | model, launcher/os | none |\n"
        "| `launcher` | the program | base, model, launcher/ranks | none |",
    )
    RANKS = "launcher/ranks/CMakeLists.txt"

    def rooms(self, ranks: str, **others: str) -> Tree:
        table = {"docs/architecture.md": self.ROOMS, self.RANKS: ranks}
        return self.tree(
            {**table, "launcher/os/CMakeLists.txt": "regatta_room(os USES base)\n", **others}
        )

    def test_room_links_its_row(self) -> None:
        self.assertEqual(
            arrows.link_arrows(self.rooms("regatta_room(ranks USES model ROOMS os)\n")), []
        )

    def test_room_links_too_much(self) -> None:
        tree = self.rooms("regatta_room(ranks USES model base ROOMS os)\n")
        self.assert_one(arrows.link_arrows(tree), self.RANKS, "links base")

    def test_room_links_too_little(self) -> None:
        tree = self.rooms("regatta_room(ranks USES model)\n")
        self.assert_one(arrows.link_arrows(tree), self.RANKS, "does not link launcher/os")

    def test_room_includes_upward(self) -> None:
        files = {
            "launcher/ranks/rank.hpp": "#pragma once\n",
            "launcher/os/wait.hpp": "#pragma once\n",
            "launcher/os/wait.cpp": '#include "ranks/rank.hpp"\n',
            "launcher/ranks/rank.cpp": '#include "os/wait.hpp"\n',
        }
        tree = self.rooms("regatta_room(ranks USES model ROOMS os)\n", **files)
        self.assert_one(
            arrows.include_arrows(tree),
            "launcher/os/wait.cpp:1",
            "launcher/os may not use launcher/ranks",
        )

    def test_room_uses_more_than_its_library_links(self) -> None:
        rooms = "| `base/log` | logs | model | none |\n| `launcher` |"
        table = {"docs/architecture.md": ARCHITECTURE.replace("| `launcher` |", rooms)}
        self.assert_one(
            arrows.wide_rooms(self.tree(table)), "base/log may use model", "row of base"
        )
        self.assertEqual(arrows.wide_rooms(self.rooms("")), [])


class ThirdParty(PlantedCase):
    def test_folder_that_may_not(self) -> None:
        tree = self.tree({"launcher/main.cpp": "#include <mpi.h>\n"})
        self.assert_one(arrows.third_party_includes(tree), "launcher may not use MPI")

    def test_public_header(self) -> None:
        tree = self.tree({"include/regatta/base/log.hpp": "#include <fmt/format.h>\n"})
        self.assert_one(arrows.third_party_includes(tree), "public header")

    def test_more_files_than_allowed(self) -> None:
        tree = self.tree({"src/model/rows.hpp": "#include <nlohmann/json_fwd.hpp>\n"})
        self.assert_one(
            arrows.third_party_includes(tree), "2 files include nlohmann/json", "allows 1"
        )

    def test_unknown_part(self) -> None:
        tree = self.tree({"launcher/main.cpp": "#include <eigen3/Eigen/Core>\n"})
        self.assert_one(arrows.third_party_includes(tree), "unknown part")

    def test_every_named_part_is_recognised(self) -> None:
        headers = {
            "fmt": "fmt/core.h",
            "nlohmann/json": "nlohmann/json.hpp",
            "Boost.Math": "boost/math/distributions/students_t.hpp",
            "oneTBB": "oneapi/tbb/parallel_for.h",
            "zlib": "zlib.h",
            "libzip": "zip.h",
            "libjpeg": "jpeglib.h",
            "libpng": "png.h",
            "HDF5": "hdf5.h",
            "MPI": "mpi.h",
            "CLI11": "CLI/CLI.hpp",
            "CUDA": "cuda_runtime_api.h",
            "hwloc": "hwloc.h",
            "GoogleTest": "gmock/gmock.h",
            "Google Benchmark": "benchmark/benchmark.h",
        }
        self.assertEqual(
            {name: arrows.third_party_of(h) for name, h in headers.items()}, {n: n for n in headers}
        )
        self.assertEqual(headers.keys(), arrows.THIRD_PARTY.keys())

    def test_python_module(self) -> None:
        tree = self.tree(
            {"workers/python/regatta_worker/loop.py": "def f():\n    import torch.nn\n"}
        )
        self.assert_one(arrows.python_imports(tree), "loop.py:2", "imports torch")


class PythonRooms(PlantedCase):
    ROOMS = ARCHITECTURE.replace(
        "| `tests` |",
        "| `workers/python/regatta_worker/engines/torch` | an engine | workers/python | torch |\n| `tests` |",
    )
    ENGINE = "workers/python/regatta_worker/engines/torch/engine.py"

    def problems(self, engine: str, loop: str = "") -> list[str]:
        table = {"docs/architecture.md": self.ROOMS}
        files = {self.ENGINE: engine, "workers/python/regatta_worker/loop.py": loop}
        return arrows.python_imports(self.tree({**table, **files}))

    def test_room_uses_what_its_row_names(self) -> None:
        self.assertEqual(
            self.problems("import torch.nn\nfrom ... import loop\nfrom ...loop import x\n"), []
        )

    def test_foreign_framework_in_a_room(self) -> None:
        self.assert_one(self.problems("import numpy\n"), f"{self.ENGINE}:1", "imports numpy")

    def test_upward_import(self) -> None:
        loop = "def f():\n    from .engines.torch import engine\n"
        self.assert_one(
            self.problems("", loop), "loop.py:2", "workers/python may not use workers/python/"
        )


class UnknownImports(PlantedCase):
    def problems(self, text: str) -> list[str]:
        return arrows.unknown_imports(
            self.tree(
                {
                    "tools/__init__.py": "",
                    "tools/worker.py": "",
                    "tests/x.py": "",
                    "tests/y.py": text,
                }
            )
        )

    def test_known_imports(self) -> None:
        text = "import json\nimport numpy as np\nimport x\nfrom tools.worker import W\nfrom tools import worker\n"
        self.assertEqual(self.problems(text + "from regatta_worker import loop\n"), [])

    def test_import_that_leads_nowhere(self) -> None:
        self.assert_one(
            self.problems("from regatta_process import S\n"), "tests/y.py:1", "regatta_process"
        )
        self.assert_one(self.problems("from tools.gone import S\n"), "tests/y.py:1", "tools.gone")


class UnusedArrows(PlantedCase):
    def test_arrow_that_nobody_goes(self) -> None:
        tree = self.tree(
            {"src/model/model.cpp": "", "include/regatta/model/model.hpp": "#pragma once\n"}
        )
        problems = arrows.unused_arrows(tree)
        self.assertIn(
            "docs/architecture.md: model may use base, but includes nothing of it", problems
        )

    def test_arrows_of_a_healthy_tree(self) -> None:
        main = {
            "launcher/main.cpp": '#include "regatta/base/log.hpp"\n#include "regatta/model/model.hpp"\n'
        }
        self.assertEqual(arrows.unused_arrows(self.tree(main)), [])


if __name__ == "__main__":
    unittest.main()

"""A small, healthy tree for tests of the checks, in which violations are planted."""

import tempfile
import unittest
from pathlib import Path

from tree import Tree

ARCHITECTURE = """
| folder | what lives there | may use | third-party code |
|---|---|---|---|
| `base` | words | nothing | fmt |
| `model` | layers | base | nlohmann/json (1 file) |
| `launcher` | the program | base, model | none |
| `workers/python` | a package | nothing | numpy |
| `tests` | tests | all | GoogleTest |
"""

HEALTHY = {
    "docs/architecture.md": ARCHITECTURE,
    "docs/dependencies.md": "`fmt` `libfmt-dev` `nlohmann_json`\n",
    "scripts/packages-build.txt": "# words\nlibfmt-dev\n",
    "CMakeLists.txt": "find_package(fmt REQUIRED)\nfind_package(nlohmann_json REQUIRED)\n",
    "include/regatta/base/log.hpp": "#pragma once\n#include <string>\n",
    "include/regatta/model/model.hpp": '#pragma once\n#include "regatta/base/log.hpp"\n',
    "src/base/CMakeLists.txt": "regatta_library(base SOURCES log.cpp THIRD_PARTY fmt::fmt)\n",
    "src/base/log.cpp": '#include "regatta/base/log.hpp"\n#include <fmt/format.h>\n#include <sys/stat.h>\n',
    "src/model/CMakeLists.txt": "regatta_library(model SOURCES model.cpp USES base THIRD_PARTY nlohmann_json::nlohmann_json)\n",
    "src/model/model.cpp": '#include "regatta/model/model.hpp"\n#include "model/rows.hpp"\n#include <nlohmann/json.hpp>\n',
    "src/model/rows.hpp": "#pragma once\n",
    "launcher/CMakeLists.txt": "target_link_libraries(regatta PRIVATE regatta_model regatta_settings)\n",
    "workers/python/regatta_worker/loop.py": "import sys\nimport numpy.linalg\nfrom regatta_worker import loop\nfrom . import loop\n",
    "tests/base/log_test.cpp": "",
    "tests/model/model_test.cpp": '#include "model/rows.hpp"\n#include <gtest/gtest.h>\n',
}


class PlantedCase(unittest.TestCase):
    """Gives each test its own copy of the healthy tree."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def tree(self, changed: dict[str, str | None] | None = None) -> Tree:
        """The healthy tree with files replaced, added or (None) taken out."""
        files = {
            path: text for path, text in {**HEALTHY, **(changed or {})}.items() if text is not None
        }
        for path, text in files.items():
            target = Path(self.folder.name) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        return Tree(Path(self.folder.name), list(files))

    def assert_one(self, problems: list[str], *words: str) -> None:
        """Exactly one problem, which holds all these words."""
        self.assertEqual(len(problems), 1, problems)
        for word in words:
            self.assertIn(word, problems[0])

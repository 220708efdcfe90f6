"""Commands in README.md and docs/ work as a reader types them, and the programs read the JSON they show."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from tools.markdown_blocks import TAGS, Block, blocks, scripts_named, write_files  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin"
# A block that trains beside a compile took 285 s where 77 s are enough alone: this only ends one that hangs.
COMMAND_SECONDS = 1200


def pages() -> list[str]:
    roots = ["CONTRIBUTING.md", "README.md", "SECURITY.md"]
    return [*roots, *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]


def blocks_of(page: str) -> list[Block]:
    return blocks(page, (ROOT / page).read_text(encoding="utf-8"))


def all_blocks(tag: str) -> list[Block]:
    return [block for page in pages() for block in blocks_of(page) if block.tag == tag]


class Docs(unittest.TestCase):
    """Each page's `sh` blocks run in order in one scratch folder, in which the checkout's files are at hand, and the
    blocks that are files."""

    def environment(self) -> dict[str, str]:
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return {**os.environ, **root, "PATH": path}

    def scratch(self, folder: str) -> Path:
        scratch = Path(folder)
        for name in ("sweeps", "slurm", "docs"):
            (scratch / name).symlink_to(ROOT / name)
        (scratch / "build").mkdir()
        for name in ("bin", "share"):
            (scratch / "build" / name).symlink_to(BIN.parent / name)
        return scratch

    def test_programs_are_built(self) -> None:
        self.assertTrue((BIN / "regatta").is_file(), f"no {BIN}/regatta; build first")

    def test_commands_run(self) -> None:
        ran = 0
        for page in pages():
            with tempfile.TemporaryDirectory() as folder:
                scratch = self.scratch(folder)
                write_files(blocks_of(page), scratch)
                for block in (b for b in blocks_of(page) if b.tag == "sh"):
                    self.run_block(block, scratch)
                    ran += 1
        self.assertGreater(ran, 0, "no page has a ```sh block")

    def run_block(self, block: Block, scratch: Path) -> None:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.text],
            cwd=scratch,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            stdin=subprocess.DEVNULL,
        )
        self.assertEqual(done.returncode, 0, f"{block}\n{block.text}\n{done.stdout}{done.stderr}")

    def test_the_reference_names_each_command_in_the_words_of_its_help(self) -> None:
        command = [str(BIN / "regatta"), "--help"]
        page = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
        told = re.findall(
            r"^  ([a-z]+) {2,}(\S.*)$", page.partition("\nCommands:\n")[2], re.MULTILINE
        )
        self.assertTrue(told, page)
        reference = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
        stated = re.findall(r"^\| `regatta (\w+)` \| (.*) \|$", reference, re.MULTILINE)
        self.assertEqual(stated, told)

    def test_sweeps_are_accepted(self) -> None:
        files = sorted((ROOT / "sweeps").glob("*.json"))
        self.assertTrue(files, "no ready sweeps")
        shown = [block for block in all_blocks("json") if '"regatta": 1' in block.text]
        self.assertTrue(shown, "no page shows a sweep")
        for block in shown:
            with tempfile.TemporaryDirectory() as folder:
                write_files(blocks_of(block.page), Path(folder))
                file = Path(folder) / "block.json"
                file.write_text(block.text, encoding="utf-8")
                self.plan(str(block), file)
        for file in files:
            self.plan(file.name, file)

    def plan(self, name: str, file: Path) -> None:
        """Environments that it names need not be installed here."""
        text = file.read_text(encoding="utf-8")
        declared = json.loads(text).get("environments", {})
        named = re.findall(r'"(torch|tensorflow|jax|numpy)@([\w.-]+)', text)
        stand_ins = {
            environment: {"engine": engine, "python": "python3"}
            for engine, environment in named
            if environment not in declared
        }
        with tempfile.NamedTemporaryFile("w", suffix=".json") as environments:
            json.dump(stand_ins, environments)
            environments.flush()
            command = [str(BIN / "regatta"), "plan", str(file), "--json"]
            command += ["--environments", environments.name]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
        self.assertGreater(json.loads(done.stdout)["points"], 0, name)


class Blocks(unittest.TestCase):
    """Rules that need no program, and the reader of the pages itself."""

    def test_json_is_json(self) -> None:
        for block in all_blocks("json"):
            lines = [line for line in block.text.split("\n") if line.strip()]
            try:
                json.loads(block.text)
            except ValueError:
                for line in lines:  # else one message a line, as on the workers' link
                    self.assertIsInstance(json.loads(line), dict, str(block))

    def test_tags_are_known(self) -> None:
        for page in pages():
            for block in blocks(page, (ROOT / page).read_text(encoding="utf-8")):
                self.assertIn(block.tag, TAGS, str(block))

    def test_scripts_named_exist_and_parse(self) -> None:
        named = {
            (str(b), s) for tag in ("bash", "sh") for b in all_blocks(tag) for s in scripts_named(b)
        }
        self.assertIn("scripts/quickstart.sh", {script for _, script in named})
        self.assertIn("scripts/test.sh", {script for _, script in named})
        for where, script in sorted(named):
            self.assertTrue((ROOT / script).is_file(), f"{where}: {script} does not exist")
            self.assertEqual(subprocess.run(["bash", "-n", ROOT / script]).returncode, 0, script)

    def test_reads_blocks(self) -> None:
        text = "a\n```sh\nx # y.sh\nbash z.sh\n```\n```\nq\n```\n```python a.py\nb\n```\n"
        found = blocks("p.md", text)
        self.assertEqual([(b.tag, b.line) for b in found], [("sh", 3), ("", 7), ("python", 10)])
        self.assertEqual([b.file for b in found], ["", "", "a.py"])
        self.assertEqual(scripts_named(found[0]), ["z.sh"])

    def test_refuses_an_open_block(self) -> None:
        with self.assertRaisesRegex(ValueError, "p.md:2: .* never closed"):
            blocks("p.md", "```sh\nx\n")


if __name__ == "__main__":
    unittest.main()

"""scripts/crash_table.py: what docs/background/reliability.md says of crash states and damage."""

import tempfile
import unittest
from pathlib import Path

from scripts import crash_table
from tools import page_part

OUTPUT = """[ RUN      ] JournalCrash.X
journal, two sessions: 61 operations, 62 points (all states of 53), 1443 states built, 169 that differ resumed, 0 lost (seed 1)
result file: 12 operations, 13 points (all states of 11), 88 states built, 31 that differ resumed, 0 lost (seed 1)
journal, flipped bits: 13016 journals, 48 as it was, 12968 refused, 0 wrong
NAME.h5, a flipped bit: 3113 files, all refused (seed 1)
samples.bin, damaged by the dice: 3000 files, 2335 with a refusal, 0 wrong
"""


class CrashTable(unittest.TestCase):
    def test_states_are_counted_each_and_together(self) -> None:
        lines = crash_table.states(OUTPUT).split("\n")
        self.assertEqual(lines[2], "| journal, two sessions | 61 | 62 | 53 | 1,443 | 169 | 0 |")
        self.assertEqual(lines[4], "| together | 73 | 75 | 64 | 1,531 | 200 | 0 |")

    def test_damage_says_what_became_of_the_files(self) -> None:
        lines = crash_table.damage(OUTPUT).split("\n")
        self.assertEqual(
            lines[2:],
            [
                "| journal, flipped bits | 13,016 | 48 as it was, 12,968 refused | 0 |",
                "| NAME.h5, a flipped bit | 3,113 | 3,113 refused | 0 |",
                "| samples.bin, damaged by the dice | 3,000 | 2,335 with a refusal | 0 |",
            ],
        )

    def test_page_keeps_what_stands_around_the_tables(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page, program = Path(folder) / "page.md", "crash_table.py"
            begin, end = page_part.marks(program)
            page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
            page_part.write(page, program, "new")
            self.assertEqual(
                page.read_text(),
                f"before\n{begin}\n\nnew\n\n{end}\nafter\n",
            )
            page.write_text("nothing\n")
            self.assertRaises(SystemExit, page_part.write, page, program, "new")


if __name__ == "__main__":
    unittest.main()

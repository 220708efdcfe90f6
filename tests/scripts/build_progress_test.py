"""scripts/build_progress.sh: what a newcomer sees while it builds."""

import subprocess
import unittest

from tools import ROOT


def shown(lines: str) -> str:
    command = ["bash", str(ROOT / "scripts" / "build_progress.sh"), "0"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stderr


class BuildProgress(unittest.TestCase):
    def test_says_how_far_it_is(self) -> None:
        self.assertEqual(
            shown("[1/4] Building a\nwarning\n[4/4] Linking b\n"),
            "[1/4] about 0 s left\n[4/4] about 0 s left\n",
        )

    def test_looking_for_changed_files_is_no_step(self) -> None:
        looking = "[0/2] Re-checking globbed directories...\n"
        self.assertEqual(shown(looking + "[1/4] Building a\n"), "[1/4] about 0 s left\n")


if __name__ == "__main__":
    unittest.main()

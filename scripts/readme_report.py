"""Puts a real run of the quickstart into README.md (what it printed) and docs/report.png (what its page looks like).

Run by hand after the report has changed, on a quiet machine, with Regatta built and Chromium installed:

    python3 -m scripts.readme_report
    python3 -m scripts.readme_report --picture results/quickstart.html   # only the picture, of a page that is there
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from scripts.printed_run import ROOT, begin_line, run_sweep, write_picture, write_printed

PICTURE = ROOT / "docs" / "report.png"
PICTURE_SIZE = (960, 1500)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--picture", type=Path, help="only the picture, of this page")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.picture:
            page = arguments.picture.read_text(encoding="utf-8")
        else:
            printed, page = run_sweep("quickstart", folder)
            write_printed(ROOT / "README.md", begin_line("quickstart", "readme_report.py"), printed)
        write_picture(page, folder, PICTURE, PICTURE_SIZE)


if __name__ == "__main__":
    main()

"""Puts a real run of the quickstart into README.md (what it printed) and docs/report.png (what its page looks like).

Run by hand after the report has changed, on a quiet machine, with Regatta built and Chromium installed:

    python3 scripts/readme_report.py
    python3 scripts/readme_report.py --picture results/quickstart.html   # only the picture, of a page that is there
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "report.png"
BEGIN = "<!-- what `regatta run sweeps/quickstart.json` printed: scripts/readme_report.py -->\n"
END = "<!-- end -->\n"
PICTURE_BYTES = 300_000
PICTURE_SIZE = (960, 1500)
HOST = "vm"  # in place of the name of the machine


def without_host(text: str) -> str:
    return text.replace(socket.gethostname(), HOST)


def run_quickstart(folder: Path) -> tuple[str, str]:
    """What it prints on stdout, and its page."""
    (folder / "sweeps").symlink_to(ROOT / "sweeps")
    path = f"{ROOT / 'build' / 'bin'}:{os.environ['PATH']}"  # the page shows the command, without our folders
    command = ["env", f"PATH={path}", "regatta", "run", "sweeps/quickstart.json"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"readme_report.py: the quickstart ended with {done.returncode}; see above")
    return done.stdout, (folder / "results" / "quickstart.html").read_text(encoding="utf-8")


def write_readme(printed: str) -> None:
    text = README.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"readme_report.py: README.md has lost '{BEGIN.strip()}' or '{END.strip()}'")
    block = f"```text\n{without_host(printed).strip()}\n```\n"
    README.write_text(before + begin + block + end + after, encoding="utf-8")


def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    sys.exit("readme_report.py: no Chromium found (it takes the picture); install chromium")


def write_picture(page: str, folder: Path) -> None:
    file = folder / "page.html"
    file.write_text(without_host(page), encoding="utf-8")
    width, height = PICTURE_SIZE
    command = [
        chromium(),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--window-size={width},{height}",
        f"--screenshot={PICTURE}",
        f"file://{file}",
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    size = PICTURE.stat().st_size
    if size > PICTURE_BYTES:
        sys.exit(f"readme_report.py: {PICTURE} has {size} bytes, more than {PICTURE_BYTES}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--picture", type=Path, help="only the picture, of this page")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.picture:
            page = arguments.picture.read_text(encoding="utf-8")
        else:
            printed, page = run_quickstart(folder)
            write_readme(printed)
        write_picture(page, folder)


if __name__ == "__main__":
    main()

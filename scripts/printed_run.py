"""A real run for a page of the documentation: what it printed, and what its HTML page looks like."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
END = "<!-- end -->\n"
PICTURE_BYTES = 300_000
HOST = "vm"  # in place of the name of the machine


def without_host(text: str) -> str:
    return text.replace(socket.gethostname(), HOST)


def run_sweep(name: str, folder: Path, *options: str) -> tuple[str, str]:
    """The text that `regatta run sweeps/NAME.json` prints on stdout, and its page."""
    if not (folder / "sweeps").exists():
        (folder / "sweeps").symlink_to(ROOT / "sweeps")
    path = f"{ROOT / 'build' / 'bin'}:{os.environ['PATH']}"  # the page shows the command, without our folders
    command = ["env", f"PATH={path}", "regatta", "run", f"sweeps/{name}.json", *options]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}: the run ended with {done.returncode}; see above")
    return done.stdout, (folder / "results" / f"{name}.html").read_text(encoding="utf-8")


def begin_line(name: str, script: str) -> str:
    """The line before the printed text in a page."""
    return f"<!-- what `regatta run sweeps/{name}.json` printed: scripts/{script} -->\n"


def write_printed(page: Path, begin: str, printed: str) -> None:
    """Puts the text between `begin` and the end mark of the page."""
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, end, after = rest.partition(END)
    if not found or not end:
        sys.exit(f"{page} has lost '{begin.strip()}' or '{END.strip()}'")
    block = f"```text\n{without_host(printed).strip()}\n```\n"
    page.write_text(before + begin + block + end + after, encoding="utf-8")


def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    sys.exit("no Chromium found (it takes the picture); install chromium")


def write_picture(page: str, folder: Path, picture: Path, size: tuple[int, int]) -> None:
    file = folder / "page.html"
    file.write_text(without_host(page), encoding="utf-8")
    width, height = size
    command = [
        chromium(),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--window-size={width},{height}",
        f"--screenshot={picture}",
        f"file://{file}",
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    taken = picture.stat().st_size
    if taken > PICTURE_BYTES:
        sys.exit(f"{picture} has {taken} bytes, more than {PICTURE_BYTES}")

"""A bench whose rounds are recorded: more are added to those of before, and a page is written of all."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from bench.native_vs_frameworks import machine_text
from bench.orchestrators import busy_cores
from bench.performance_page import wrapped

JSON = dict[str, Any]


def run_rounds(
    options: Namespace, one_round: Callable[[], JSON], page_of: Callable[[JSON], str]
) -> int:
    """Does what the options of bench.orchestrators.options_of() ask for. Returns the exit status."""
    if not options.page_only:
        is_new = options.fresh or not options.record.exists()
        record = {"rounds": []} if is_new else json.loads(options.record.read_text())
        record |= {
            "machine": machine_text(),
            "utc": datetime.now(UTC).isoformat(timespec="minutes"),
            "load": busy_cores(),
        }
        while len(record["rounds"]) < options.rounds:
            record["rounds"].append(one_round())
            options.record.write_text(json.dumps(record, indent=1) + "\n")
            print(f"round {len(record['rounds'])}", flush=True)
    options.page.write_text(wrapped(page_of(json.loads(options.record.read_text()))))
    return 0

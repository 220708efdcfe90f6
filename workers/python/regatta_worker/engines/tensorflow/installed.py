"""The installed TensorFlow, found before its import: it reads some variables then, and not every version knows them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import MutableMapping, Sequence

HAS_XLA_CACHE = (2, 11)  # as far as it was tried; one that lacks the option ends with an error
RECORD = re.compile(r"tensorflow(?:_cpu|_gpu|_intel)?-(\d+)\.(\d+)[^/]*\.(?:dist|egg)-info")


def installed_version(folders: Sequence[str]) -> tuple[int, int] | None:
    """The first one that a package's record in these folders tells; None without any."""
    for folder in folders:
        place = Path(folder or ".")
        for record in sorted(place.glob("tensorflow*-info")) if place.is_dir() else ():
            found = RECORD.fullmatch(record.name)
            if found:
                return int(found.group(1)), int(found.group(2))
    return None


def keep_compiled(variables: MutableMapping[str, str]) -> None:
    """Has XLA keep what it compiles in the folder that the launcher names; the shell's own options stay."""
    cache = variables.get("REGATTA_XLA_CACHE")
    version = installed_version(sys.path)
    if not cache or version is None or version < HAS_XLA_CACHE:
        return
    given = variables.get("TF_XLA_FLAGS", "")
    variables["TF_XLA_FLAGS"] = f"{given} --tf_xla_persistent_cache_directory={cache}".strip()

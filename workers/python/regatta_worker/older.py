"""Functions that Python lacks before 3.10: old frameworks run on 3.7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol
else:
    try:
        from typing import Protocol
    except ImportError:  # 3.7
        Protocol = object

__all__ = ["Protocol", "zipped"]


def zipped(*columns: Sequence[Any]) -> Any:
    """zip of columns of one length. Raises ValueError for others."""
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ValueError(f"columns of {sorted(lengths)} rows")
    return zip(*columns)

"""Padding `same`: as many outputs as strides fit into the input, the odd zero at the end."""

from __future__ import annotations


def same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Zeros before and after an axis of `size` positions."""
    outputs = -(-size // stride)
    total = max((outputs - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2

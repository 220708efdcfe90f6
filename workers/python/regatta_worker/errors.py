"""What a worker answers instead of a result."""

from __future__ import annotations


class Unsupported(Exception):
    """The engine lacks what the trial names; trying again would give the same answer."""


class LinkClosed(Exception):
    """The agent is gone: nobody is left to work for."""


class UserModelError(Exception):
    """What is wrong with a user's own file, in words for its author."""

"""Makes CSV files of odd habits, as public ones have them, together with what they truly hold.

A draft is a table whose values are known, and the way in which it is written. Habits change both.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

WORDS = ("red", "green", "blue", "north", "south", "low", "high", "oak", "elm", "café", "O'Hara")
Value = float | str | None


@dataclass
class Draft:
    """A table, and how it is written."""

    chance: random.Random
    names: list[str]
    truth: list[list[Value]]  # by row; what a reader should find
    texts: list[list[str]]  # by row; what is written
    label: int | None = None
    not_features: set[int] = field(default_factory=set)  # numbers of rows, dates, names of rows
    has_header: bool = True
    delimiter: str = ","
    line_end: str = "\n"
    quotes_all: bool = False
    encoding: str = "utf-8"
    mark: bytes = b""
    ends_with_line: bool = True
    before: list[str] = field(default_factory=list)  # lines above the header
    below_header: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    every_line: Callable[[int, str], str] = lambda _, line: line
    change_bytes: Callable[[bytes], bytes] = lambda content: content
    options: list[str] = field(default_factory=list)  # a user gives them at once
    told: list[str] | None = None  # with these it is read as it is meant; none: nothing can tell
    is_sound: bool = False  # to be read at once, without a question

    def column(self, kind: type) -> int:
        """One of the columns that hold such values, but for the label."""
        fits = [
            at
            for at in range(len(self.names))
            if at != self.label
            and at not in self.not_features
            and any(isinstance(row[at], kind) for row in self.truth)
        ]
        return self.chance.choice(fits)

    def write(self, at: int, change: Callable[[str], str]) -> None:
        for row in self.texts:
            row[at] = change(row[at])

    def set_values(self, at: int, values: list, texts: list[str]) -> None:
        for row, written, value, text in zip(self.truth, self.texts, values, texts, strict=True):
            row[at] = value
            written[at] = text

    def add(self, at: int, name: str, texts: list[str]) -> None:
        """A column that is no feature."""
        self.names.insert(at, name)
        for row, written, text in zip(self.truth, self.texts, texts, strict=True):
            row.insert(at, text)
            written.insert(at, text)
        self.not_features = {old + (old >= at) for old in self.not_features} | {at}
        if self.label is not None and self.label >= at:
            self.label += 1

    def line(self, cells: list[str]) -> str:
        special = (self.delimiter, '"', "\n", "\r")
        quoted = [
            '"' + cell.replace('"', '""') + '"'
            if self.quotes_all or any(mark in cell for mark in special)
            else cell
            for cell in cells
        ]
        return self.delimiter.join(quoted)

    def content(self) -> bytes:
        rows = [self.line(row) for row in self.texts]
        table = ([self.line(self.names)] if self.has_header else []) + self.below_header + rows
        table = [self.every_line(number, line) for number, line in enumerate(table)]
        lines = self.before + table + self.after
        text = self.line_end.join(lines) + (self.line_end if self.ends_with_line else "")
        return self.change_bytes(self.mark + text.encode(self.encoding, errors="replace"))

    def naive_options(self) -> list[str]:
        label = [] if self.label is None else ["--csv-label", self.names[self.label]]
        if self.label is not None and not self.has_header:
            label = ["--csv-label", str(self.label)]
        return label + self.options


def numbers(chance: random.Random, count: int) -> tuple[list[float], list[str]]:
    digits = chance.choice((0, 1, 2, 4))
    below_zero = chance.random() < 0.3
    texts = []
    for _ in range(count):
        value = chance.uniform(-40 if below_zero else 0.1, chance.choice((9, 90, 4000)))
        texts.append(f"{value:.{digits}f}")
    return [float(text) for text in texts], texts


def draft(seed: str) -> Draft:
    """A plain table: two to five columns of numbers, one or two of words, and mostly a label."""
    chance = random.Random(seed)
    rows = chance.randint(12, 40)
    columns: list[tuple[str, list, list[str]]] = []
    for i in range(chance.randint(2, 5)):
        columns.append((f"m{i} {chance.choice(WORDS)}", *numbers(chance, rows)))
    for i in range(chance.randint(1, 2)):
        words = chance.sample(WORDS, chance.randint(2, 5))
        texts = words[:2] + [chance.choice(words) for _ in range(rows - 2)]
        columns.append((f"kind{i}", list(texts), texts))
    chance.shuffle(columns)
    made = Draft(
        chance,
        [name for name, _, _ in columns],
        [[values[row] for _, values, _ in columns] for row in range(rows)],
        [[texts[row] for _, _, texts in columns] for row in range(rows)],
    )
    if chance.random() < 0.8:
        add_label(made, chance.choice((("yes", "no"), ("0", "1"), ("1", "2", "3"), ("-1", "1"))))
    return made


def add_label(made: Draft, levels: tuple[str, ...]) -> None:
    texts = [*levels, *(made.chance.choice(levels) for _ in range(len(made.truth) - len(levels)))]
    made.names.append("target")
    for row, written, text in zip(made.truth, made.texts, texts, strict=True):
        row.append(text if levels[0] == "yes" else float(text))
        written.append(text)
    made.label = len(made.names) - 1

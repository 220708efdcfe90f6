"""One protocol: what Python says of it is what the C++ header and the page say."""

from __future__ import annotations

import re
import struct
import unittest
from pathlib import Path

from regatta import wire

ROOT = Path(__file__).resolve().parents[3]
CODES = {"uint32_t": "I", "uint16_t": "H", "uint8_t": "B", "Phase": "B", "double": "d"}


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


class OneProtocol(unittest.TestCase):
    def test_samples_are_those_of_the_header(self) -> None:
        body = re.search(
            r"struct Sample \{(.*?)\n\};", text("include/regatta/stats/samples.hpp"), re.S
        )
        members = re.findall(r"^\s*(?:std::)?(\w+) (\w+) =", body.group(1), re.M)
        self.assertEqual([name for _, name in members], list(wire.Sample._fields))
        codes = "".join(CODES[kind] for kind, _ in members)
        self.assertEqual(struct.Struct("<" + codes).format, wire.SAMPLE.format)

    def test_phases_are_those_of_the_header(self) -> None:
        names = re.search(r"enum class Phase.*\{(.*?)\}", text("include/regatta/stats/samples.hpp"))
        listed = re.findall(r"(\w+) = (\d+)", names.group(1))
        stamped_by_agents = ("start", "prepare")
        phases = {name: int(value) for name, value in listed if name not in stamped_by_agents}
        self.assertEqual(phases, wire.PHASES)

    def test_version_is_that_of_the_header(self) -> None:
        found = re.search(
            r"constexpr int version = (\d+);", text("include/regatta/protocol/messages.hpp")
        )
        self.assertEqual(int(found.group(1)), wire.VERSION)

    def test_a_re_entry_has_as_many_samples_as_the_rules_say(self) -> None:
        found = re.search(r"reentry_samples = (\d+);", text("include/regatta/stats/rules.hpp"))
        self.assertEqual(int(found.group(1)), wire.REENTRY_SAMPLES)

    def test_pieces_are_those_of_the_page(self) -> None:
        self.assertIn(
            f"at most {wire.PIECE_BYTES >> 10} KiB", text("docs/reference/worker-protocol.md")
        )

    def test_nobody_else_writes_the_format_down(self) -> None:
        mine = {"workers/python/regatta/wire.py"}
        folders = ("workers", "tests", "bench", "scripts", "tools")
        files = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
        found = {str(p.relative_to(ROOT)) for p in files if re.search(r'"<IHBB', p.read_text())}
        self.assertEqual(found - {"tests/workers/python/test_wire.py"}, mine)


class Samples(unittest.TestCase):
    def test_what_is_packed_comes_back(self) -> None:
        packed = wire.pack_sample(7, 2, "reentry", 3, 1_000_000_000, 1_500_000_000)
        self.assertEqual(wire.unpack_samples(packed), [wire.Sample(7, 2, 2, 0, 3, 0, 0, 1.0, 0.5)])

    def test_pieces_hold_everything_once(self) -> None:
        samples = bytes(range(256)) * 3 * (wire.PIECE_BYTES // 512)
        cut = list(wire.pieces(samples))
        self.assertEqual(b"".join(piece for piece, _ in cut), samples)
        self.assertEqual([is_last for _, is_last in cut], [False, True])
        self.assertLessEqual(max(len(piece) for piece, _ in cut), wire.PIECE_BYTES)

    def test_no_samples_are_one_empty_piece(self) -> None:
        self.assertEqual(list(wire.pieces(b"")), [(b"", True)])


if __name__ == "__main__":
    unittest.main()

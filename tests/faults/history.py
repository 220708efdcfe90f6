"""Whether a journal is one that a sound run could have written: only the order of its records is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

from tools.journal import RESULT_HEAD, Record

OPENS = ("plan", "plan_again")


@dataclass
class Session:
    """From one header to the next."""

    has_plan: bool = False
    is_over: bool = False
    granted: dict[tuple[str, int], int] = field(default_factory=dict)  # to which agent
    told: set[str] = field(default_factory=set)


@dataclass
class History:
    problems: list[str] = field(default_factory=list)
    session: Session = field(default_factory=Session)
    durable: int = 0

    def expect(self, holds: bool, record: Record, what: str) -> None:
        if not holds:
            self.problems.append(f"record {record.sequence}, {record.kind}: {what}")

    def take(self, record: Record) -> None:
        if record.kind == "header":
            self.session = Session()
        elif record.kind == "durable":
            self.mark(record)
        else:
            self.expect(not self.session.is_over, record, "behind the end of its session")
        if record.kind in OPENS:
            self.expect(not self.session.has_plan, record, "a second plan in one session")
            self.session.has_plan = True
        elif record.kind in ("granted", "result", "failed_attempt", "agent", "session_end"):
            self.expect(self.session.has_plan, record, "before the plan")
        if record.kind == "granted":
            agent = int.from_bytes(record.payload[:4], "little")
            self.session.granted[record.hash, record.attempt] = agent
        elif record.kind == "result":
            self.result(record)
        self.session.is_over |= record.kind == "session_end"

    def mark(self, record: Record) -> None:
        number = int(record.payload)
        self.expect(number <= record.sequence, record, "says more is durable than there is")
        self.expect(number >= self.durable, record, "says less is durable than the one before")
        self.durable = max(number, self.durable)

    def result(self, record: Record) -> None:
        block = (record.hash, record.attempt)
        agent = RESULT_HEAD.unpack_from(record.payload)[1]
        handed_to = self.session.granted.get(block)
        self.expect(handed_to == agent, record, f"from agent {agent}, granted to {handed_to}")
        self.expect(record.hash not in self.session.told, record, "twice in one session")
        self.session.told.add(record.hash)


def problems_of(records: list[Record]) -> list[str]:
    """Empty if the history is sound."""
    history = History()
    for number, record in enumerate(records):
        history.expect(record.sequence == number, record, f"in the place of record {number}")
        history.take(record)
    if records:
        history.expect(records[0].kind == "journal", records[0], "is the first")
    return history.problems


def acknowledged(records: list[Record]) -> set[tuple[str, int]]:
    """Results, by block and attempt, that the last mark says to be on disk."""
    marks = [int(record.payload) for record in records if record.kind == "durable"]
    durable = max(marks, default=0)
    return {
        (record.hash, record.attempt)
        for record in records
        if record.kind == "result" and record.sequence < durable
    }

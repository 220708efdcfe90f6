"""Planted bugs in the order in which results reach the disk: the simulation and the crash states must both find them."""

from tools.mutants import Mutant

JOURNAL = "src/results/journal/journal.cpp"
STORE = "src/results/journal/store.cpp"

STORE_MUTANTS = {
    "journal_before_samples": Mutant(
        STORE,
        "    samples_.sync();\n    journal_.append(records);\n    journal_.sync();\n",
        "    journal_.append(records);\n    journal_.sync();\n    samples_.sync();\n",
        "the journal names samples that are not on disk yet",
    ),
    "mark_before_sync": Mutant(
        JOURNAL,
        "  try {\n    file_->sync();\n",
        "  write(frame_of({RecordKind::durable, {}, 0, std::to_string(durable)}, next_sequence_));\n"
        "  try {\n    file_->sync();\n",
        "records are marked as durable before they are on disk",
    ),
    "torn_tail_stays": Mutant(
        JOURNAL,
        "    file_->truncate(found_.valid_bytes);\n",
        "",
        "a session appends its records behind a half-written one",
    ),
}

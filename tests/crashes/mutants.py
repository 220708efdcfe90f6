"""Planted bugs that the crash states and the damage must find, in the part of them that is tried in seconds."""

from tools.mutants import Mutant, first_to_notice, main
from tools.store_mutants import STORE_MUTANTS

FILES = "src/base/files.cpp"
FRAMES = "src/results/journal/frames.cpp"
JOURNAL = "src/results/journal/journal.cpp"
LOG_FILE = "src/results/journal/log_file.cpp"
PIECES = "src/results/journal/pieces.cpp"
RESULT_FILE = "src/results/file/file.cpp"
SALVAGE = "src/results/journal/salvage.cpp"
SAMPLES = "src/results/journal/sample_log.cpp"
SEAL = "src/results/file/seal.cpp"
STORE = "src/results/journal/store.cpp"

MUTANTS = STORE_MUTANTS | {
    "journal_without_sync": Mutant(
        LOG_FILE,
        "if (::fdatasync(fd_.get()) != 0)",
        "if (fd_.get() < 0)",
        "nothing of journal and samples is ever synced",
    ),
    "what_stood_there_is_not_synced": Mutant(
        JOURNAL,
        "write(opening_frame());\n  sync();\n",
        "write(opening_frame());\n  dirty_ = false;\n",
        "a run builds on what a killed one had not synced",
    ),
    "parents_without_sync": Mutant(
        FILES,
        "if (::mkdir(parent.c_str(), 0755) == 0) return sync_folder(parent.parent_path());",
        "if (::mkdir(parent.c_str(), 0755) == 0) return;",
        "folders above the run's folder are made and not synced",
    ),
    "salvaged_samples_without_sync": Mutant(
        SALVAGE,
        "  sync_folder(target);  // the samples' file was made behind the journal's\n",
        "",
        "salvaged samples are in a file of which nothing says that it is there",
    ),
    "way_without_sync": Mutant(
        STORE,
        "  sync_way_to(folder);\n",
        "  sync_folder(folder);\n",
        "folders that a killed run made are taken for durable",
    ),
    "folder_without_sync": Mutant(
        STORE,
        "  sync_way_to(folder);\n",
        "",
        "journal and samples are files of which nothing says that they are there",
    ),
    "unwritten_sector_is_damage": Mutant(
        PIECES,
        "    if (is_lost_with_power()) end_before_loss();\n",
        "",
        "a sector that was never written stops the run",
    ),
    "synced_sector_is_a_torn_tail": Mutant(
        PIECES,
        " || synced_ > before_.next_sequence) return false;",
        ") return false;",
        "zero bytes over synced results end the journal",
    ),
    "damage_is_a_torn_tail": Mutant(
        PIECES,
        "    return holds_zero_sector(begin, before_.end_of_loss);\n",
        "    return true;\n",
        "any damage behind the last mark ends the journal",
    ),
    "records_behind_a_hole_stay": Mutant(
        PIECES,
        "    pieces_.next_sequence = before_.next_sequence;\n    pieces_.valid_bytes = before_.valid_bytes;\n",
        "",
        "the journal is cut behind what was lost, not before",
    ),
    "payload_unchecked": Mutant(
        FRAMES,
        "  if (crc32c(payload) != head.payload_crc) {",
        "  if (head.payload_bytes > behind.size()) {",
        "a payload counts whatever its checksum",
    ),
    "head_unchecked": Mutant(
        FRAMES,
        "  if (!is_checksum_of(crc, text)) {",
        "  if (crc.empty()) {",
        "a head counts whatever its checksum",
    ),
    "samples_unchecked": Mutant(
        SAMPLES,
        "  if (crc32c(bytes) != extent.crc)",
        "  if (bytes.empty() && crc32c(bytes) != extent.crc)",
        "samples are read whatever their checksum",
    ),
    "result_file_without_sync": Mutant(
        RESULT_FILE,
        '    if (::fsync(fd_.get()) != 0) throw_errno("sync");\n',
        "",
        "NAME.h5 takes its name before its bytes are on disk",
    ),
    "rename_without_sync": Mutant(
        RESULT_FILE,
        "    sync_folder(target_.parent_path());\n",
        "",
        "NAME.h5 is said to be written while its name is not on disk",
    ),
    "result_file_in_place": Mutant(
        RESULT_FILE,
        '    if (::rename(path_.c_str(), target_.c_str()) != 0) throw_errno("rename");\n',
        "    ::unlink(target_.c_str());\n"
        "    sync_folder(target_.parent_path());\n"
        '    if (::rename(path_.c_str(), target_.c_str()) != 0) throw_errno("rename");\n',
        "the old NAME.h5 is gone before the new one is there",
    ),
    "mended_journal_without_sync": Mutant(
        FILES,
        "      if (::fsync(fd.get()) != 0) throw StorageError(errno_text(fmt::format(\"cannot sync '{}'\", temporary), "
        "errno));\n",
        "",
        "a whole journal takes the damaged one's place before its bytes are on disk",
    ),
    "seal_unchecked": Mutant(
        SEAL,
        "return end_ == seal_text(crc_);",
        'return end_.starts_with("\\nregatta");',
        "NAME.h5 is read whatever its checksum",
    ),
}


if __name__ == "__main__":
    main("crashes", MUTANTS, first_to_notice)

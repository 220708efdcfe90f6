// The shipped readers on bytes in memory.
#pragma once

#include <string>

#include "regatta/results/journal.hpp"
#include "results/journal/memory_log_file.hpp"

namespace regatta::crashes {

inline results::Scan scan_of(const std::string& journal) {
  results::MemoryDisk disk{journal};
  return results::scan_journal(results::MemoryLogFile(disk, "journal"));
}

inline bool same(const results::Record& a, const results::Record& b) {
  return a.kind == b.kind && a.hash == b.hash && a.attempt == b.attempt && a.payload == b.payload &&
         a.other_kind == b.other_kind;
}

}  // namespace regatta::crashes

// How pairs of processes scattered in earlier runs of this user on this machine: what comparisons begin with
// (measuring.md R5).
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "job/job.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/sweep/origins.hpp"

namespace regatta::launcher {

/// Pairs of classes that are remembered; older ones are forgotten.
inline constexpr std::size_t most_kept_spreads = 500;

class KeptSpreads {
 public:
  /// Reads `pair-spreads.json` from the folder; one that is missing is empty, one that is damaged too, with a warning.
  /// `machine`: what the spreads of others are kept apart by.
  KeptSpreads(const std::filesystem::path& cache_folder, std::string machine);

  /// Returns the spreads of pairs on this machine, of engines whose installation has not changed since.
  [[nodiscard]] stats::SpreadPool of(const sweep::Origins& origins) const;

  /// Adds what a run has shown, and writes the file; what earlier runs showed counts for one half from now on. A
  /// warning where it cannot be written, nothing without a folder.
  void remember(const stats::SpreadPool& shown, const sweep::Origins& origins);

 private:
  struct Entry {
    std::string machine;
    std::string classes;
    std::string installed;  ///< installations of its engines, in words
    stats::SpreadHistory history;
  };
  void read(const nlohmann::json& document);
  void add(Entry shown);

  std::filesystem::path file_;
  std::string machine_;
  std::vector<Entry> entries_;  ///< the one that was learnt last stands last
};

/// Returns the spreads that the job's comparisons begin with. The first session takes what earlier runs kept, and later
/// sessions take what the first one took. Comparisons of other metrics than step time begin with none.
stats::SpreadPool earlier_spreads(const Job& job, const results::Scan& journal);

/// Keeps what a run's first command has shown, unless much of it was disturbed or its hosts differ.
void keep_spreads(const Job& job, const results::Results& results, const results::Scan& journal);

}  // namespace regatta::launcher

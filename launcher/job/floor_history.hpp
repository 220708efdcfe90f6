// How far apart identical code was in two sessions on this machine: remembered, so that a comparison in which nothing
// is identical still knows it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "regatta/analysis/sessions.hpp"

namespace regatta::launcher {

/// Pairs of sessions that are remembered for each key; older ones are forgotten.
inline constexpr std::size_t most_remembered = 20;

/// One pair of sessions.
struct RememberedFloor {
  std::string pair;  ///< both sessions, whatever their order
  double floor = 0;  ///< as a fraction
  std::size_t trials = 0;
};

class FloorHistory {
 public:
  /// Reads `session-floors.json` from the folder; one that is missing is empty, one that is damaged too, with a
  /// warning.
  explicit FloorHistory(const std::filesystem::path& cache_folder);

  /// The largest floor of the pairs remembered for this key other than `pair`; nothing if there are none.
  [[nodiscard]] std::optional<double> floor(const analysis::FloorKey& key, const std::string& pair) const;

  /// Adds or replaces what this pair showed, and writes the file; a warning where it cannot be written.
  void remember(const std::vector<analysis::SessionFloor>& learnt, const std::string& pair);

 private:
  std::filesystem::path file_;
  std::map<analysis::FloorKey, std::vector<RememberedFloor>> floors_;
};

/// The user's cache folder; empty if there is none.
std::filesystem::path default_floor_folder();

/// The name of two sessions together.
std::string pair_name(const std::string& session, const std::string& other);

}  // namespace regatta::launcher

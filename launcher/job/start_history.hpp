// How long processes of an installation took to start in earlier runs of this user: remembered to foretell how long a
// sweep takes, and never evidence.
#pragma once

#include <compare>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "regatta/sweep/block_costs.hpp"

namespace regatta::launcher {

/// Values that are remembered for each key, and keys; older ones are forgotten.
inline constexpr std::size_t most_start_values = 20;
inline constexpr std::size_t most_start_keys = 500;

/// An installation in one mode of one model: what it builds and compiles before its first step differs.
struct StartKey {
  std::string engine;
  std::string environment;
  std::string program;  ///< its command line
  std::string mode;
  std::string model;
  auto operator<=>(const StartKey&) const = default;
};

struct LearntStart {
  StartKey key;
  std::string version;  ///< the engine's: what another one took is forgotten
  sweep::StartTimes times;
};

class StartHistory {
 public:
  /// Reads `start-times.json` from the folder; one that is missing is empty, one that is damaged too, with a warning.
  explicit StartHistory(const std::filesystem::path& cache_folder);

  /// The medians for this key; of a model that was never seen those of all others. Nothing where no run has started
  /// this installation in this mode.
  [[nodiscard]] std::optional<sweep::StartTimes> times(const StartKey& key) const;

  /// Whether there is a folder to keep it in.
  [[nodiscard]] bool is_kept() const { return !file_.empty(); }

  /// Adds what a run has shown, and writes the file; a warning where it cannot be written, nothing without a folder.
  void remember(const std::vector<LearntStart>& learnt);

 private:
  struct Entry {
    StartKey key;
    std::string version;
    std::vector<sweep::StartTimes> times;  ///< the newest last
  };
  void add(const LearntStart& learnt);
  void read(const nlohmann::json& document);

  std::filesystem::path file_;
  std::vector<Entry> entries_;  ///< the one that was learnt last stands last
};

}  // namespace regatta::launcher

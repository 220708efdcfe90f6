// Two sessions of the same trials: cells, floors between sessions, and trials that could not be compared (measuring.md
// R5). The report words them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "regatta/analysis/contrast.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

/// Where a floor between sessions holds: one kind of engine on one device of one host.
struct FloorKey {
  std::string host;    ///< name and processor
  std::string device;  ///< "cpu cores 0-1"
  std::string engine;  ///< without its environment
  auto operator<=>(const FloorKey&) const = default;
};

/// p95 of |log ratio| over trials in identical code, as a fraction.
struct SessionFloor {
  FloorKey key;
  double floor = 0;
  std::size_t trials = 0;
};

enum class FloorSource : std::uint8_t { assumed, stored, pair };
/// "assumed", "stored", "these sessions".
std::string floor_source_name(FloorSource source);

struct SessionOptions {
  std::optional<double> threshold;  ///< replaces the margin of both files
  bool across = false;              ///< other hosts or devices are wanted
  /// The floor that earlier pairs of sessions showed, as a fraction; nothing if there were none.
  std::function<std::optional<double>(const FloorKey&)> stored_floor = [](const FloorKey&) { return std::nullopt; };
};

/// One trial that was measured in both sessions. Ratios are metric in the new one / metric in the old one.
struct SessionCell {
  TrialIndex in_old;
  TrialIndex in_new;
  sweep::Metric metric = sweep::Metric::time_per_step;
  double old_value = 0;  ///< in the metric's unit, median of its units
  double new_value = 0;
  double ratio = 0;
  std::optional<double> low;  ///< 95 %; nothing below 7 units of either
  std::optional<double> high;
  std::size_t old_units = 0;  ///< processes, or squares where there are fewer than 7 processes
  std::size_t new_units = 0;
  std::size_t old_processes = 0;
  std::size_t new_processes = 0;
  double margin = 0;         ///< threshold, or the larger margin
  double session_floor = 0;  ///< between sessions
  FloorSource floor_source = FloorSource::assumed;
  bool same_code = false;  ///< environment, engine and version are equal
  bool judged = false;     ///< a verdict about the code; else a check of identical code
  std::string old_version;
  std::string new_version;
  stats::Verdict verdict = stats::Verdict::undecided;
  double p_value = 1;                                     ///< p of "no difference beyond the largest of the three"
  sweep::Verified verified = sweep::Verified::unchecked;  ///< the worse one of both
  stats::Flags flags;

  /// Differences up to it are "same", as a fraction.
  [[nodiscard]] double indifference() const;
};

/// "slower", "slower?", "same", ...
std::string verdict_text(const SessionCell& cell);

/// The facts that the words for a ratio are made from.
JudgedRatio judged_ratio(const SessionCell& cell);

/// Why a trial of both files has no ratio.
enum class NotComparedReason : std::uint8_t {
  not_finished,    ///< it failed, was skipped, or is open
  other_work,      ///< it does other work than its baseline
  no_values,       ///< it has no values of the metric in one of the files
  one_measurement  ///< both files hold the same measurement of it
};

/// A trial of both files that cannot be compared.
struct NotCompared {
  TrialIndex in_old;
  TrialIndex in_new;
  NotComparedReason why = NotComparedReason::not_finished;
  bool is_of_new = true;  ///< whether `why` is about the new session, of not_finished and other_work
};

struct Sessions {
  sweep::Metric metric = sweep::Metric::time_per_step;  ///< metric that the sweep of the new session compares by
  std::vector<SessionCell> cells;
  std::vector<TrialIndex> only_old;
  std::vector<TrialIndex> only_new;
  std::vector<NotCompared> not_compared;
  IdenticalCode identical;           ///< cells of the same version, where others differ in it
  bool all_same_version = false;     ///< then all are judged: a rebuild cannot be told from identical code
  bool across = false;               ///< hosts or devices differ
  std::optional<double> pair_floor;  ///< floor of these two sessions, as a fraction
  std::vector<SessionFloor> learnt;  ///< to be remembered

  [[nodiscard]] std::size_t count(stats::Verdict verdict) const;  ///< judged cells with this verdict
  [[nodiscard]] bool regressed() const { return count(stats::Verdict::slower) > 0; }
};

/// Names a session: 32 hexadecimal digits, equal for copies of one file.
std::string session_id(const results::Results& results);

}  // namespace regatta::analysis

// The figures of `regatta bench`: each once, with its unit and what it should be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace regatta::launcher {

enum class Figure : std::uint8_t {
  noop_trials,
  batched_trials,
  command_trials,
  durable_results,
  durable_5ms,
  resume,
  first_trial,
  sweep_exit,
  idle_core_share,
  idle_pss,
  slot_ready,
  scheduler_decisions,
};

enum class Aim : std::uint8_t { none, at_least, at_most };

struct FigureRow {
  std::string_view key;  ///< in the JSON document
  std::string_view unit;
  std::string_view what;
  Aim aim = Aim::none;
  double bound = 0;
};

/// By Figure.
inline constexpr std::array<FigureRow, 12> figure_table{{
    {"noop_trials_per_second", "1/s", "no-op trials, each slot with one outstanding"},
    {"batched_trials_per_second", "1/s", "no-op trials, granted and run in lots", Aim::at_least, 100'000},
    {"command_trials_per_second", "1/s", "trials that are a process each (/bin/true)"},
    {"durable_results_per_second", "1/s", "results through coordinator and journal, synced"},
    {"durable_5ms_per_second", "1/s", "the same, each sync 5 ms slower", Aim::at_least, 50'000},
    {"resume_seconds", "s", "command line to first new trial, 100,000 finished", Aim::at_most, 0.5},
    {"first_trial_seconds", "s", "command line to first trial", Aim::at_most, 0.3},
    {"sweep_exit_seconds", "s", "a whole sweep of four no-op trials", Aim::at_most, 0.5},
    {"idle_core_share", "1", "of a core, of a rank without work", Aim::at_most, 0.005},
    {"idle_pss_bytes", "byte", "memory of such a rank", Aim::at_most, 25e6},
    {"slot_ready_seconds", "s", "worker killed to next trial done on its slot", Aim::at_most, 0.5},
    {"scheduler_decisions_per_second", "1/s", "scheduler alone, 4,096 agents, a million trials", Aim::at_least, 1e6},
}};

constexpr const FigureRow& row_of(Figure figure) { return figure_table[static_cast<std::size_t>(figure)]; }

/// Nothing where the figure has no aim.
constexpr std::optional<bool> meets_aim(const FigureRow& row, double value) {
  if (row.aim == Aim::none) return std::nullopt;
  return row.aim == Aim::at_least ? value >= row.bound : value <= row.bound;
}

}  // namespace regatta::launcher

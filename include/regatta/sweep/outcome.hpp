// How a trial ended, and whether it did the same work as the others. Each state has one table of names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace regatta::sweep {

enum class FailureKind {
  crashed,          ///< killed by a signal, or exited without a word
  timed_out,        ///< no answer before limits.trial_timeout
  out_of_memory,    ///< beyond limits.memory, or killed by the kernel for memory
  protocol,         ///< nonsense, or more than allowed, on the worker's link
  flooded,          ///< wrote more to its log than is kept
  reported,         ///< the engine itself reported an error
  could_not_start,  ///< the program or interpreter could not be started
  device,           ///< the device failed: lost, in a sticky error, without its driver
  rank_lost         ///< its rank or node went down while it ran, as often as a trial may be tried
};

/// In the enum's order; journals and result files hold positions in these tables, so names are only ever appended.
inline constexpr std::array failure_names = {"crashed",  "timed_out",       "out_of_memory", "protocol", "flooded",
                                             "reported", "could_not_start", "device",        "rank_lost"};

struct Finished {};
struct Failed {
  FailureKind kind;
  std::string message;
};

/// Why a trial is skipped, by what it lacks to run.
enum class SkipKind : std::uint8_t {
  unsupported,     ///< another engine or other parameters: this combination runs nowhere
  not_installed,   ///< an engine or environment that is not installed here
  too_few_ranks,   ///< more ranks at once than this job has
  not_answerable,  ///< cores, a device or processors that this machine lacks
};
/// In the enum's order; journals and result files hold positions in this table, so names are only ever appended.
inline constexpr std::array skip_names = {"unsupported", "not_installed", "too_few_ranks", "not_answerable"};

struct Skipped {
  std::string reason;  ///< for people: nothing is decided on its words
  SkipKind kind = SkipKind::unsupported;
};
/// Whether the trial would run with something else installed or started, so that `--rerun failed` tries it again.
bool may_run_elsewhere(SkipKind kind);
/// The skip of a trial that asks for more cores than any slot has.
Skipped too_few_cores(std::int64_t needed, std::int64_t largest_slot);
/// The skip of a trial that asks for more ranks at once than there are slots of that size.
Skipped too_few_ranks(std::int64_t needed, std::int64_t cores_each, std::int64_t slots);
struct Lost {};  ///< open: it has no result yet, because it waits, runs, or was cut off

using Outcome = std::variant<Finished, Failed, Skipped, Lost>;
inline constexpr std::array status_names = {"finished", "failed", "skipped", "open"};

/// Whether an arm was shown to do the same work as the others of its block.
enum class Verified : std::uint8_t {
  unchecked,
  yes,            ///< the same work: what lies apart is rounding
  no,             ///< other work: there is no ratio
  close,          ///< results lie apart by more than rounding explains, and by little: a ratio that is not verified
  other_weights,  ///< models of a user's own that start from other weights: a ratio that is not verified
  alone           ///< no trial beside it has its batch, model, data, seed and work: nothing to compare it with
};
inline constexpr std::array verified_names = {"unchecked", "yes", "no", "close", "other weights", "alone"};

/// Why an arm was not measured on beside its baseline.
enum class WhyStopped : std::uint8_t {
  none,             ///< it is measured on, or it was not compared
  decided,          ///< its verdict is as sure and as precise as the sweep asks
  time_spent,       ///< the time of its comparison
  wall_time_spent,  ///< the time of its block
  fixed_slices,     ///< the sweep file fixes how many slices it has
  interrupted,      ///< by a drain
  other_work,       ///< it has no ratio that more pairs could tell
  one_pair,         ///< one pair of processes is all that its replicate takes
};
inline constexpr std::array why_stopped_names = {"",
                                                 "decided",
                                                 "time spent",
                                                 "wall time spent",
                                                 "fixed slices",
                                                 "interrupted",
                                                 "other work",
                                                 "one pair of each replicate"};

/// The position of `name` in one of these tables, as its enum; nothing if it stands not there.
template <class State, std::size_t n>
std::optional<State> state_of(const std::array<const char*, n>& names, std::string_view name) {
  for (std::size_t i = 0; i < n; ++i) {
    if (name == names[i]) return static_cast<State>(i);
  }
  return std::nullopt;
}

const char* to_string(FailureKind kind);
const char* to_string(SkipKind kind);
const char* to_string(Verified verified);
const char* to_string(WhyStopped why);
/// "finished", "failed", "skipped" or "open".
const char* status_of(const Outcome& outcome);
/// The failure's kind and message, the skip's reason, or nothing.
std::string reason_of(const Outcome& outcome);

}  // namespace regatta::sweep

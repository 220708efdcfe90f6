// Facts: what is known of an arm besides how it ended. A new fact is a row here and the worker that tells it: messages,
// journal, result file, queries and reports walk this table.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/program_results.hpp"

namespace regatta::sweep {

// Facts that are lists, and the texts by which messages, journals and columns hold them. Numbers that a program tells
// are in program_results.hpp.

/// Largest resident memory of each fresh process in bytes, in the order of time.
using ProcessPeaks = std::vector<std::int64_t>;

/// "12582912 12587008".
std::string peaks_text(const ProcessPeaks& peaks);
/// Reads peaks_text() back. Throws InputError for what is no list of sizes.
ProcessPeaks parse_peaks(std::string_view text);

/// A bucket of gradients that the ranks of a trial sum. Its times are means over steps, in us after the first gradients
/// of a step.
struct BucketTimes {
  std::int64_t bytes = 0;
  double first_us = 0;   ///< until the first rank had written it
  double last_us = 0;    ///< until the last rank had written it
  double summed_us = 0;  ///< until its sums were there
  friend bool operator==(const BucketTimes&, const BucketTimes&) = default;
};
inline constexpr std::size_t most_buckets = 64;  ///< trials with more of them tell none

/// Where the time of a rank goes, in us of a mean step.
struct RankTimes {
  double compute_us = 0;   ///< until it had written its last gradients
  double wait_us = 0;      ///< from then on until the last rank had
  double exchange_us = 0;  ///< from then on until all sums were there
  friend bool operator==(const RankTimes&, const RankTimes&) = default;
};

/// [{"bytes":4096,"first_us":0.0,"last_us":1.5,"summed_us":2.5},...], empty without buckets. Times have one decimal
/// place.
std::string to_json(const std::vector<BucketTimes>& buckets);
/// [{"compute_us":9.5,"wait_us":0.5,"exchange_us":1.0},...] by rank, empty without ranks.
std::string to_json(const std::vector<RankTimes>& ranks);
/// These read to_json() back. They throw InputError for what is no such list.
std::vector<BucketTimes> parse_buckets(std::string_view json);
std::vector<RankTimes> parse_ranks(std::string_view json);

/// The numbers stand in journals: none is ever given to another fact.
enum class Fact : std::uint8_t {
  engine_version = 0,
  prepare_seconds = 1,
  peak_bytes = 2,
  verified_detail = 3,
  kernels = 4,
  process_peaks = 5,
  changed_since = 6,
  why_stopped = 7,
  input_bound_by = 8,
  input_wait = 9,
  input_compute = 10,
  input_read = 11,
  input_decode = 12,
  input_collate = 13,
  input_slot_wait = 14,
  device_bytes = 15,
  plan_seconds = 16,
  results = 17,
  result_remarks = 18,
  folder = 19,
  exposed_exchange = 20,
  graph_seconds = 21,
  nodes = 22,
  slowest_rank = 23,
  rank_spread = 24,
  exchange_buckets = 25,
  parameter_hash = 26,
  exchange_ranks = 27,
  memory_growth = 28,
  memory_steps = 29,
  device_peak_bytes = 30,
};

/// Text, seconds and the like, a count, or what messages, journals and columns hold as a text of its own kind.
using FactValue = std::variant<std::string, double, std::int64_t, WhyStopped, ProcessPeaks, ProgramResults,
                               std::vector<BucketTimes>, std::vector<RankTimes>>;

struct FactInfo {
  Fact fact;
  std::string_view tag;          ///< its name in messages
  FactValue zero;                ///< a value of its type; a fact that has it is not known
  bool from_worker = false;      ///< a worker may tell it of an arm that it prepared, or that ran a slice
  std::string_view column = {};  ///< in /trials, numbers with m_ before it; empty: another table holds it
  std::string_view unit = {};    ///< UDUNITS spelling; empty for texts
  std::string_view description = {};
};

/// Every fact, in the order of the result file's columns.
inline const std::array fact_table = {
    FactInfo{Fact::engine_version, "engine_version", std::string()},
    FactInfo{Fact::prepare_seconds, "prepare_seconds", 0.0, false, "prepare_time", "s",
             "time to build the trial before its first step: median over processes"},
    FactInfo{Fact::peak_bytes, "peak_bytes", std::int64_t{0}, false, "peak_memory", "byte",
             "largest resident memory of a process of the trial, until its last step"},
    FactInfo{Fact::verified_detail, "verified_detail", std::string(), false, "verified_detail", "",
             "what differed, or why it was not compared"},
    FactInfo{Fact::kernels, "kernels", std::string(), true, "kernels", "",
             "instruction set and kernels that the engine chose, in its own words; empty: it does not tell"},
    FactInfo{Fact::process_peaks, "process_peaks", ProcessPeaks(), false, "peak_memory_of_processes", "",
             "largest resident memory of each fresh process in bytes, in the order of time; empty unless compared"},
    // Made where results are collected; no record of an arm holds it.
    FactInfo{
        Fact::changed_since, "changed_since", std::string(), false, "changed_since", "",
        "what has changed since it was measured, so that these are not the figures of today; empty: nothing known"},
    FactInfo{Fact::why_stopped, "why_stopped", WhyStopped::none, false, "why_stopped", "",
             "why it was not measured on beside its baseline, as whoever measured it said; empty: it was not compared"},
    // Means over the scored slices of the arm's last process. Work that goes on beside a step counts for all threads.
    FactInfo{Fact::input_bound_by, "input_bound_by", std::string(), true, "input_bound_by", "",
             "what a step waits for that Regatta's loader feeds: consumer (batches were ready: less than 1 % waiting), "
             "storage, decode or collate; empty: it has no such loader, or does not tell"},
    FactInfo{Fact::input_wait, "input_wait", 0.0, true, "input_wait", "s",
             "time in which a step had no batch: mean over the scored slices of its last process"},
    FactInfo{Fact::input_compute, "input_compute", 0.0, true, "input_compute", "s",
             "time of a step with its batch: mean over the scored slices of its last process"},
    FactInfo{Fact::input_read, "input_read", 0.0, true, "input_read", "s",
             "time that the loader's threads wait for storage for a step: mean over the same slices"},
    FactInfo{Fact::input_decode, "input_decode", 0.0, true, "input_decode", "s",
             "time that the loader converts, scales or mirrors for a step: mean over the same slices"},
    FactInfo{Fact::input_collate, "input_collate", 0.0, true, "input_collate", "s",
             "time that the loader orders and copies for a step: mean over the same slices"},
    FactInfo{Fact::input_slot_wait, "input_slot_wait", 0.0, true, "input_slot_wait", "s",
             "time of a step in which the loader's threads had no place to fill: mean over the same slices"},
    FactInfo{Fact::device_bytes, "device_bytes", std::int64_t{0}, false, "device_memory", "byte",
             "memory of its own that a device held for the trial after preparing; 0: it computes in the host's"},
    FactInfo{Fact::plan_seconds, "plan_seconds", 0.0, true, "plan_time", "s",
             "part of the time to prepare in which the engine chose kernels and made its plan; 0: it does not tell"},
    FactInfo{
        Fact::results, "results", ProgramResults(), true, "results", "",
        "numbers that the program told, as JSON: by name its unit, and the value of each scored run (of a loop: of "
        "each process) in the order of time; empty: it told none"},
    FactInfo{Fact::result_remarks, "result_remarks", std::string(), false, "result_remarks", "",
             "numbers that are not finite, that some runs did not tell, or that are not kept; empty: nothing to say"},
    FactInfo{Fact::folder, "folder", std::string(), false, "folder", "",
             "where its program ran and what it left is kept, beside the result file; empty: nothing was kept"},
    FactInfo{Fact::exposed_exchange, "exposed_exchange", 0.0, true, "exposed_exchange", "s",
             "of a trial of several ranks: time of a step between the end of its first rank's backward pass and the "
             "sums of all: mean over the scored slices of its last process"},
    FactInfo{Fact::graph_seconds, "graph_seconds", 0.0, true, "graph_time", "s",
             "part of its first steps in which calls were recorded as graphs of a device and these made ready, in its "
             "last process; 0: it replays none, or does not tell"},
    FactInfo{Fact::nodes, "nodes", std::int64_t{0}, false, "nodes", "1",
             "of a trial of several ranks: nodes that they were on; 0: all on one"},
    FactInfo{
        Fact::slowest_rank, "slowest_rank", std::string(), true, "slowest_rank", "",
        "of a trial of several ranks: the one that came last with its gradients, and at which part of all buckets; "
        "empty: it does not tell"},
    FactInfo{Fact::rank_spread, "rank_spread", 0.0, true, "rank_spread", "s",
             "of a trial of several ranks: time between the first and the last of them at the last bucket of a step: "
             "mean over the scored slices of its last process"},
    FactInfo{Fact::exchange_buckets, "exchange_buckets", std::vector<BucketTimes>(), true, "exchange_buckets", "",
             "of a trial of several ranks, as JSON: of each bucket its bytes, and in us the mean time after the first "
             "gradients of a step at which the first and the last rank had written it and its sums were there; empty: "
             "it does not tell"},
    FactInfo{Fact::parameter_hash, "parameter_hash", std::string(), false, "parameter_hash", "",
             "of the weights after the first steps, of a trial that was shown to do the same work: equal ones have the "
             "same bits; empty: it was not compared, or the engine does not tell"},
    FactInfo{Fact::exchange_ranks, "exchange_ranks", std::vector<RankTimes>(), true, "exchange_ranks", "",
             "of a trial of several ranks, as JSON: of each rank, in us of a mean step, how long it computed, how long "
             "it then waited for the last rank's gradients, and how long the last sums took; empty: it does not tell"},
    FactInfo{Fact::memory_growth, "memory_growth", 0.0, false, "memory_growth", "byte",
             "growth of resident memory with each step after warm-up: median over processes"},
    FactInfo{Fact::memory_steps, "memory_steps", std::int64_t{0}, false, "memory_steps", "1",
             "steps that a process had run when its memory was last read: median over processes"},
    FactInfo{Fact::device_peak_bytes, "device_peak_bytes", std::int64_t{0}, true, "device_peak_memory", "byte",
             "most memory of a device that the engine's allocator gave out at once while it was measured, in its last "
             "process; 0: it computes in the host's, or does not tell"}};

struct KnownFact {
  Fact fact;
  FactValue value;
  friend bool operator==(const KnownFact&, const KnownFact&) = default;
};

/// The known facts, each at most once, ordered by number.
using Facts = std::vector<KnownFact>;

const FactInfo& info(Fact fact);
/// Whether messages, journals and columns hold it as text; the others are numbers.
inline bool is_text(const FactInfo& info) {
  return !std::holds_alternative<double>(info.zero) && !std::holds_alternative<std::int64_t>(info.zero);
}

/// The text by which messages, journals and columns hold a value that is no number. An unknown one has an empty text.
std::string text_of(const FactValue& value);
/// Reads text_of() back. Throws InputError for a text that this fact cannot have.
FactValue parse_fact(const FactInfo& info, std::string_view text);
/// Hands `to` the value as messages, journals and columns hold it: a double, a whole number, or a text.
template <class To>
void visit_plain(const FactValue& value, const To& to) {
  if (const auto* number = std::get_if<double>(&value)) return to(*number);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return to(*count);
  if (const auto* text = std::get_if<std::string>(&value)) return to(*text);
  to(text_of(value));
}

/// Replaces what was known of this fact; a value of zero, or an empty text, makes it unknown. Throws InternalError for
/// a value of another type than the table's.
void set(Facts& facts, Fact fact, FactValue value);
/// Each fact of `more` replaces what `facts` knew of it.
void merge(Facts& facts, const Facts& more);

/// The zero of the table if it is not known.
const FactValue& value_of(const Facts& facts, Fact fact);
/// The same of a fact of this type.
template <class Value>
const Value& value_of(const Facts& facts, Fact fact) {
  return std::get<Value>(value_of(facts, fact));
}
/// Its text, empty if it is not known.
std::string text_of(const Facts& facts, Fact fact);
/// 0 if it is not known.
double number_of(const Facts& facts, Fact fact);

/// Whether this name means something in all results, so that neither an axis nor a result may have it: "status", and
/// what begins with m_, f_ or baseline_.
bool is_named_by_results(std::string_view name);

/// Whether a program or a loop may tell a number under this name: letters, digits, `_`, `.` and `-`, a letter first,
/// and no column of the results, as "step_time", "host" and "n".
bool may_be_result(std::string_view name);

}  // namespace regatta::sweep

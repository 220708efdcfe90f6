// The few lines that answer first: how much ran, what takes how long against what, and where it was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regatta/sweep/outcome.hpp"
#include "report/findings/view.hpp"

namespace regatta::report {

/// "18 trials: 16 finished, 1 failed, 1 skipped".
std::string counts_line(const results::Results& results);

/// "47 s", "2 min", "1.54 us".
std::string time_text(double seconds);

/// "24 trials in 89 s on AMD EPYC (2 cores); digits-mlp, 1 thread, CPU": how much ran, how long, where, and what all
/// trials share.
std::string run_line(const View& view);

/// "took 47 s", or "took 6 min of running in 3 sessions", one for each command: pauses between them count nothing.
std::string took_text(const results::Results& results, const std::string& time);

/// Seconds that its commands ran, attempts that failed included. Where one was killed before it told, and of several
/// files merged: in which any block was measured or any leg was trained.
double run_seconds(const results::Results& results);

/// The setting that all trials that ran share: "digits-mlp, batch 7, 1 thread, CPU"; empty if nothing.
std::string shared_setting(const results::Results& results);

/// "unless its name says otherwise, an arm has api keras, input array"; empty if names say all.
std::string unnamed_text(const View& view);

/// One sentence of the headline, and a remark that follows it: how far it can be relied on, or what to do. The remark
/// may be empty.
struct Answer {
  std::string text;
  std::string remark = {};

  friend bool operator==(const Answer&, const Answer&) = default;
};

/// Both in one line.
std::string one_line(const Answer& answer);

/// The fastest arm of each setting; for two arms the range of their ratio over the sweep; or why there is no ratio.
std::vector<Answer> headline(const View& view);

/// For each pair of arms the range of its ratios, most extreme first, at most eight.
std::vector<std::string> pair_ranges(const View& view);

/// The effects that contrasts show together: crossovers, interactions, when a slow start has paid; a few of each.
std::vector<std::string> findings(const View& view);

/// The smallest difference that matters, as a fraction.
double margin_of(const View& view);

/// Processors, cores and flags; engines and versions: one entry each.
std::vector<std::string> machines(const results::Results& results);
std::vector<std::string> engines(const results::Results& results);

/// Trials that ended the same way, without a figure.
struct Ended {
  std::string status;  ///< failed, skipped or open
  std::string reason;
  std::string advice;  ///< the next step for the user
  std::vector<TrialIndex> trials;
  std::vector<std::string> details = {};    ///< one for each trial, or none
  std::optional<sweep::Skipped> skip = {};  ///< the reason of trials that were skipped
  bool needs_time = false;                  ///< going on with the run answers it
};

/// The reason and, for the first trials, what is known of each: "it may differ by more or by less than 1 %: numpy: 7
/// pairs of processes, one 17 % off the others: about 5 more, 2 min".
std::string reason_text(const View& view, const Ended& ended);

/// Failed, then open, then skipped; one entry for each reason, of skips that differ in numbers alone one for all.
/// Linear.
std::vector<Ended> not_measured(const results::Results& results);

/// The trials whose figure must not be relied on, one entry for each reason. Rows kept though something has changed and
/// arms that did not do the same work come first, then undecided comparisons. Linear.
std::vector<Ended> not_decided(const View& view);

/// Names that stand for all trials with one reason.
inline constexpr std::size_t names_shown = 4;

/// "native graph batch 1, native graph batch 8 and 3 more".
std::string names_of(const View& view, const std::vector<TrialIndex>& trials, std::size_t most);

}  // namespace regatta::report

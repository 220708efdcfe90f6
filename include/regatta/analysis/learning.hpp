// Tells what training gave: which legs are due, who leads, and how sure that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/search/due.hpp"
#include "regatta/search/findings.hpp"
#include "regatta/search/problem.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::analysis {

using DueLeg = std::pair<TrialIndex, sweep::Leg>;

/// Legs that a sweep asks for by what was recorded: without a search all seeds of all configurations; with one, what
/// search::due says; and when none of these is left, repeats. Skipped trials have none.
std::vector<DueLeg> legs_due(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                             const std::vector<results::LegRow>& legs);

/// Only what decides anything: no repeats.
std::vector<DueLeg> deciding_legs_due(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                      const std::vector<results::LegRow>& legs);

/// The search in the words of search/.
struct SearchStand {
  std::vector<TrialIndex> trials;  ///< one for each configuration
  search::Problem problem;
  std::vector<search::Done> runs;
};
SearchStand search_stand(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                         const std::vector<results::LegRow>& legs);

/// How soon the runs of a configuration reached the objective's target: medians with intervals by the sign test, in
/// which a run that did not reach it lies above all others. An infinite end: never.
struct Target {
  std::size_t runs = 0;
  std::size_t reached = 0;
  stats::Estimate samples;
  stats::Estimate train_seconds;  ///< from the first step, without evaluations
  stats::Estimate all_seconds;    ///< with them
  stats::Estimate with_start;     ///< and with a cold start of the engine and its preparation; NaN: not known
  stats::Estimate ratio;          ///< to the leader's seconds of training, paired by seed; NaN without one
};

/// A configuration that is judged: a finalist of the search; without a search, each one.
struct Ranked {
  TrialIndex trial;
  std::optional<double> searched;  ///< value that the search saw
  search::Figure validation;       ///< the objective at the best evaluation: under fresh seeds, if there was a search
  search::Figure test;             ///< the objective's kind on the test part; decides nothing
  search::Figure test_loss;        ///< beside an accuracy
  std::optional<stats::Range> new_samples;  ///< at least so far may the test accuracy lie off for samples to come
  std::size_t diverged = 0;                 ///< runs that are over without a score
  stats::Estimate behind;             ///< by how much it is worse than the leader, paired by seed; NaN without a leader
  std::size_t pairs = 0;              ///< seeds under which both have a score
  std::optional<double> correlation;  ///< between both over these seeds: what pairing bought
  bool in_set = true;                 ///< not shown to be worse than the leader by the margin
  bool few_test_samples = false;      ///< shown worse, but not for new samples
  search::Figure train_seconds;       ///< for a whole run, without evaluations
  std::optional<Target> target;       ///< where the objective has one
  std::optional<double> peak_bytes;
  std::optional<TrialIndex> dominated_by;  ///< one that is shown to be better in something and as good in the rest
};

/// A configuration that the search did not train to the end; see search::Stopped.
struct StoppedTrial {
  TrialIndex trial;
  std::uint32_t after_rung = 0;
  bool diverged = false;
  bool trained_on = false;
  std::optional<double> end_score;
  bool would_be_in_set = false;
};

/// A run and the same run once more, under the same seed.
struct Repeat {
  std::string engine;
  TrialIndex trial;
  std::int64_t seed = 0;
  bool failed = false;                       ///< the second one has no result
  std::size_t evaluations = 0;               ///< evaluations of the first one
  std::optional<std::int64_t> differs_from;  ///< samples seen at the first evaluation that is another; nothing: none is
  std::string metric;                        ///< a loss, where there is one; its last values in both:
  double first = 0;
  double second = 0;
};

/// How much was trained.
struct Tally {
  std::size_t configurations = 0;
  std::size_t skipped = 0;  ///< configurations that cannot be, which are not counted above
  std::size_t runs = 0;     ///< a configuration under a seed
  std::size_t legs = 0;
  std::size_t tested = 0;         ///< runs whose best weights saw the test part
  std::size_t diverged = 0;       ///< runs
  std::size_t stopped_early = 0;  ///< runs
  double train_seconds = 0;
  double evaluate_seconds = 0;
};

/// The start-up time of an engine's processes.
struct ColdStart {
  std::string engine;
  double seconds = 0;  ///< the median
  std::size_t processes = 0;
};

struct LegFailure {
  TrialIndex trial;
  sweep::Leg leg;
  std::string message;
};

/// How far apart runs of one configuration are that differ in nothing but their seeds.
struct SeedNoise {
  double spread = 0;               ///< standard deviation of the objective, pooled within configurations
  std::size_t runs = 0;            ///< runs that chose nothing
  std::size_t configurations = 0;  ///< with at least two of them; 0: unknown
};

/// In samples; 0: not known.
struct Parts {
  std::int64_t training = 0;
  std::int64_t validation = 0;
  std::int64_t test = 0;
  std::int64_t repeated = 0;  ///< test samples that stand in another part, too
};

/// All that a training sweep found.
struct Learning {
  sweep::Training training;
  sweep::Objective objective;
  std::optional<sweep::Search> search;
  std::vector<sweep::Param> axes;  ///< the axes that vary over the configurations, in reading order
  bool over = false;               ///< no leg is due that decides anything
  std::vector<Ranked> ranking;     ///< the best first
  std::optional<TrialIndex> leader;
  std::optional<double> optimism;  ///< bias from choosing the leader; see search::Verdict
  std::vector<StoppedTrial> stopped;
  std::size_t left_out = 0;          ///< not shown to be worse than the finalists, but one too many
  std::vector<search::Noise> noise;  ///< after each rung, as the search knew it
  SeedNoise seed_noise;              ///< as the runs that are judged tell it
  search::Cost cost;
  std::vector<search::Warning> warnings;
  Parts parts;
  Tally tally;
  std::vector<LegFailure> failures;
  std::vector<Repeat> repeats;    ///< by engine
  std::size_t repeats_due = 0;    ///< once all is over that decides anything
  std::vector<ColdStart> starts;  ///< by engine
  results::TestOpenings openings;
};

/// Whether the metric is a part of samples, so that differences are points and not ratios.
bool is_accuracy(const std::string& metric);

/// Nothing if the results' sweep trains nothing, or cannot be read any more.
std::optional<Learning> learning_of(const results::Results& results);

}  // namespace regatta::analysis

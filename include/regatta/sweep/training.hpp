// The part of a sweep of task `train` beyond its axes, and the stretches of training that its plan is made of
// (docs/guide/training.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/base/digest.hpp"

namespace regatta::sweep {

/// Ends a run whose objective has not improved by `min_delta` for `patience` evaluations in a row.
struct EarlyStop {
  std::int64_t patience = 5;  ///< evaluations
  double min_delta = 0;       ///< in the objective's own unit
  bool operator==(const EarlyStop&) const = default;
};

/// The `train` object: how each run goes. Hyperparameters are axes.
struct Training {
  std::optional<double> epochs;       ///< the horizon, in passes over the training part; or
  std::optional<std::int64_t> steps;  ///< ... in steps
  std::int64_t evaluations = 20;      ///< looks at the validation part, after equally many samples each
  double validation = 0.2;            ///< part of the training samples, drawn by the run's seed
  std::int64_t seeds = 12;            ///< runs of each configuration; with a search, of each finalist
  std::optional<EarlyStop> early_stop;
  bool keep_weights = false;        ///< the checkpoints of its runs stay in the run's folder
  std::optional<bool> repeat = {};  ///< one training of each engine again under its seed; not set: where it is cheap
  bool keeps_processes = false;     ///< runs follow each other in one process; else each stage begins in a fresh one
  bool operator==(const Training&) const = default;
};

/// Names of metrics in a curve. A user's own loop has the metrics that it reports.
inline constexpr const char* train_loss = "train_loss";
inline constexpr const char* validation_loss = "validation_loss";
inline constexpr const char* validation_accuracy = "validation_accuracy";
inline constexpr const char* test_loss = "test_loss";
inline constexpr const char* test_accuracy = "test_accuracy";

/// The `objective` object: what better means.
struct Objective {
  std::string metric = validation_accuracy;  ///< one that curves have
  bool maximizes = true;
  double margin = 0.01;               ///< the smallest difference that matters: 0.01 of an accuracy is one point
  std::optional<double> target = {};  ///< the report says how soon runs reach it; changes no training
  bool operator==(const Objective&) const = default;
};

/// The `search` object: which runs go on.
struct Search {
  bool halves = true;        ///< rung by rung; else every configuration is trained to the end
  std::int64_t rungs = 3;    ///< the last one is the horizon
  double factor = 3;         ///< a rung is so many times as long as the one before, and as many runs are stopped
  std::int64_t at_most = 8;  ///< configurations that train again under fresh seeds
  bool operator==(const Search&) const = default;
};

/// Why a stretch is trained.
enum class Purpose : std::uint8_t {
  plain,   ///< no search: a configuration under one of its seeds
  search,  ///< a configuration in a rung, under the seed that all of them share
  clone,   ///< the same under another seed, which the search cannot tell apart: it tells the noise
  fresh,   ///< a finalist under a seed that chose nothing
  test,    ///< such a run's best weights on the test part: nothing is trained
  again    ///< a run once more under its own seed: it tells whether that gives the same bits, and decides nothing
};
inline constexpr Purpose last_purpose = Purpose::again;
inline constexpr const char* purpose_names[] = {"plain", "search", "clone", "fresh", "test", "again"};

/// A stretch of the training of one configuration under one seed: the unit of dispatch, commit and resume.
struct Leg {
  Purpose purpose = Purpose::plain;
  std::int64_t seed = 0;   ///< draws initial weights, order, dropout and the split of training from validation
  std::uint32_t rung = 0;  ///< 0: the first
  double from = 0;         ///< where it begins, as a fraction of the horizon in samples
  double to = 1;
  bool operator==(const Leg&) const = default;
};

/// Where a rung ends, as a fraction of the horizon; the last one ends at 1.
double end_of_rung(const Search& search, std::uint32_t rung);

inline constexpr std::int64_t search_seed = 0;
inline constexpr std::int64_t clone_seed = 1;
inline constexpr std::int64_t first_fresh_seed = 1000;

/// The run that is repeated has the first seed that chose nothing.
inline std::int64_t repeated_seed(const std::optional<Search>& search) { return search ? first_fresh_seed : 0; }

/// Whether a training of each engine is repeated: as the file says, or else behind a search, and where that is at most
/// a tenth of all training. Configurations that cannot be count, too: nothing that is recorded changes it.
bool wants_repeats(const Training& training, const std::optional<Search>& search, std::size_t configurations,
                   std::size_t engines);

/// An evaluation. A value is NaN where the metric was not computed or is not finite.
struct CurvePoint {
  std::int64_t step = 0;     ///< since the run began
  std::int64_t samples = 0;  ///< the same
  double train_seconds = 0;  ///< the same, without evaluations
  double evaluate_seconds = 0;
  std::vector<double> values;  ///< one for each of Curve::metrics
  bool operator==(const CurvePoint&) const = default;
};

struct Curve {
  std::vector<std::string> metrics;
  std::vector<CurvePoint> points;
  bool operator==(const Curve&) const = default;
};

/// How a leg ended.
enum class LegEnd : std::uint8_t {
  reached,   ///< its end
  stopped,   ///< early, because the objective did not improve any more: the run is over
  diverged,  ///< a loss is not finite: the run is over, and last wherever it is compared
};
inline constexpr const char* leg_end_names[] = {"reached", "stopped", "diverged"};

/// The result of a leg.
struct Learned {
  LegEnd end = LegEnd::reached;
  Curve curve;                      ///< this leg's alone
  std::int64_t best_step = 0;       ///< the evaluation with the best objective since the run began; 0: none
  std::vector<double> best = {};    ///< values there; one for each of Curve::metrics
  std::optional<double> test_loss;  ///< the best weights'; only where the leg opened the test part
  std::optional<double> test_accuracy;
  std::string test_hits = {};         ///< test samples that were classified rightly (hits_text); empty: not kept
  std::int64_t training_samples = 0;  ///< sizes of the parts
  std::int64_t validation_samples = 0;
  std::int64_t test_samples = 0;
  std::int64_t repeated_samples = 0;  ///< test samples that stand in the training or validation part, too
  double peak_bytes = 0;              ///< resident memory of the worker while it trained, at most; 0: not known
  double start_seconds = 0;     ///< its process took to be ready, imports included, for whatever leg; 0: not known
  double prepare_seconds = 0;   ///< to build and compile the model of this leg; 0: not known
  std::string checkpoint = {};  ///< file of the run's weights in the folder of checkpoints; empty: none is kept
  bool operator==(const Learned&) const = default;
};

/// The largest test part for which `test_hits` are kept.
inline constexpr std::int64_t most_hits = 100'000;

/// Four samples for each hexadecimal digit, the first one in the highest bit; the rest of the last digit is 0.
std::string hits_text(const std::vector<bool>& hits);
/// Throws InputError for what is no such text of so many samples.
std::vector<bool> hits_of(std::string_view text, std::int64_t samples);

/// As messages, journals and checkpoints hold it; numbers that are not finite are null.
std::string to_json(const Learned& learned);
/// Throws InputError for what no leg can give.
Learned parse_learned(std::string_view json);

}  // namespace regatta::sweep

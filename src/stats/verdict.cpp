#include "regatta/stats/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/order_effects.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"
#include "stats/contrast_blocks.hpp"
#include "stats/verdict.hpp"

namespace regatta::stats {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Where the interval lies after a series of pairs.
struct Located {
  double estimate = std::numeric_limits<double>::quiet_NaN();
  Range range;
  Range signs;  ///< the interval from signs of pairs alone
  bool drifted = false;
  PairMoments pairs;
};

/// The value of each pair, and the part of its variance that the squares of this pair and of those before it explain.
struct Values {
  std::vector<double> log_ratios;
  std::vector<double> within_variances;
};

Values totals_of(std::span<const Pair> pairs) {
  Values values;
  for (std::size_t n = 1; n <= pairs.size(); ++n) {
    values.log_ratios.push_back(log_ratio(pairs[n - 1].total));
    values.within_variances.push_back(within_variance(pairs.first(n)));
  }
  return values;
}

Values typical_of(std::span<const Pair> pairs) {
  Values values;
  for (std::size_t n = 1; n <= pairs.size(); ++n) {
    values.log_ratios.push_back(typical_log_ratio(pairs[n - 1]));
    values.within_variances.push_back(typical_within_variance(pairs.first(n)));
  }
  return values;
}

/// Whether values in the order of time follow a line, or are more like their neighbours than like others, by more
/// standard errors than chance explains: they are no replicates then. A movement by much less than `delta` changes no
/// verdict.
bool has_moved(std::span<const double> values, double delta) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < rules::enough_process_pairs) return false;
  const double level = mean(values);
  double squares = 0, along = 0, times = 0, neighbours = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = values[i] - level;
    const double time = static_cast<double>(i) - (n - 1) / 2;
    squares += off * off;
    along += time * off;
    times += time * time;
    if (i > 0) neighbours += off * (values[i - 1] - level);
  }
  if (std::sqrt(squares / (n - 1)) <= rules::moved_deltas * delta) return false;
  const double trend = along / std::sqrt(times * squares);  // the correlation with time
  const double alike = neighbours / squares;                // autocorrelation at lag 1; -1 / n on average
  const double trend_errors = std::abs(trend) * std::sqrt((n - 2) / std::max(1e-12, 1 - trend * trend));
  const double alike_errors = (alike + 1 / n) * std::sqrt(n);
  return alike_errors > rules::moved_errors || trend_errors > student_half_width(n - 2, rules::moved_alpha);
}

/// Whether all values lie beyond `delta` on one side, and further from it than from each other: they would have to move
/// as far again before the verdict was another one.
bool is_far_beyond(std::span<const double> values, double delta) {
  const auto [low, high] = std::ranges::minmax(values);
  return std::max(low, -high) - delta > high - low;
}

/// Pairs in the order of time, and where the interval lies after each.
class PairSeries {
 public:
  explicit PairSeries(const JudgeOptions& options)
      : delta_(indifference(options)), sequence_(options.alpha, options.prior) {}

  void add(double log_ratio, double within_variance) {
    values_.push_back(log_ratio);
    sequence_.add(log_ratio, within_variance);
  }

  [[nodiscard]] Located located() const {
    Located result;
    if (values_.empty()) return result;
    const bool is_empty = sequence_.range().empty();
    result.drifted = (is_empty || has_moved(values_, delta_)) && !is_far_beyond(values_, delta_);
    result.range = is_empty ? sequence_.latest() : sequence_.range();
    result.signs = sequence_.signs();
    result.pairs = sequence_.moments();
    result.estimate = std::clamp(median(sequence_.sorted()), result.range.low, result.range.high);
    return result;
  }

  [[nodiscard]] std::span<const double> values() const { return values_; }

 private:
  double delta_;
  PairSequence sequence_;
  std::vector<double> values_;
};

PairSeries series_of(std::span<const double> log_ratios, std::span<const double> within_variances,
                     const JudgeOptions& options) {
  PairSeries series(options);
  for (std::size_t i = 0; i < log_ratios.size(); ++i) series.add(log_ratios[i], within_variances[i]);
  return series;
}

Located locate(const Values& values, const JudgeOptions& options) {
  return series_of(values.log_ratios, values.within_variances, options).located();
}

Range widened(const Range& range, double by) { return {range.low - by, range.high + by}; }

Located locate_unordered(std::span<const double> values, const JudgeOptions& options) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  Located at;
  at.pairs = moments_of(sorted, 0);
  at.range = pairs_interval(sorted, at.pairs, options.prior, options.alpha);
  if (at.range.empty()) at.range = {};  // mean and signs contradict each other: nothing is known
  at.estimate = std::clamp(at.pairs.mean, at.range.low, at.range.high);
  at.signs = sign_interval(std::move(sorted), options.alpha);
  return at;
}

/// Nothing is told from one pair.
Verdict verdict_at(const Located& at, const Range& range, double delta) {
  const bool has_enough = at.pairs.n >= static_cast<double>(rules::fewest_process_pairs);
  return at.drifted || !has_enough ? Verdict::undecided : verdict_of(range, delta);
}

Reading reading_of(const Located& at, double delta, std::size_t squares) {
  return {at.estimate, at.range, verdict_at(at, at.range, delta), squares};
}

void decide(Judgement& judgement, const Located& at, const JudgeOptions& options, std::span<const double> values) {
  const double delta = indifference(options);
  const double misfit = options.call_length_misfit > delta ? options.call_length_misfit : 0;
  judgement.pairs = at.pairs;
  judgement.estimate = at.estimate;
  judgement.low = at.range.low;
  judgement.high = at.range.high;
  judgement.over_call_lengths = widened(at.range, misfit);
  judgement.verdict = verdict_at(at, judgement.over_call_lengths, delta);
  judgement.confirmed =
      judgement.verdict != Verdict::undecided && verdict_of(widened(at.signs, misfit), delta) == judgement.verdict;
  if (at.drifted) judgement.raise(Flag::drifting);
  if (misfit > 0) judgement.raise(Flag::call_length);
  judgement.precise = judgement.verdict != Verdict::undecided && narrow_enough(at.range, at.estimate, options);
  judgement.e_value = pairs_evidence_outside(values, at.pairs, options.prior, {-delta - misfit, delta + misfit});
}

void take_back(Judgement& judgement, Flag why) {
  judgement.raise(why);
  judgement.verdict = Verdict::undecided;
  judgement.confirmed = judgement.precise = false;
}

/// Another verdict, or an interval that lies apart about a figure which is on its way to another verdict.
bool contradicts(const Reading& other, const Judgement& judgement, double delta) {
  if (other.verdict != Verdict::undecided) return other.verdict != judgement.verdict;
  const bool lies_apart = other.range.high < judgement.low || other.range.low > judgement.high;
  return lies_apart && verdict_of({other.estimate, other.estimate}, delta) != judgement.verdict;
}

/// R1: all time counts, and where a reading without stalls contradicts it, whether stalls belong to the arm decides.
void read_without_stalls(Judgement& judgement, const Located& typical, const JudgeOptions& options) {
  const double delta = indifference(options);
  judgement.without_stalls = reading_of(typical, delta, judgement.squares);
  if (judgement.verdict != Verdict::undecided && contradicts(judgement.without_stalls, judgement, delta))
    take_back(judgement, Flag::stalls);
}

/// Whether medians of steps, or all slices together, tell another story than the typical pair (R1).
bool has_spikes(const Judgement& judgement, const Values& values, std::span<const Pair> pairs, double delta,
                double alpha) {
  std::vector<double> of_medians;
  for (const Pair& pair : pairs) of_medians.push_back(median_steps_log_ratio(pair.total));
  const Range range = sign_interval(values.log_ratios, alpha);
  if (judgement.totals_estimate < range.low - delta || judgement.totals_estimate > range.high + delta) return true;
  if (std::isnan(judgement.median_steps_estimate)) return false;
  const Range other = sign_interval(std::move(of_medians), alpha);
  return other.high < range.low || other.low > range.high;
}

double median_of_medians(std::span<const Pair> pairs) {
  std::vector<double> values;
  for (const Pair& pair : pairs) {
    values.push_back(median_steps_log_ratio(pair.total));
    if (std::isnan(values.back())) return values.back();
  }
  return median(std::move(values));
}

/// Standard error of the log ratio of totals, from how far the time of a square is off that of the typical one.
double totals_error(const std::vector<Block>& squares) {
  std::vector<double> excess;  // arm a over arm b
  for (const Block& square : squares)
    excess.push_back(square.a.seconds / square.a.work - square.b.seconds / square.b.work);
  const Block all = joined(squares);
  const double level = mean(excess);
  double sum = 0;
  for (const double each : excess) sum += (each - level) * (each - level);
  return std::sqrt(sum) / static_cast<double>(squares.size()) / (all.b.seconds / all.b.work);
}

std::vector<Block> undisturbed(const std::vector<Block>& squares) {
  std::vector<Block> clean;
  std::ranges::copy_if(squares, std::back_inserter(clean), [](const Block& square) { return !square.disturbed; });
  return clean;
}

/// Stalls that are too rare to move the typical block are time all the same (R1), unless chance may have dealt them to
/// one arm. Slices that the machine was seen to disturb do not count, as far as there are others.
bool has_rare_stalls(const std::vector<Block>& squares, double delta) {
  if (squares.front().a.quantile > 0) return false;  // a sweep that compares a quantile asks for nothing beyond it
  const std::vector<Block> clean = undisturbed(squares);
  const std::vector<Block>& counted = clean.empty() ? squares : clean;
  const double apart = std::abs(log_ratio(joined(counted)));
  return apart > delta && apart > std::min(rules::most_unsaid, rules::chance_errors * totals_error(counted));
}

/// The effect of the slices' disturbance flags (R18): flagged slices count, and a second reading leaves them out.
void read_undisturbed(Judgement& judgement, const std::vector<Block>& squares, const JudgeOptions& options) {
  const std::vector<Block> clean = undisturbed(squares);
  if (clean.size() < squares.size()) judgement.raise(Flag::disturbed);
  const std::vector<Pair> pairs = closed_pairs(clean);
  judgement.undisturbed = reading_of(locate(totals_of(pairs), options), indifference(options), clean.size());
}

void raise_order_flags(Judgement& judgement, const ContrastSlices& contrast, double delta, double alpha) {
  if (carries_over(contrast.a, delta, alpha) || carries_over(contrast.b, delta, alpha))
    judgement.raise(Flag::carry_over);
  const std::array<std::span<const SliceValue>, 2> arms = {contrast.a, contrast.b};
  const std::vector<Estimate> effects = position_effects(arms, alpha);
  for (const Estimate& effect : effects)
    if (!effect.range.contains(0))
      judgement.position_effect = std::max(judgement.position_effect, std::abs(effect.value));
  if (position_matters(effects, rules::position_deltas * delta) || first_slice_matters(arms, delta))
    judgement.raise(Flag::position);
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names = {"undecided", "faster", "slower", "same"};
  return names.at(static_cast<std::size_t>(verdict));
}

Verdict verdict_of(Range range, double delta) {
  if (range.empty()) return Verdict::undecided;
  if (range.high <= -delta) return Verdict::faster;
  if (range.low >= delta) return Verdict::slower;
  if (range.low > -delta && range.high < delta) return Verdict::same;
  return Verdict::undecided;
}

bool narrow_enough(Range range, double estimate, const JudgeOptions& options) {
  const double wanted = std::max(options.half_width, options.relative_half_width * std::abs(estimate));
  return (range.high - range.low) / 2 <= wanted;
}

double indifference(const JudgeOptions& options) { return std::log1p(options.margin); }

Judgement judge(const ContrastSlices& contrast, const JudgeOptions& options) {
  const double delta = indifference(options);
  const auto squares = complete_squares(contrast);
  const std::vector<Pair> pairs = closed_pairs(squares);
  const Values values = totals_of(pairs);
  Judgement judgement;
  judgement.squares = squares.size();
  judgement.units = pairs.size();
  judgement.process_pairs = pairs_of(squares).size();
  if (pairs.empty()) return judgement;
  decide(judgement, locate(values, options), options, values.log_ratios);
  judgement.totals_estimate = log_ratio(joined(squares));
  judgement.median_steps_estimate = median_of_medians(pairs);
  read_without_stalls(judgement, locate(typical_of(pairs), options), options);
  if (judgement.verdict == Verdict::same && has_rare_stalls(squares, delta)) take_back(judgement, Flag::rare_stalls);
  if (has_spikes(judgement, values, pairs, delta, options.alpha)) judgement.raise(Flag::spikes);
  raise_order_flags(judgement, contrast, delta, options.alpha);
  read_undisturbed(judgement, squares, options);
  return judgement;
}

std::vector<Judgement> judge_each_pair(const ContrastSlices& contrast, const JudgeOptions& options,
                                       const std::function<bool(const Judgement&)>& is_last) {
  const std::vector<Pair> pairs = closed_pairs(complete_squares(contrast));
  const Values values = totals_of(pairs), typical = typical_of(pairs);
  PairSeries of_totals(options), of_typical(options);
  std::vector<Judgement> judgements;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    of_totals.add(values.log_ratios[i], values.within_variances[i]);
    of_typical.add(typical.log_ratios[i], typical.within_variances[i]);
    Judgement& judgement = judgements.emplace_back();
    judgement.units = judgement.process_pairs = i + 1;
    decide(judgement, of_totals.located(), options, of_totals.values());
    read_without_stalls(judgement, of_typical.located(), options);
    if (is_last(judgement)) break;
  }
  return judgements;
}

SpreadHistory history_of(const Judgement& judgement, bool is_clone) {
  SpreadHistory history;
  const PairMoments& pairs = judgement.pairs;
  if (pairs.n < 2) return history;
  if (is_clone)
    history.add(pairs.sum_squares + pairs.n * pairs.mean * pairs.mean, pairs.n, pairs.within_variance);
  else
    history.add(pairs.sum_squares, pairs.n - 1, pairs.within_variance);
  return history;
}

Judgement judge_units(std::span<const double> log_ratios, const JudgeOptions& options) {
  Judgement judgement;
  judgement.units = judgement.process_pairs = log_ratios.size();
  if (log_ratios.empty()) return judgement;
  const Values values{{log_ratios.begin(), log_ratios.end()}, std::vector<double>(log_ratios.size())};
  decide(judgement, locate(values, options), options, log_ratios);
  return judgement;
}

Judgement judge_replicates(std::span<const double> log_ratios, const JudgeOptions& options) {
  Judgement judgement;
  judgement.units = judgement.process_pairs = log_ratios.size();
  if (log_ratios.empty()) return judgement;
  decide(judgement, locate_unordered(log_ratios, options), options, log_ratios);
  return judgement;
}

namespace {

constexpr double most_growth = 2;  // later values over the first pair

double unit_of(std::span<const double> a, std::span<const double> b) {
  double first = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double of_pair = std::max(std::abs(a[i]), std::abs(b[i]));
    if (first == 0) first = of_pair;
    largest = std::max(largest, of_pair);
  }
  if (largest == 0) return 1;
  return largest > most_growth * first ? largest : first;
}

/// A percentage is of the unit; log1p of the margin is what counts as no difference.
double margin_in(double unit, const JudgeOptions& options) {
  return std::expm1(options.absolute_margin ? *options.absolute_margin / unit : options.margin);
}

}  // namespace

bool needs_differences(std::span<const double> a, std::span<const double> b, const JudgeOptions& options) {
  const auto has_no_ratio = [](double value) { return value <= 0; };
  return options.absolute_margin || std::ranges::any_of(a, has_no_ratio) || std::ranges::any_of(b, has_no_ratio);
}

JudgedDifferences judge_differences(std::span<const double> a, std::span<const double> b, const JudgeOptions& options,
                                    bool has_order) {
  const std::size_t pairs = std::min(a.size(), b.size());
  a = a.first(pairs);
  b = b.first(pairs);
  JudgedDifferences judged{{}, unit_of(a, b), options};
  judged.options.margin = margin_in(judged.unit, options);
  std::vector<double> values;
  for (std::size_t i = 0; i < pairs; ++i) values.push_back((a[i] - b[i]) / judged.unit);
  judged.judgement = has_order ? judge_units(values, judged.options) : judge_replicates(values, judged.options);
  judged.judgement.squares = pairs;
  return judged;
}

}  // namespace regatta::stats

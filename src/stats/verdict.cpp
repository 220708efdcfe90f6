#include "regatta/stats/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/order_effects.hpp"
#include "regatta/stats/summaries.hpp"
#include "stats/contrast_blocks.hpp"

namespace regatta::stats {
namespace {

/// Where the interval lies after a series of units.
struct Located {
  double estimate = std::numeric_limits<double>::quiet_NaN();
  Range range;
  bool drifted = false;
  double widening = 0;  ///< added to the last interval
};

Located located(const ConfidenceSequence& sequence, double widening) {
  Located result;
  result.drifted = sequence.range().empty();
  result.range = result.drifted ? sequence.latest() : sequence.range();
  result.widening = widening;
  result.estimate = median(sequence.sorted());
  if (!sequence.sorted().empty()) result.estimate = std::clamp(result.estimate, result.range.low, result.range.high);
  return result;
}

/// Share of the process effect that stays in the mean of squares of several pairs, while squares are added.
class PairShare {
 public:
  double after(std::size_t pair) {
    count_ = pair == pair_ ? count_ + 1 : 1;
    pair_ = pair;
    ++total_;
    squares_ += 2 * count_ - 1;
    return std::sqrt(squares_) / total_;
  }

 private:
  std::size_t pair_ = 0;
  double count_ = 0;    ///< squares of this pair
  double total_ = 0;    ///< squares
  double squares_ = 0;  ///< sum over pairs of count^2
};

Located locate(const Units& units, const JudgeOptions& options) {
  ConfidenceSequence sequence(options.alpha);
  PairShare share;
  double widening = 0;
  std::size_t pair = 0;
  for (const Block& block : units.blocks) {
    if (units.widened && block.pair != pair) sequence.restart_intersection();
    pair = block.pair;
    widening = units.widened ? options.process_effect * share.after(block.pair) : 0;
    sequence.add(log_ratio(block), widening);
  }
  return located(sequence, widening);
}

void decide(Judgement& judgement, const Located& at, const JudgeOptions& options, std::span<const double> values) {
  const double delta = indifference(options);
  const double misfit = options.call_length_misfit > delta ? options.call_length_misfit : 0;
  judgement.estimate = at.estimate;
  judgement.low = at.range.low;
  judgement.high = at.range.high;
  judgement.over_call_lengths = {at.range.low - misfit, at.range.high + misfit};
  judgement.verdict = at.drifted ? Verdict::undecided : verdict_of(judgement.over_call_lengths, delta);
  if (at.drifted) judgement.raise(JudgementFlag::drifting);
  if (misfit > 0) judgement.raise(JudgementFlag::call_length);
  if (delta > rules::noisy_margins * options.margin) {
    judgement.raise(JudgementFlag::noisy_device);
    if (judgement.verdict == Verdict::same) judgement.verdict = Verdict::undecided;  // same to what nobody asked for
  }
  judgement.precise = judgement.verdict != Verdict::undecided && narrow_enough(at.range, at.estimate, options);
  judgement.e_value = e_value_outside(values, {-delta - at.widening - misfit, delta + at.widening + misfit});
}

/// Pairs of processes that an interval at this alpha needs: fewer of them are no units.
std::size_t enough_pairs(double alpha) {
  std::size_t pairs = rules::enough_process_pairs;
  while (sign_rank(pairs, alpha) == 0) ++pairs;
  return pairs;
}

/// What squares say where pairs are the units. The mean of two e-values is one: evidence that squares had before there
/// were enough pairs does not vanish with the pair that makes them enough.
double evidence_of_squares(const std::vector<Block>& squares, std::size_t pairs, const JudgeOptions& options) {
  Judgement judgement;
  std::vector<double> values;
  for (const Block& square : squares) values.push_back(log_ratio(square));
  decide(judgement, locate({squares, pairs, true}, options), options, values);
  return judgement.e_value;
}

/// Whether medians of steps, or all slices together, tell another story than the typical block (R1).
bool has_spikes(const Judgement& judgement, std::span<const double> values, const Units& units, double delta,
                double alpha) {
  std::vector<double> of_medians;
  for (const Block& block : units.blocks) of_medians.push_back(median_steps_log_ratio(block));
  if (units.blocks.empty()) return false;
  const Range range = sign_interval({values.begin(), values.end()}, alpha);
  if (judgement.totals_estimate < range.low - delta || judgement.totals_estimate > range.high + delta) return true;
  if (std::isnan(judgement.median_steps_estimate)) return false;
  const Range other = sign_interval(std::move(of_medians), alpha);
  return other.high < range.low || other.low > range.high;
}

double median_of_medians(const Units& units) {
  std::vector<double> values;
  for (const Block& block : units.blocks) {
    values.push_back(median_steps_log_ratio(block));
    if (std::isnan(values.back())) return values.back();
  }
  return median(std::move(values));
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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
/// one arm. What the machine is seen to have caused does not count, as far as there is anything else.
bool has_rare_stalls(const std::vector<Block>& squares, double delta) {
  if (squares.front().a.quantile > 0) return false;  // whoever asks for a quantile asks for nothing beyond it
  const std::vector<Block> clean = undisturbed(squares);
  const std::vector<Block>& counted = clean.empty() ? squares : clean;
  const double apart = std::abs(log_ratio(joined(counted)));
  return apart > delta && apart > std::min(rules::most_unsaid, rules::chance_errors * totals_error(counted));
}

bool all_flagged(const std::vector<SliceValue>& arm) {
  return !arm.empty() && std::all_of(arm.begin(), arm.end(), [](const SliceValue& slice) { return slice.flags != 0; });
}

/// What the disturbance flags of the slices change (R18).
void add_disturbances(Judgement& judgement, const std::vector<Block>& squares, const ContrastSlices& contrast,
                      const JudgeOptions& options) {
  const std::vector<Block> clean = undisturbed(squares);
  if (clean.size() < squares.size()) judgement.raise(JudgementFlag::disturbed);
  if (all_flagged(contrast.a) || all_flagged(contrast.b)) {
    judgement.raise(JudgementFlag::all_disturbed);
    judgement.verdict = Verdict::undecided;
    judgement.precise = false;
  }
  const Units units = replicates(clean, enough_pairs(options.alpha));
  const Located at = locate(units, options);
  judgement.undisturbed_units = units.blocks.size();
  judgement.undisturbed_estimate = at.estimate;
  judgement.undisturbed_low = at.range.low;
  judgement.undisturbed_high = at.range.high;
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

double indifference(const JudgeOptions& options) { return std::log1p(std::max(options.margin, options.floor)); }

std::string judgement_flags_text(std::uint16_t flags) {
  std::string text;
  for (const auto& [flag, name] : judgement_flag_names) {
    if ((flags & static_cast<std::uint16_t>(flag)) == 0) continue;
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

Judgement judge(const ContrastSlices& contrast, const JudgeOptions& options) {
  const double delta = indifference(options);
  const auto squares = complete_squares(contrast);
  const Units units = replicates(squares, enough_pairs(options.alpha));
  std::vector<double> values;
  for (const Block& block : units.blocks) values.push_back(log_ratio(block));
  Judgement judgement;
  judgement.squares = squares.size();
  judgement.units = units.blocks.size();
  judgement.process_pairs = units.process_pairs;
  decide(judgement, locate(units, options), options, values);
  if (squares.empty()) return judgement;
  if (!units.widened && units.blocks.size() < squares.size())
    judgement.e_value = (judgement.e_value + evidence_of_squares(squares, units.process_pairs, options)) / 2;
  judgement.totals_estimate = log_ratio(joined(squares));
  judgement.median_steps_estimate = median_of_medians(units);
  if (judgement.verdict == Verdict::same && has_rare_stalls(squares, delta)) {
    judgement.raise(JudgementFlag::rare_stalls);
    judgement.verdict = Verdict::undecided;
    judgement.precise = false;
  }
  if (units.process_pairs < rules::enough_process_pairs) judgement.raise(JudgementFlag::few_processes);
  if (has_spikes(judgement, values, units, delta, options.alpha)) judgement.raise(JudgementFlag::spikes);
  if (carries_over(contrast.a, delta, options.alpha) || carries_over(contrast.b, delta, options.alpha)) {
    judgement.raise(JudgementFlag::carry_over);
  }
  const std::array<std::span<const SliceValue>, 2> arms = {contrast.a, contrast.b};
  if (position_matters(position_effects(arms, options.alpha), rules::position_deltas * delta) ||
      first_slice_matters(arms, delta))
    judgement.raise(JudgementFlag::position);
  add_disturbances(judgement, squares, contrast, options);
  return judgement;
}

Judgement judge_units(std::span<const double> log_ratios, const JudgeOptions& options) {
  ConfidenceSequence sequence(options.alpha);
  for (const double value : log_ratios) sequence.add(value);
  Judgement judgement;
  judgement.units = log_ratios.size();
  decide(judgement, located(sequence, 0), options, log_ratios);
  return judgement;
}

}  // namespace regatta::stats

#include "measure/renewals.hpp"

#include <algorithm>

#include "measure/measure.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::measure {
namespace {

constexpr std::int64_t enough_pairs = stats::rules::enough_process_pairs;

double sharers(const BlockRun& run) { return run.tour == nullptr ? 1 : static_cast<double>(run.tour->blocks); }

/// Seconds of a pair of processes before a model is built in them.
double import_seconds(const BlockRun& run) {
  double seconds = 0;
  for (const std::size_t at : run.living) seconds += run.arms[at].import_seconds;
  return seconds;
}

/// This comparison's part of what a start takes.
double own_seconds(const Renewals& renewals) {
  return renewals.start_seconds - renewals.import_seconds * (1 - 1 / renewals.sharers);
}

}  // namespace

Renewals planned_renewals(const BlockRun& run, const SliceLengths& lengths, double affordable_squares) {
  if (sweep::is_of_processes(run.task.measure.metric)) return {.start_seconds = start_seconds(run)};  // one value each
  const double one_square = std::max(square_seconds(run, lengths), 1e-6);
  const double in_turn_seconds = start_seconds(run);
  const bool is_side_by_side = run.port.places_beside() > 0 && in_turn_seconds > stats::rules::slow_start_seconds;
  Renewals renewals{.start_seconds = is_side_by_side ? start_seconds_side_by_side(run) : in_turn_seconds,
                    .sharers = sharers(run),
                    .is_side_by_side = is_side_by_side};
  if (renewals.sharers > 1) renewals.import_seconds = std::min(import_seconds(run), renewals.start_seconds);
  const double left_seconds = run.left_seconds() / renewals.sharers;
  renewals.squares_each = stats::squares_per_pair(
      {one_square, own_seconds(renewals) / one_square, affordable_squares, left_seconds / one_square});
  return renewals;
}

bool has_wall_time(const BlockRun& run, const Renewals& renewals, double longest_square_seconds) {
  if (!renewals.is_closed()) return run.left_seconds() > 0;  // half a pair would count for nothing
  return renewals.start_seconds + static_cast<double>(renewals.squares_each) * longest_square_seconds <=
         run.left_seconds();
}

double price_of_start(const Renewals& renewals, double square_seconds) {
  if (renewals.pairs < enough_pairs) return 0;
  return std::max(0.0, own_seconds(renewals) - static_cast<double>(renewals.squares_each) * square_seconds);
}

void renew_processes(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn,
                     double square_seconds, Renewals& renewals) {
  const double before = run.port.now();
  const bool has_started =
      std::ranges::any_of(turn, [&](std::size_t at) { return run.is_living(at) && needs_process(run, run.arms[at]); });
  if (renewals.is_side_by_side) begin_renewals(run, turn);
  for (const std::size_t at : turn)
    for_living(run, at, [&](Arm& arm) { renew_process(run, arm, lengths.of(at).reentry_steps); });
  renewals.start_seconds = run.port.now() - before;
  if (has_started)
    renewals.import_seconds = std::min(renewals.import_seconds, renewals.start_seconds);
  else
    renewals.start_seconds += renewals.import_seconds;  // blocks before it have waited for these imports
  renewals.paid_seconds += price_of_start(renewals, square_seconds);
  ++renewals.pairs;
  renewals.served = 0;
}

}  // namespace regatta::measure

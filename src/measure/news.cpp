#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "measure/forecast.hpp"
#include "measure/measure.hpp"
#include "measure/slice_lengths.hpp"
#include "regatta/stats/process_pairs.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::measure {
namespace {

bool is_piloted(const Arm& arm) { return arm.step_seconds > 0; }

std::string_view engine_name(const Arm& arm) {
  const auto* name = std::get_if<std::string>(&arm.task->parameters[sweep::Param::engine]);
  return name == nullptr ? std::string_view() : std::string_view(*name);
}

/// By arm: what its first step and its pilot took.
std::vector<double> seconds_of_pilots(const BlockRun& run) {
  std::vector<double> seconds(run.arms.size());
  for (const stats::Sample& sample : run.samples) {
    const bool is_pilot = sample.phase == stats::Phase::first || sample.phase == stats::Phase::warmup;
    if (is_pilot) seconds[sample.arm] += sample.seconds;
  }
  return seconds;
}

/// The expected start times of the living arms' processes.
struct Beginning {
  double to_go_seconds = 0;         ///< for those that were not prepared, or not piloted, yet
  double in_turn_seconds = 0;       ///< for fresh ones of them all, one after the other
  double side_by_side_seconds = 0;  ///< or as they may
};

Beginning beginning_of(const BlockRun& run) {
  const std::vector<double> piloted = seconds_of_pilots(run);
  std::vector<SeenArm> starts;
  std::vector<SeenArm> imports;
  std::vector<SeenArm> pilots;
  for (const std::size_t at : run.living) {
    const Arm& arm = run.arms[at];
    for (std::vector<SeenArm>* seen : {&starts, &imports, &pilots}) seen->push_back({engine_name(arm)});
    if (arm.is_prepared) starts.back().seconds = arm.is_program() ? 0 : start_seconds(arm);
    if (arm.is_prepared) imports.back().seconds = arm.import_seconds;
    if (is_piloted(arm)) pilots.back().seconds = piloted[at];
  }
  const std::vector<double> of_start = filled(starts);
  const std::vector<double> of_pilot = filled(pilots);
  Beginning beginning;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!starts[i].seconds) beginning.to_go_seconds += of_start[i];
    if (!pilots[i].seconds) beginning.to_go_seconds += of_pilot[i];
    beginning.in_turn_seconds += of_start[i];
  }
  const std::vector<double> of_import = filled(imports);
  const double rest = beginning.in_turn_seconds - std::accumulate(of_import.begin(), of_import.end(), 0.0);
  beginning.side_by_side_seconds = stats::side_by_side_seconds(of_import, rest, run.port.places_beside());
  return beginning;
}

/// For the processes of another pair of those that go on: as long as all did the last time, where that was less.
double pair_seconds(const BlockRun& run, const SquaresNow& now) {
  double seconds = 0;
  for (const std::size_t at : now.open) seconds += run.arms[at].is_program() ? 0 : start_seconds(run.arms[at]);
  return std::min(seconds, now.renewals.start_seconds);
}

double active_seconds(const BlockRun& run, double before_seconds) {
  return std::min(run.task.wanted_seconds, std::max(run.left_seconds() - before_seconds, 0.0));
}

/// A square before slices are planned: as long as they are wanted, or as a step.
double wanted_square_seconds(const BlockRun& run, double pair_seconds, double planning_seconds) {
  const std::size_t arms = run.living.size();
  const double slice_seconds = stats::wanted_slice_seconds(pair_seconds, planning_seconds, arms);
  double seconds = 0;
  for (const std::size_t at : run.living)
    seconds += std::max(slice_seconds + stats::rules::reentry_seconds, run.arms[at].step_seconds);
  return seconds * static_cast<double>(stats::rounds_per_square(arms));
}

/// No slice was planned yet: the lengths are those that pilots would plan, as far as there are any.
SquaresToGo squares_to_come(const BlockRun& run, const Beginning& beginning) {
  const double active = active_seconds(run, beginning.to_go_seconds);
  const auto rounds_each = static_cast<double>(stats::rounds_per_square(run.living.size()));
  SquaresToGo squares{.before_seconds = beginning.to_go_seconds};
  const double planning = std::min(run.task.planning_seconds, active);
  squares.square_seconds = wanted_square_seconds(run, beginning.in_turn_seconds, planning);
  auto rounds = static_cast<double>(run.task.measure.slices.value_or(stats::most_rounds));
  if (std::ranges::all_of(run.living, [&](std::size_t at) { return is_piloted(run.arms[at]); })) {
    const SliceLengths lengths = planned_lengths(run, planning);
    squares.square_seconds = square_seconds(run, lengths);
    rounds = static_cast<double>(lengths.plan.rounds);
  }
  squares.pays_starts = run.is_sequential();
  squares.squares_left = active / std::max(squares.square_seconds, 1e-6);
  if (!squares.pays_starts) squares.squares_left = rounds / rounds_each;
  return squares;
}

/// Pairs are planned as the loop plans them.
void plan_pairs(const BlockRun& run, const Beginning& beginning, SquaresToGo& squares) {
  squares.start_seconds = beginning.in_turn_seconds;
  if (sweep::is_of_processes(run.task.measure.metric)) return;
  const double square = std::max(squares.square_seconds, 1e-6);
  const double wall_seconds = run.left_seconds() - squares.before_seconds;
  if (run.port.places_beside() > 0) squares.start_seconds = beginning.side_by_side_seconds;
  squares.squares_each =
      stats::squares_per_pair({square, squares.start_seconds / square, squares.squares_left, wall_seconds / square});
}

bool renews(const BlockRun& run) { return run.task.has_baseline && run.living.size() > 1; }

/// Its share of the sweep's time ends a block unless the sweep fixes its slices.
void end_in_time(const BlockRun& run, SquaresToGo& squares) {
  if (!run.task.measure.slices) squares.wall_seconds = run.left_seconds();
  if (!renews(run)) squares.squares_each = std::llround(std::ceil(squares.squares_left)) + squares.served;
}

protocol::BlockStand stand_of(const BlockRun& run) {
  protocol::BlockStand stand;
  stand.block = run.task.block;
  stand.attempt = run.task.attempt;
  stand.arms = static_cast<std::uint32_t>(run.living.size());
  for (const std::size_t at : run.living) {
    stand.prepared += run.arms[at].is_prepared ? 1 : 0;
    stand.piloted += is_piloted(run.arms[at]) ? 1 : 0;
  }
  stand.squares = run.complete_squares;
  return stand;
}

/// "Starting" is what people read for longest where processes start slowly: news that come soon before it would keep it
/// back.
bool better_waits(const BlockRun& run, const SquaresNow& now) {
  if (!renews(run) || now.renewals.is_closed() || now.renewals.start_seconds < news_interval_seconds) return false;
  constexpr double room = 1.5;  // squares are not all as long as the last one
  const auto squares = static_cast<double>(now.renewals.squares_each - now.renewals.served);
  return squares * now.square_seconds < room * news_interval_seconds;
}

/// Whether news are due; then none are for a while.
bool is_due(BlockRun& run) {
  const double now = run.port.now();
  if (now < run.next_news_seconds) return false;
  run.next_news_seconds = now + news_interval_seconds;
  return true;
}

}  // namespace

void tell_beginning(BlockRun& run) {
  if (run.living.empty() || !is_due(run)) return;
  const Beginning beginning = beginning_of(run);
  SquaresToGo squares = squares_to_come(run, beginning);
  plan_pairs(run, beginning, squares);
  end_in_time(run, squares);
  const Forecast ahead = forecast(squares);
  protocol::BlockStand stand = stand_of(run);
  stand.pairs = ahead.pairs;
  stand.left_seconds = ahead.seconds;
  run.port.tell(stand);
}

void tell_squares(BlockRun& run, const SquaresNow& now) {
  if (better_waits(run, now) || !is_due(run)) return;
  const double shrunk = static_cast<double>(now.open.size()) / static_cast<double>(now.served);
  SquaresToGo squares{.square_seconds = now.square_seconds * shrunk,
                      .start_seconds = pair_seconds(run, now),
                      .reckoned_start_seconds = now.renewals.start_seconds,
                      .squares_each = now.renewals.squares_each,
                      .pairs = now.renewals.pairs,
                      .served = now.renewals.served,
                      .squares = run.complete_squares,
                      .squares_left = now.squares_left / shrunk,
                      .pays_starts = run.is_sequential()};
  const bool is_renewed = renews(run) && now.renewals.is_closed();
  if (is_renewed) {
    squares.before_seconds = squares.start_seconds;
    squares.reckoned_start_seconds = squares.start_seconds;
    ++squares.pairs;
    squares.served = 0;
  }
  end_in_time(run, squares);
  const Forecast ahead = forecast(squares);
  protocol::BlockStand stand = stand_of(run);
  stand.pair = squares.pairs;
  stand.pairs = ahead.pairs;
  stand.starts = is_renewed && squares.start_seconds >= news_interval_seconds;
  stand.left_seconds = ahead.seconds;
  run.port.tell(stand);
}

}  // namespace regatta::measure

#include "measure/renewals.hpp"

#include <algorithm>
#include <cmath>

#include "measure/pilot.hpp"

namespace regatta::measure {
namespace {

constexpr std::int64_t fewest_process_pairs = stats::rules::fewest_process_pairs;
constexpr std::int64_t enough_process_pairs = stats::rules::enough_process_pairs;

void renew_processes(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn) {
  for (const std::size_t at : turn)
    for_living(run, at, [&](Arm& arm) { renew_process(run, arm, lengths.of(at).reentry_steps); });
}

}  // namespace

bool Renewals::due(std::int64_t squares_each, std::int64_t expected_squares) const {
  const std::int64_t at_first = std::min(expected_squares, squares_to_verdict) / fewest_process_pairs;
  return served >= (pairs < enough_process_pairs ? std::clamp<std::int64_t>(at_first, 1, squares_each) : squares_each);
}

std::int64_t squares_per_process(const BlockRun& run, const std::vector<std::size_t>& turn, double square_seconds) {
  double start_seconds = 0;
  for (const std::size_t at : turn) start_seconds += run.is_living(at) ? run.arms[at].start_seconds : 0;
  return std::max<std::int64_t>(1,
                                static_cast<std::int64_t>(std::ceil(start_seconds / std::max(square_seconds, 1e-6))));
}

void renew_if_due(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn,
                  double square_seconds, std::int64_t expected_squares, Renewals& renewals) {
  ++renewals.served;
  if (!renewals.due(squares_per_process(run, turn, square_seconds), expected_squares)) return;
  renew_processes(run, lengths, turn);
  ++renewals.pairs;
  renewals.served = 0;
}

}  // namespace regatta::measure

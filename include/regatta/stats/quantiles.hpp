// Quantiles of single calls (measuring.md R14). The next call begins when the one before it ends (a closed loop), so
// they are those of service times: nobody waits in a queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regatta/stats/range.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/samples.hpp"

namespace regatta::stats {

/// One call that was stamped by itself.
struct Call {
  double seconds = 0;
  std::uint32_t slice = 0;
  std::uint32_t process = 0;  ///< counts the processes of this arm from 0
};

/// The scored samples of one arm that are a single call of so many steps; a sample that covers several is none.
std::vector<Call> single_calls(std::span<const Sample> samples, std::int64_t steps_per_call);

/// The number of calls and slices that a quantile needs before it is printed.
struct QuantileNeeds {
  std::size_t calls = 0;
  std::size_t slices = 0;
};
QuantileNeeds needs_of(double q);

/// In how many slices the calls lie.
std::size_t slices_of(std::span<const Call> calls);

/// The q-quantile with its interval between order statistics; nothing where there are too few calls or slices, or the
/// calls depend on each other so much that no interval ends below the longest. Ranks are those of the binomial
/// distribution for as many independent calls as these are worth: calls of one process, or of one slice where there are
/// fewer than 7 processes, need not be independent (the effective number of Korn and Graubard 1998, here from how far
/// the share below the quantile differs between processes).
std::optional<Estimate> call_quantile(std::span<const Call> calls, double q, double alpha = rules::alpha);

/// The q-quantile of few values: its median over repetitions is about that of the distribution, whatever that is, so
/// that two arms with different numbers of calls can be compared (Hyndman & Fan 1996, type 8). NaN for none.
double median_unbiased_quantile(std::vector<double> values, double q);

/// Calls of each arm that one unit of a contrast of q-quantiles needs: fewer would be told by their longest call alone.
std::size_t fewest_calls_of_unit(double q);

}  // namespace regatta::stats

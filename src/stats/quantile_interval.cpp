#include "regatta/stats/quantile_interval.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

/// The first of from .. to for which `holds`, which then holds for all that follow; `to` if there is none before.
template <class Predicate>
std::size_t first_with(std::size_t from, std::size_t to, const Predicate& holds) {
  while (from < to) {
    const std::size_t middle = from + (to - from) / 2;
    if (holds(static_cast<double>(middle))) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

}  // namespace

std::optional<Estimate> quantile_interval(std::vector<double> values, double q, double confidence) {
  if (values.empty() || !(q > 0 && q < 1) || !(confidence > 0 && confidence < 1)) return std::nullopt;
  const std::size_t n = values.size();
  const boost::math::binomial below(static_cast<double>(n), q);  // values below the quantile
  const double miss = (1 - confidence) / 2;
  // x_(l) is above the quantile if fewer than l values lie below it; x_(u) is below it if at least u do.
  const std::size_t low = first_with(0, n, [&](double k) { return boost::math::cdf(below, k) > miss; });
  const std::size_t high =
      first_with(0, n, [&](double k) { return boost::math::cdf(boost::math::complement(below, k)) <= miss; }) + 1;
  if (low == 0 || high > n) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Estimate{*quantile(values, q), {values[low - 1], values[high - 1]}};
}

bool enough_for_quantile(double q, std::size_t slices, std::size_t calls) {
  constexpr std::size_t least_slices = 20;
  constexpr double least_beyond = 10;  // of 1,000 calls 10 lie beyond p99
  const double beyond = static_cast<double>(calls) * std::min(q, 1 - q);
  return slices >= least_slices && beyond >= least_beyond * (1 - 1e-9);
}

}  // namespace regatta::stats

#include "regatta/stats/quantiles.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

/// The calls of one process, or of one slice.
struct Cluster {
  double calls = 0;
  double below = 0;  ///< at or below the quantile
};

std::vector<Cluster> clusters_of(std::span<const Call> calls, double quantile) {
  std::set<std::uint32_t> processes;
  for (const Call& call : calls) processes.insert(call.process);
  const bool of_processes = processes.size() >= rules::enough_process_pairs;
  std::map<std::uint32_t, Cluster> clusters;
  for (const Call& call : calls) {
    Cluster& cluster = clusters[of_processes ? call.process : call.slice];
    cluster.calls += 1;
    cluster.below += call.seconds <= quantile ? 1 : 0;
  }
  std::vector<Cluster> list;
  for (const auto& [number, cluster] : clusters) list.push_back(cluster);
  return list;
}

/// How many independent calls tell as much about the share of calls below the quantile; never more than there are.
double effective_calls(std::span<const Call> calls, double quantile, double alpha) {
  const std::vector<Cluster> clusters = clusters_of(calls, quantile);
  const auto count = static_cast<double>(calls.size());
  const auto groups = static_cast<double>(clusters.size());
  double below = 0;
  for (const Cluster& cluster : clusters) below += cluster.below;
  const double share = below / count;
  double squares = 0;
  for (const Cluster& cluster : clusters)
    squares += (cluster.below - cluster.calls * share) * (cluster.below - cluster.calls * share);
  const double variance = groups / (groups - 1) * squares / (count * count);
  const double of_independent = share * (1 - share) / count;
  const double worth = variance > of_independent ? count * of_independent / variance : count;
  const double normal = boost::math::quantile(boost::math::normal(), 1 - alpha / 2);
  const double student = boost::math::quantile(boost::math::students_t(groups - 1), 1 - alpha / 2);
  return worth * (normal / student) * (normal / student);
}

/// Ranks r < s of n ordered values, counted from 1: the r-th is above the q-quantile, and the s-th below it, with at
/// most alpha / 2 each. s is n + 1 where there is none.
struct Ranks {
  std::size_t low = 0;
  std::size_t high = 0;
};

Ranks ranks_of(std::size_t n, double q, double alpha) {
  const boost::math::binomial below(static_cast<double>(n), q);
  const auto at_most = [&](std::size_t k) { return boost::math::cdf(below, static_cast<double>(k)); };
  const auto at_least = [&](std::size_t k) {
    return k == 0 ? 1.0 : boost::math::cdf(boost::math::complement(below, static_cast<double>(k - 1)));
  };
  const auto middle = static_cast<std::size_t>(q * static_cast<double>(n));
  Ranks ranks{middle, middle + 1};
  while (ranks.low > 0 && at_most(ranks.low - 1) > alpha / 2) --ranks.low;
  while (ranks.high <= n && at_least(ranks.high) > alpha / 2) ++ranks.high;
  return ranks;
}

/// The ranks of `worth` independent values, carried over to `n`, outwards.
std::optional<Range> range_of(const std::vector<double>& sorted, double worth, double q, double alpha) {
  const auto independent = static_cast<std::size_t>(worth);
  if (independent == 0) return std::nullopt;
  const Ranks ranks = ranks_of(independent, q, alpha);
  if (ranks.low == 0 || ranks.high > independent) return std::nullopt;
  const double scale = static_cast<double>(sorted.size()) / static_cast<double>(independent);
  const auto low = static_cast<std::size_t>(std::floor(static_cast<double>(ranks.low) * scale));
  const auto high = static_cast<std::size_t>(std::ceil(static_cast<double>(ranks.high) * scale));
  return Range{sorted[std::max<std::size_t>(low, 1) - 1], sorted[std::min(high, sorted.size()) - 1]};
}

}  // namespace

std::vector<Call> single_calls(std::span<const Sample> samples, std::int64_t steps_per_call) {
  std::vector<Call> calls;
  std::uint32_t starts = 0;
  for (const Sample& sample : samples) {
    if (sample.rank != 0) continue;
    if (sample.phase == Phase::first) ++starts;
    if (sample.phase != Phase::steady || sample.steps != steps_per_call || !std::isfinite(sample.seconds)) continue;
    calls.push_back({sample.seconds, sample.slice, starts == 0 ? 0 : starts - 1});
  }
  return calls;
}

QuantileNeeds needs_of(double q) {
  const auto calls = static_cast<std::size_t>(std::llround(rules::calls_beyond / (1 - q)));
  return {calls, q > rules::frequent_quantile ? rules::slices_of_rare : rules::fewest_units};
}

std::size_t slices_of(std::span<const Call> calls) {
  std::set<std::uint32_t> slices;
  for (const Call& call : calls) slices.insert(call.slice);
  return slices.size();
}

std::optional<Estimate> call_quantile(std::span<const Call> calls, double q, double alpha) {
  const QuantileNeeds needs = needs_of(q);
  if (calls.size() < needs.calls || slices_of(calls) < needs.slices) return std::nullopt;
  std::vector<double> sorted;
  sorted.reserve(calls.size());
  for (const Call& call : calls) sorted.push_back(call.seconds);
  std::ranges::sort(sorted);
  const double value = median_unbiased_quantile(sorted, q);
  const auto range = range_of(sorted, effective_calls(calls, value, alpha), q, alpha);
  if (!range) return std::nullopt;
  return Estimate{value, *range};
}

double median_unbiased_quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<double>(values.size());
  const double rank = std::clamp((count + 1.0 / 3) * q + 1.0 / 3, 1.0, count);
  return *quantile(std::move(values), count > 1 ? (rank - 1) / (count - 1) : 0);
}

std::size_t fewest_calls_of_unit(double q) { return static_cast<std::size_t>(std::llround(1 / (1 - q))); }

}  // namespace regatta::stats

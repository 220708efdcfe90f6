#include "regatta/stats/pair_spreads.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "regatta/stats/rules.hpp"

namespace regatta::stats {
namespace {

std::string key_of(std::string_view a, std::string_view b) {
  return std::string(std::min(a, b)) + " | " + std::string(std::max(a, b));
}

}  // namespace

void SpreadHistory::add(double sum_squares, double degrees_more, double within_variance) {
  for (std::size_t k = 0; k < spread_levels.size(); ++k) {
    const double variance = spread_levels[k] * spread_levels[k] + within_variance;
    log_likelihoods[k] -= degrees_more / 2 * std::log(variance) + sum_squares / (2 * variance);
  }
  degrees += degrees_more;
}

void SpreadHistory::add(const SpreadHistory& more) {
  for (std::size_t k = 0; k < spread_levels.size(); ++k) log_likelihoods[k] += more.log_likelihoods[k];
  degrees += more.degrees;
}

void SpreadHistory::take_out(const SpreadHistory& part) {
  for (std::size_t k = 0; k < spread_levels.size(); ++k) log_likelihoods[k] -= part.log_likelihoods[k];
  degrees = std::max(0.0, degrees - part.degrees);
}

SpreadHistory SpreadHistory::faded(double share) const {
  SpreadHistory less = *this;
  for (double& log_likelihood : less.log_likelihoods) log_likelihood *= share;
  less.degrees *= share;
  return less;
}

void SpreadPool::add(std::string_view a, std::string_view b, const SpreadHistory& pairs) {
  if (pairs.degrees > 0) of_pair_[key_of(a, b)].add(pairs);
}

void SpreadPool::add(const SpreadPool& more) {
  for (const auto& [key, history] : more.of_pair_) of_pair_[key].add(history);
}

SpreadHistory SpreadPool::of(std::string_view a, std::string_view b) const {
  SpreadHistory sum;
  for (const std::string& key : std::set{key_of(a, b), key_of(a, a), key_of(b, b)})
    if (const auto found = of_pair_.find(key); found != of_pair_.end()) sum.add(found->second);
  return sum;
}

SpreadPrior prior_from(const SpreadHistory& history) {
  SpreadPrior prior;
  if (history.degrees <= 0) return prior;
  const double counted = std::min(1.0, rules::most_history_degrees / history.degrees);
  const double largest = *std::ranges::max_element(history.log_likelihoods);
  OfSpreads learnt;
  for (std::size_t k = 0; k < learnt.size(); ++k)
    learnt[k] = unknown_spreads[k] * std::exp(counted * (history.log_likelihoods[k] - largest));
  const double sum = std::accumulate(learnt.begin(), learnt.end(), 0.0);
  for (std::size_t k = 0; k < learnt.size(); ++k)
    prior.weights[k] = rules::history_weight * learnt[k] / sum + (1 - rules::history_weight) * unknown_spreads[k];
  return prior;
}

double usual_spread(const SpreadPrior& prior) {
  double log_spread = 0;
  for (std::size_t k = 0; k < spread_levels.size(); ++k) log_spread += prior.weights[k] * std::log(spread_levels[k]);
  return std::exp(log_spread);
}

}  // namespace regatta::stats

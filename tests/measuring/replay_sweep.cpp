#include "measuring/replay_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "measuring/replay_random.hpp"
#include "regatta/stats/many_contrasts.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::measuring {
namespace {

using stats::Verdict;

const double alike = stats::indifference({});  // up to it

bool is_real(double log_effect) { return std::abs(log_effect) > alike * (1 + 1e-9); }

bool is_difference(const Outcome& outcome) {
  return outcome.verdict == Verdict::faster || outcome.verdict == Verdict::slower;
}

bool is_right(const Outcome& outcome, double log_effect) {
  return is_real(log_effect) && outcome.verdict == (log_effect > 0 ? Verdict::slower : Verdict::faster);
}

double real_effect(Random& random) {
  const double size = std::log(1.02) + random.uniform() * (std::log(2.0) - std::log(1.02));
  return random.uniform() < 0.5 ? size : -size;
}

double needed(StopsAt stop, std::size_t contrasts, std::size_t found) {
  switch (stop) {
    case StopsAt::twice:
      return stats::evidence_needed(2, 1);
    case StopsAt::first:
      return stats::evidence_needed(contrasts, 1);
    case StopsAt::its_rank:
      break;
  }
  return stats::evidence_needed(contrasts, found + 1);
}

std::map<std::size_t, std::vector<std::size_t>> members(const std::vector<std::size_t>& families) {
  std::map<std::size_t, std::vector<std::size_t>> members_of;
  for (std::size_t i = 0; i < families.size(); ++i) members_of[families[i]].push_back(i);
  return members_of;
}

std::vector<bool> survivors(const std::vector<double>& e_values, const std::vector<std::size_t>& families,
                            Control control) {
  if (control == Control::both) return stats::e_benjamini_hochberg(e_values, families);
  if (control == Control::sweep)
    return stats::e_benjamini_hochberg(e_values, std::vector<std::size_t>(e_values.size(), 0));
  std::vector<bool> found(e_values.size());
  for (const auto& [family, at] : members(families)) {
    std::vector<double> own;
    for (const std::size_t i : at) own.push_back(e_values[i]);
    const auto of_family = survivors(own, std::vector<std::size_t>(own.size(), 0), Control::sweep);
    for (std::size_t i = 0; i < at.size(); ++i) found[at[i]] = of_family[i];
  }
  return found;
}

/// Discoveries, and how many of them are false.
struct Count {
  double all = 0, wrong = 0;
  [[nodiscard]] double share() const { return all > 0 ? wrong / all : 0; }
};

}  // namespace

KnownSweep one_percent_real(std::size_t contrasts, std::size_t families, double no_difference) {
  KnownSweep sweep{.name = no_difference == 0 ? "1 % real, others alike" : "1 % real, others at the margin",
                   .log_effects = {},
                   .families = {}};
  Random random(contrasts);
  for (std::size_t i = 0; i < contrasts; ++i) {
    sweep.log_effects.push_back(i % 100 == 50 ? real_effect(random) : no_difference);
    sweep.families.push_back(i / 100 % families);
  }
  return sweep;
}

KnownSweep one_pair_real(std::size_t contrasts, double no_difference) {
  KnownSweep sweep{.name = "one pair real, one at the margin", .log_effects = {}, .families = {}};
  Random random(contrasts);
  for (std::size_t i = 0; i < contrasts; ++i) {
    sweep.families.push_back(i % 10 == 5 ? 1 : 0);
    sweep.log_effects.push_back(sweep.families.back() == 1 ? no_difference : real_effect(random));
  }
  return sweep;
}

std::vector<Outcome> take_sweep(const KnownSweep& sweep, const Noise& noise, StopsAt stop, std::uint64_t seed) {
  const auto members_of = members(sweep.families);
  std::map<std::size_t, std::size_t> found_of;
  std::size_t found = 0;
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < sweep.log_effects.size(); ++i) {
    const std::size_t family = sweep.families[i];
    const double evidence = std::max(needed(stop, sweep.log_effects.size(), found),
                                     needed(stop, members_of.at(family).size(), found_of[family]));
    outcomes.push_back(replay(noise, sweep.log_effects[i], {.least_evidence = evidence}, random_bits(seed, i)));
    if (!is_difference(outcomes.back()) || !outcomes.back().settled(evidence)) continue;
    ++found;
    ++found_of[family];
  }
  return outcomes;
}

Discovered discovered(const KnownSweep& sweep, const std::vector<Outcome>& outcomes, Control control) {
  std::vector<double> e_values;
  for (const Outcome& outcome : outcomes) e_values.push_back(outcome.e_value);
  const auto survives = survivors(e_values, sweep.families, control);
  Discovered result;
  Count all;
  std::map<std::size_t, Count> of_family;
  std::vector<double> real_squares;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const bool right = is_right(outcomes[i], sweep.log_effects[i]);
    result.squares += static_cast<double>(outcomes[i].squares) / static_cast<double>(outcomes.size());
    if (is_real(sweep.log_effects[i])) {
      ++result.real;
      real_squares.push_back(static_cast<double>(outcomes[i].squares));
      result.found += right && survives[i] ? 1 : 0;
      result.doubtful += right && !survives[i] ? 1 : 0;
    }
    if (!is_difference(outcomes[i]) || !survives[i]) continue;
    for (Count* count : {&all, &of_family[sweep.families[i]]}) {
      count->all += 1;
      count->wrong += right ? 0 : 1;
    }
  }
  result.false_found = static_cast<std::size_t>(all.wrong);
  result.false_share = all.share();
  for (const auto& [family, count] : of_family)
    result.worst_false_share = std::max(result.worst_false_share, count.share());
  if (!real_squares.empty()) result.real_squares = stats::median(std::move(real_squares));
  return result;
}

}  // namespace regatta::measuring

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>

#include "regatta/base/error.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

void add_rungs(std::vector<Leg>& legs, const Search& search, Purpose purpose, std::int64_t seed) {
  double from = 0;
  const std::uint32_t rungs = search.halves ? static_cast<std::uint32_t>(search.rungs) : 1;
  for (std::uint32_t rung = 0; rung < rungs; ++rung) {
    const double to = end_of_rung(search, rung);
    legs.push_back({purpose, seed, rung, from, to});
    from = to;
  }
}

std::string identity_of(const Hash128& trial, const Leg& leg) {
  return fmt::format("leg {} {} {} {} {} {}", to_string(trial), purpose_names[static_cast<std::size_t>(leg.purpose)],
                     leg.seed, leg.rung, leg.from, leg.to);
}

void add_deciding(std::vector<Leg>& legs, const Training& training, const std::optional<Search>& search) {
  if (!search) {
    for (std::int64_t seed = 0; seed < training.seeds; ++seed) legs.push_back({Purpose::plain, seed, 0, 0, 1});
    return;
  }
  add_rungs(legs, *search, Purpose::search, search_seed);
  add_rungs(legs, *search, Purpose::clone, clone_seed);
  for (std::int64_t i = 0; i < training.seeds; ++i) legs.push_back({Purpose::fresh, first_fresh_seed + i, 0, 0, 1});
  for (std::int64_t i = 0; i < training.seeds; ++i) legs.push_back({Purpose::test, first_fresh_seed + i, 0, 1, 1});
}

}  // namespace

double end_of_rung(const Search& search, std::uint32_t rung) {
  const std::int64_t rungs = search.halves ? search.rungs : 1;
  expect(rung < rungs, "a search has no rung behind its last one");
  if (rung + 1 == rungs) return 1;
  return std::pow(search.factor, static_cast<double>(rung) + 1 - static_cast<double>(rungs));
}

bool wants_repeats(const Training& training, const std::optional<Search>& search, std::size_t configurations,
                   std::size_t engines) {
  constexpr double most_of_all_training = 0.1;
  const double runs = static_cast<double>(configurations) * static_cast<double>(training.seeds);
  return training.repeat.value_or(search || static_cast<double>(engines) <= most_of_all_training * runs);
}

bool wants_repeats(const Sweep& sweep, const Plan& plan) {
  std::set<std::string> engines;
  for (const Trial& trial : plan.trials) engines.insert(text_of(trial.parameters, Param::engine));
  return wants_repeats(*sweep.training, sweep.search, plan.trials.size(), engines.size());
}

std::vector<Leg> possible_legs(const Training& training, const std::optional<Search>& search) {
  std::vector<Leg> legs;
  add_deciding(legs, training, search);
  if (training.repeat.value_or(true)) legs.push_back({Purpose::again, repeated_seed(search), 0, 0, 1});
  return legs;
}

namespace {

void add_block(Plan& plan, const Trial& trial, const Leg& leg) {
  Block& block = plan.blocks.emplace_back();
  block.index = BlockIndex{static_cast<std::uint32_t>(plan.blocks.size() - 1)};
  block.arms = {trial.index};
  block.leg = leg;
  add_demand(block.demand, trial.parameters);
  block.hash = hash128(identity_of(trial.hash, leg));
}

}  // namespace

namespace {

/// Ranks decide how fast a configuration is trained, not what it learns: a search would train it once for each number
/// of them, and let it compete with itself.
void refuse_competing_ranks(const Sweep& sweep, const Plan& plan) {
  std::map<std::string, const Trial*> known;
  for (const Trial& trial : plan.trials) {
    if (trial.skip_reason) continue;
    const auto [same, is_new] = known.try_emplace(to_json(without_ranks(trial.parameters)) + trial.written_out, &trial);
    if (is_new) continue;
    json::refuse(place_in(sweep, "/search"),
                 {fmt::format("a search over \"ranks\": one configuration with {} and with {} of them",
                              integer_or(same->second->parameters, Param::ranks, 1),
                              integer_or(trial.parameters, Param::ranks, 1)),
                  "one number of ranks for each configuration: it decides how long a training takes, not what is "
                  "learned. A sweep without \"search\" times several",
                  ""});
  }
}

}  // namespace

void add_legs(const Sweep& sweep, Plan& plan) {
  if (sweep.search) refuse_competing_ranks(sweep, plan);
  const std::vector<Leg> legs = possible_legs(*sweep.training, sweep.search);
  for (const bool repeats : {false, true}) {  // they come last
    for (const Trial& trial : plan.trials) {
      if (trial.skip_reason) continue;
      for (const Leg& leg : legs) {
        if ((leg.purpose == Purpose::again) == repeats) add_block(plan, trial, leg);
      }
    }
  }
}

}  // namespace regatta::sweep

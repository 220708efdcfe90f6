#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "search/search.hpp"

namespace regatta::search {
namespace {

constexpr std::size_t configurations_per_clone = 10;
constexpr std::size_t fewest_clones = 3;

}  // namespace

std::uint64_t drawn(const Problem& problem, std::size_t configuration, Draw purpose) {
  const std::size_t identity = std::hash<Hash128>{}(problem.configurations[configuration]);
  return random_bits(identity, static_cast<std::uint64_t>(purpose));
}

std::size_t clones_of(std::size_t configurations) {
  const std::size_t wanted = (configurations + configurations_per_clone - 1) / configurations_per_clone;
  return std::min(configurations, std::max(wanted, fewest_clones));
}

std::vector<Entry> entries_of(const Problem& problem) {
  std::vector<std::size_t> order(problem.configurations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Entry> entries;
  for (const std::size_t configuration : order) {
    const std::uint64_t draw = drawn(problem, configuration, Draw::tie);
    entries.push_back({configuration, sweep::Purpose::search, sweep::search_seed, draw});
  }
  std::ranges::sort(order, {}, [&](std::size_t configuration) {
    return std::tuple(drawn(problem, configuration, Draw::clone), problem.configurations[configuration]);
  });
  order.resize(clones_of(order.size()));
  std::ranges::sort(order);
  for (const std::size_t configuration : order) {
    const std::uint64_t draw = mixed(drawn(problem, configuration, Draw::tie));  // its original has no advantage
    entries.push_back({configuration, sweep::Purpose::clone, sweep::clone_seed, draw});
  }
  return entries;
}

std::uint32_t last_rung(const sweep::Search& search) {
  expect(!search.halves || search.rungs > 0, "a search has a rung");
  return search.halves ? static_cast<std::uint32_t>(search.rungs - 1) : 0;
}

Due leg_of(const Problem& problem, const Entry& entry, std::uint32_t rung) {
  const double from = rung == 0 ? 0 : sweep::end_of_rung(problem.search, rung - 1);
  const double to = sweep::end_of_rung(problem.search, rung);
  return {entry.configuration, {.purpose = entry.purpose, .seed = entry.seed, .rung = rung, .from = from, .to = to}};
}

}  // namespace regatta::search

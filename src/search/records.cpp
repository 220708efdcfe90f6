#include <cmath>

#include "regatta/base/error.hpp"
#include "search/search.hpp"

namespace regatta::search {
namespace {

LegKey key_of(std::size_t configuration, const sweep::Leg& leg) {
  return {configuration, leg.purpose, leg.seed, leg.rung};
}

}  // namespace

Records records_of(std::span<const Done> runs) {
  Records records;
  for (const Done& run : runs) {
    const bool is_new = records.try_emplace(key_of(run.configuration, run.leg), run).second;
    expect(is_new, "each leg is recorded once");
  }
  return records;
}

const Done* recorded(const Records& records, const Due& leg) {
  const auto found = records.find(key_of(leg.configuration, leg.leg));
  return found == records.end() ? nullptr : &found->second;
}

std::optional<double> goodness_of(const sweep::Objective& objective, std::optional<double> score) {
  if (!score || !std::isfinite(*score)) return std::nullopt;
  return objective.maximizes ? *score : -*score;
}

}  // namespace regatta::search

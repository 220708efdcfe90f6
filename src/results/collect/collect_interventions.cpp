#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/error.hpp"
#include "results/collect/collect.hpp"

namespace regatta::results {

void start_interventions(Results& results, const sweep::Plan& plan) {
  for (const sweep::Block& block : plan.blocks) {
    for (std::size_t arm = 0; arm < block.interventions.size(); ++arm) {
      InterventionRow row;
      row.block = block.hash;
      row.trial = block.arms[arm];
      row.intervention = block.interventions[arm];
      results.interventions.push_back(std::move(row));
    }
  }
}

void throw_other_arms(const Hash128& block) {
  throw InputError(
      fmt::format("the arms of block {} are recorded in another order, or with other changes, than planned. Its "
                  "measurements cannot be trusted. Put back a good copy of the folder, or run into another one",
                  to_string(block)));
}

void fill_interventions(Results& results, const sweep::Block& block, const Taken& taken,
                        const std::vector<std::vector<stats::Sample>>& samples) {
  const BlockRecord& record = taken.result.block;
  const auto first = std::ranges::find(results.interventions, block.hash, &InterventionRow::block);
  if (record.arms.size() != block.interventions.size()) throw_other_arms(block.hash);
  for (std::size_t arm = 0; arm < record.arms.size(); ++arm) {
    const auto at = first + static_cast<std::ptrdiff_t>(arm);
    if (record.arms[arm].intervention != sweep::text_of(at->intervention)) throw_other_arms(block.hash);
    at->outcome = record.arms[arm].outcome;
    at->attempt = static_cast<std::int32_t>(record.attempt);
    at->verified = record.arms[arm].verified;
    at->verified_detail = sweep::text_of(record.arms[arm].facts, sweep::Fact::verified_detail);
    at->start_wall_seconds = record.start_wall_seconds;
    at->end_wall_seconds = record.end_wall_seconds;
    const auto row = static_cast<std::uint32_t>(at - results.interventions.begin());
    for (const stats::Sample& sample : samples[arm]) results.intervention_samples.push_back({row, sample});
  }
}

}  // namespace regatta::results

#include "sweep/plan/blocks.hpp"

#include <algorithm>

namespace regatta::sweep {
namespace {

Block block_of(const std::vector<Trial>& trials, std::span<const std::uint32_t> arms, std::size_t index) {
  Block block;
  block.index = BlockIndex{static_cast<std::uint32_t>(index)};
  std::string identity;
  for (const std::uint32_t arm : arms) {
    const Parameters& parameters = trials[arm].parameters;
    identity += to_string(trials[arm].hash);
    if (const auto* ranks = std::get_if<std::int64_t>(&parameters[Param::ranks]))
      block.demand.ranks = std::max(block.demand.ranks, *ranks);
    if (const auto* cores = std::get_if<std::int64_t>(&parameters[Param::threads]))
      block.demand.cores = std::max(block.demand.cores, *cores);
    if (parameters[Param::device] == Value(std::string("cuda"))) block.demand.device = DeviceKind::cuda;
    block.arms.push_back(TrialIndex{arm});
  }
  block.hash = hash128(identity);
  return block;
}

/// Clones go to the comparisons with the lowest identities, those with room left first: no choice of ours, and the
/// same in each session.
void add_clones(Plan& plan) {
  std::vector<Block*> compared;
  std::size_t contrasts = 0;
  for (Block& block : plan.blocks) {
    if (!block.has_baseline) continue;
    compared.push_back(&block);
    contrasts += block.arms.size() - 1;
  }
  std::ranges::sort(compared, {},
                    [](const Block* block) { return std::pair(block->arms.size() == max_arms, block->hash); });
  compared.resize(std::min(clones_wanted(contrasts), compared.size()));
  for (Block* block : compared) {
    block->arms.push_back(block->arms.front());
    block->has_clone = true;
  }
}

}  // namespace

void form_blocks(const Arrangement& arrangement, Plan& plan) {
  plan.blocks.reserve(arrangement.blocks());
  for (std::size_t i = 0; i < arrangement.blocks(); ++i) {
    plan.blocks.push_back(block_of(plan.trials, arrangement.arms_of(i), i));
    plan.blocks.back().has_baseline = arrangement.has_baseline[i];
  }
  for (const NoContrastNumbers& line : arrangement.no_contrasts) {
    NoContrast& missing = plan.no_contrasts.emplace_back();
    missing.reason = line.reason;
    for (const std::uint32_t trial : line.trials) missing.trials.push_back(TrialIndex{trial});
  }
  add_clones(plan);
}

}  // namespace regatta::sweep

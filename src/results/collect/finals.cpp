#include "regatta/results/finals.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "regatta/results/changed.hpp"
#include "regatta/sweep/final_block.hpp"
#include "results/journal/record_codec.hpp"

namespace regatta::results {
namespace {

HashSet hashes_of(const sweep::Plan& plan) {
  HashSet hashes;
  hashes.reserve(plan.blocks.size());
  for (const sweep::Block& block : plan.blocks) hashes.insert(block.hash);
  return hashes;
}

/// By baseline, which stands for the setting.
using BySetting = std::map<TrialIndex, sweep::Block>;

std::vector<sweep::Block> blocks_of(const BySetting& finals) {
  std::vector<sweep::Block> blocks;
  for (const auto& [baseline, block] : finals) blocks.push_back(block);
  return blocks;
}

}  // namespace

FinalReader::FinalReader(const sweep::Plan& plan) : plan_(plan) {
  for (const sweep::Trial& trial : plan.trials) trials_.emplace(trial.hash, trial.index);
}

std::optional<sweep::Block> FinalReader::final_in(const BlockRecord& record) const {
  if (record.arms.size() > sweep::max_distinct_arms) return std::nullopt;
  std::vector<TrialIndex> arms;
  for (const sweep::ArmOutcome& arm : record.arms) {
    const auto trial = trials_.find(arm.trial);
    if (trial == trials_.end()) return std::nullopt;
    arms.push_back(trial->second);
  }
  auto block = sweep::final_block(plan_, arms);
  return block && block->hash == record.block ? block : std::nullopt;
}

Finals recorded_finals(const Scan& journal, const sweep::Plan& plan, const sweep::Origins& now, bool keeps_changed) {
  HashSet known;                      // blocks of the plan, or of something else altogether
  std::optional<FinalReader> reader;  // most journals hold nothing for it to read
  std::map<Hash128, sweep::Block> finals;
  BySetting last;
  for (const Record& record : journal.records) {
    if (record.kind != RecordKind::result) continue;
    if (known.empty()) known = hashes_of(plan);
    if (known.contains(record.hash)) continue;
    if (!reader) reader.emplace(plan);
    const BlockRecord block = parse_result(record).block;
    auto final = finals.find(record.hash);
    if (final == finals.end()) {
      auto found = reader->final_in(block);
      if (!found) {
        known.insert(record.hash);
        continue;
      }
      final = finals.emplace(record.hash, std::move(*found)).first;
    }
    if (!block.interrupted) last.insert_or_assign(final->second.arms.front(), final->second);
  }
  Finals found;
  if (finals.empty()) return found;
  if (!keeps_changed) {
    const ChangedBlocks changed = changed_blocks(journal, sweep::with_finals(plan, blocks_of(last)), now);
    std::erase_if(last, [&](const auto& each) { return changed.contains(each.second.hash); });
  }
  found.blocks = blocks_of(last);
  for (const auto& [hash, block] : finals) {
    if (std::ranges::find(found.blocks, hash, &sweep::Block::hash) == found.blocks.end()) found.others.insert(hash);
  }
  return found;
}

}  // namespace regatta::results

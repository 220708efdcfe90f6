#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/journal/frames.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace regatta::results {
namespace {

constexpr std::ptrdiff_t most_guesses = 16;  // blocks that are named: a lost record may have been of any of them

struct Granted {
  std::size_t at;  ///< its place among the records
  Hash128 block;
};

/// Blocks that were handed out and have no result, in the order of handing out.
std::vector<Granted> without_result(const std::vector<Record>& records) {
  std::set<Hash128> known;
  for (const Record& record : records) {
    if (record.kind == RecordKind::result) known.insert(record.hash);
  }
  std::vector<Granted> granted;
  for (std::size_t at = 0; at < records.size(); ++at) {
    if (records[at].kind == RecordKind::granted && known.insert(records[at].hash).second)
      granted.push_back({at, records[at].hash});
  }
  return granted;
}

bool is_of_block(const Record& record) {
  return record.kind == RecordKind::result || record.kind == RecordKind::failed_attempt ||
         record.kind == RecordKind::granted;
}

/// Blocks that a record without a readable head may have been of; none where they are too many to tell.
std::vector<LostBlock> guesses(const std::vector<Granted>& granted, const LostPiece& lost) {
  const auto end = std::ranges::lower_bound(granted, lost.behind, {}, &Granted::at);
  std::vector<LostBlock> blocks;
  if (end - granted.begin() > most_guesses) return blocks;
  for (auto each = granted.begin(); each != end; ++each) blocks.push_back({each->block});
  return blocks;
}

/// Nothing where this version cannot make the plan.
std::optional<sweep::Sweep> sweep_or_nothing(const Record& plan) {
  try {
    return sweep_of(parse_plan(plan), plan);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<Loss> losses(const Scan& scan) {
  const std::vector<Granted> granted = without_result(scan.records);
  std::vector<Loss> all;
  for (const LostPiece& lost : scan.lost) {
    Loss loss{lost.place, lost.missing, {}, {}, lost.why};
    if (lost.head) {
      loss.kind = kind_name(*lost.head);
      if (is_of_block(*lost.head)) loss.blocks.push_back({lost.head->hash});
    } else if (lost.missing > 0) {
      loss.blocks = guesses(granted, lost);
    }
    all.push_back(std::move(loss));
  }
  return all;
}

Loss loss_of_samples(const Record& result) {
  return {result.place, 1, std::string(kind_name(result)), {{result.hash}}, "its samples are damaged"};
}

void name_trials(Salvaged& salvaged, const Record& plan) {
  const std::optional<sweep::Sweep> sweep = sweep_or_nothing(plan);
  if (!sweep) return;
  salvaged.axes = sweep::axis_params(*sweep);
  const sweep::Plan planned = sweep::make_plan(*sweep);
  std::unordered_map<Hash128, const sweep::Block*> blocks;
  for (const sweep::Block& block : planned.blocks) blocks[block.hash] = &block;
  for (Loss& loss : salvaged.lost) {
    for (LostBlock& lost : loss.blocks) {
      const auto block = blocks.find(lost.block);
      if (block == blocks.end()) continue;
      for (std::size_t at = 0; at < block->second->distinct_arms(); ++at)
        lost.trials.push_back(planned.trials[block->second->arms[at].value].parameters);
    }
  }
}

}  // namespace regatta::results

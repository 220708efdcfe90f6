#include "regatta/measure/run_group.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "measure/block_visits.hpp"
#include "measure/measure.hpp"
#include "measure/tour_order.hpp"

namespace regatta::measure {
namespace {

/// A visit is told once so much was measured since the last one that was told: quick blocks are told as a whole.
constexpr double telling_seconds = 1;

class Group {
 public:
  Group(std::span<const GroupBlock> group, BlockBudget& budget, const GroupTold& told);

  /// Visits all blocks in their order.
  void first_tour();

  /// Visits blocks that are open, as far as there is time; whether there was any.
  bool next_tour();

  /// Ends the open blocks: they have no time left.
  void stop_all();

  /// Frees the processes, and leaves the rest of the time to later blocks.
  void release();

 private:
  [[nodiscard]] std::vector<OpenBlock> open_blocks() const;
  [[nodiscard]] bool fits(const VisitedBlock& block) const;
  template <class Visit>
  void visit(std::size_t at, const Visit& one);
  void tell(std::size_t at, std::optional<BlockOutcome> outcome);
  void learn_of_tours();
  void clear(BlockRun& run);

  BlockBudget& budget_;
  const GroupTold& told_;
  double begin_seconds_;
  std::optional<double> share_seconds_;  ///< time for all blocks
  std::deque<VisitedBlock> blocks_;
  std::vector<bool> is_over_;
  Tour tour_;
  std::uint64_t tours_ = 1;
};

Group::Group(std::span<const GroupBlock> group, BlockBudget& budget, const GroupTold& told)
    : budget_(budget),
      told_(told),
      begin_seconds_(group.front().arms.now()),
      is_over_(group.size()),
      tour_{group.size()} {
  for (const GroupBlock& each : group)
    if (each.task.wall_seconds) share_seconds_ = share_seconds_.value_or(0) + *each.task.wall_seconds;
  double end_seconds = std::numeric_limits<double>::infinity();
  if (share_seconds_) {
    const double total = group.front().task.measure.total_seconds.value_or(*share_seconds_);
    end_seconds = begin_seconds_ + sweep::block_seconds(budget.wall, *share_seconds_, total);
  }
  for (const GroupBlock& each : group) {
    BlockRun& run = blocks_.emplace_back(each.arms, each.task).run;
    run.end_seconds = end_seconds;
    if (group.size() > 1) run.tour = &tour_;
  }
}

void Group::first_tour() {
  for (std::size_t at = 0; at < blocks_.size(); ++at) {
    BlockRun& run = blocks_[at].run;
    run.next_news_seconds = run.port.now() + news_interval_seconds;
    run.spreads = budget_.spreads;
    budget_.discoveries.forget(run.task.block);
    if (at > 0 && run.port.interrupted())
      tell(at, protocol::GivenBack{{run.task.block}});
    else
      visit(at, first_visit);
  }
}

std::vector<OpenBlock> Group::open_blocks() const {
  std::vector<OpenBlock> open;
  for (std::size_t at = 0; at < blocks_.size(); ++at) {
    const VisitedBlock& block = blocks_[at];
    if (!is_over_[at]) open.push_back({at, worth_of(block), block.comparison->renewals.pairs, block.run.task.hash});
  }
  return open;
}

/// Whether the time that is left holds its next pair, with the processes that it has to wait for.
bool Group::fits(const VisitedBlock& block) const {
  const auto& turn = block.comparison->turn;
  const bool starts =
      std::ranges::any_of(turn, [&](std::size_t at) { return needs_process(block.run, block.run.arms[at]); });
  return pair_seconds(*block.comparison, starts) <= block.run.left_seconds();
}

bool Group::next_tour() {
  learn_of_tours();
  std::vector<OpenBlock> open = open_blocks();
  order_visits(open, tours_++);
  tour_ = {open.size()};
  bool has_visited = false;
  for (const OpenBlock& each : open) {
    if (blocks_[each.at].run.port.interrupted())
      visit(each.at, drained);
    else if (fits(blocks_[each.at]))
      visit(each.at, next_visit);
    else
      continue;
    has_visited = true;
  }
  return has_visited;
}

void Group::stop_all() {
  for (const OpenBlock& each : open_blocks())
    visit(each.at, [](VisitedBlock& block) { return stopped(block, sweep::WhyStopped::wall_time_spent); });
}

/// Visits a block. Discoveries in it count for the blocks that are visited after it.
template <class Visit>
void Group::visit(std::size_t at, const Visit& one) {
  VisitedBlock& block = blocks_[at];
  BlockRun& run = block.run;
  if (told_.begins) told_.begins(at);
  run.discoveries = std::exchange(budget_.discoveries, {});
  const double before = run.port.now();
  std::optional<BlockOutcome> outcome = one(block);
  block.untold_seconds += run.port.now() - before;
  budget_.discoveries = std::move(run.discoveries);
  if (outcome && std::holds_alternative<protocol::BlockResult>(*outcome)) budget_.spreads.add(shown_spreads(run));
  if (blocks_.size() > 1) clear(run);
  tell(at, std::move(outcome));
}

void Group::tell(std::size_t at, std::optional<BlockOutcome> outcome) {
  VisitedBlock& block = blocks_[at];
  const auto stamp = [&](protocol::BlockResult& result) {
    const double seconds = std::exchange(block.untold_seconds, 0);
    if (blocks_.size() > 1) result.visits_seconds = seconds;
  };
  if (outcome) {
    is_over_[at] = true;
    if (auto* result = std::get_if<protocol::BlockResult>(&*outcome)) stamp(*result);
    told_.ended(at, *std::move(outcome));
  } else if (told_.visited && block.untold_seconds >= telling_seconds) {
    protocol::BlockResult visited = result_of(block.run, block.told);
    stamp(visited);
    told_.visited(at, std::move(visited));
  }
}

/// In a tour a block is judged by what the tours before it showed of all others: what it begins with does not change
/// while it is looked at.
void Group::learn_of_tours() {
  if (blocks_.size() == 1) return;  // Nothing has been shown since the block began, and judging it takes time.
  std::vector<stats::SpreadPool> shown;
  for (std::size_t at = 0; at < blocks_.size(); ++at)
    shown.push_back(is_over_[at] ? stats::SpreadPool() : shown_spreads(blocks_[at].run));
  for (std::size_t at = 0; at < blocks_.size(); ++at) {
    if (is_over_[at]) continue;
    blocks_[at].run.spreads = budget_.spreads;
    for (std::size_t other = 0; other < blocks_.size(); ++other)
      if (other != at) blocks_[at].run.spreads.add(shown[other]);
  }
}

/// The next block is built in the same processes.
void Group::clear(BlockRun& run) {
  park_awake(run);
  for (const Arm& arm : run.arms) run.port.clear(arm.index);
}

void Group::release() {
  for (VisitedBlock& block : blocks_)
    for (const Arm& arm : block.run.arms) block.run.port.release(arm.index);
  const double took_seconds = blocks_.front().run.port.now() - begin_seconds_;
  if (share_seconds_) sweep::note_block(budget_.wall, *share_seconds_, took_seconds);
}

}  // namespace

void run_group(std::span<const GroupBlock> blocks, BlockBudget& budget, const GroupTold& told) {
  Group group(blocks, budget, told);
  group.first_tour();
  while (group.next_tour()) {
  }
  group.stop_all();
  group.release();
}

}  // namespace regatta::measure

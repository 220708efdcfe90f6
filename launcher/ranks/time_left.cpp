#include "ranks/time_left.hpp"

#include <algorithm>

namespace regatta::launcher {
namespace {

double sum(const std::map<BlockIndex, double>& seconds) {
  double sum = 0;
  for (const auto& [block, of_block] : seconds) sum += of_block;
  return sum;
}

}  // namespace

void TimeLeft::add(const std::string& kind, const Expectation& expected) {
  Kind& known = kinds_[kind];
  ++known.open;
  ++known.all;
  if (expected.is_learnt) ++known.learnt;
  known.expected.seconds += expected.seconds;
  known.expected.most_seconds += expected.most_seconds;
}

void TimeLeft::foretell(BlockIndex block, const std::string& kind, double seconds) {
  kinds_[kind].foretold[block] = seconds;
}

void TimeLeft::done(BlockIndex block, const std::string& kind, std::optional<double> seconds) {
  Kind& known = kinds_[kind];
  known.foretold.erase(block);
  if (known.open > 0) --known.open;
  if (!seconds) return;
  ++known.done;
  known.done_seconds += *seconds;
}

bool TimeLeft::is_known() const {
  const auto was_seen = [](const auto& kind) { return kind.second.done > 0 || !kind.second.foretold.empty(); };
  const auto is_learnt = [](const auto& kind) { return kind.second.learnt == kind.second.all; };
  return std::ranges::any_of(kinds_, was_seen) || std::ranges::all_of(kinds_, is_learnt);
}

double TimeLeft::scale() const {
  double expected = 0;
  double taken = 0;
  for (const auto& [name, kind] : kinds_) {
    const auto seen = static_cast<double>(kind.done + kind.foretold.size());
    if (kind.all > 0) expected += kind.expected.seconds / static_cast<double>(kind.all) * seen;
    taken += kind.done_seconds + sum(kind.foretold);
  }
  return expected > 0 ? taken / expected : 1;
}

double TimeLeft::cost(const Kind& kind, double scale) {
  const std::size_t seen = kind.done > 0 ? kind.done : kind.foretold.size();
  if (seen > 0) return (kind.done > 0 ? kind.done_seconds : sum(kind.foretold)) / static_cast<double>(seen);
  if (kind.all == 0) return 0;
  return std::min(kind.expected.seconds * scale, kind.expected.most_seconds) / static_cast<double>(kind.all);
}

double TimeLeft::seconds() const {
  const double off = scale();
  double left = 0;
  for (const auto& [name, kind] : kinds_) left += static_cast<double>(kind.open) * cost(kind, off);
  return left;
}

double TimeLeft::seconds_of(const std::string& kind) const {
  const auto known = kinds_.find(kind);
  return known == kinds_.end() ? 0 : cost(known->second, scale());
}

}  // namespace regatta::launcher

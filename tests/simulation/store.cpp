#include "store.hpp"

#include <map>
#include <utility>
#include <variant>

namespace regatta::simulation {

void Store::begin_session() {
  ++session_;
  before_ = durable_ = records_.size();
}

void Store::append(std::vector<dispatch::StoreRecord> records) {
  for (dispatch::StoreRecord& record : records) records_.push_back({session_, std::move(record)});
}

void Store::crash(Random& random) {
  const std::size_t kept = durable_ + random.below(records_.size() - durable_ + 1);
  records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(kept), records_.end());
}

dispatch::Earlier Store::earlier() const {
  dispatch::Earlier earlier;
  for (const Entry& entry : records_) {
    if (const auto* block = std::get_if<dispatch::BlockToStore>(&entry.record))
      earlier.finished.insert(block->record.block);
  }
  return earlier;
}

void Store::check() const {
  std::map<Hash128, int> results;
  std::set<Attempt> kept;
  std::set<Attempt> failed;
  for (const Entry& entry : records_) {
    if (const auto* block = std::get_if<dispatch::BlockToStore>(&entry.record)) {
      if (++results[block->record.block] > 1) throw Violation("a block has two results");
      kept.insert({block->record.block, entry.session, block->record.attempt});
    } else if (const auto* attempt = std::get_if<results::FailedAttemptRecord>(&entry.record)) {
      if (!failed.insert({attempt->block, entry.session, attempt->attempt}).second)
        throw Violation("a failed attempt is recorded twice");
    }
  }
  for (const Attempt& attempt : acknowledged_) {
    if (!kept.contains(attempt)) throw Violation("an acknowledged result is lost");
  }
}

void Store::check_complete(const sweep::Plan& plan) const {
  const std::set<Hash128> finished = earlier().finished;
  for (const sweep::Block& block : plan.blocks) {
    if (!finished.contains(block.hash)) throw Violation("a block of a finished run has no result");
  }
}

}  // namespace regatta::simulation

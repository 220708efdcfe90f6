#include "ranks/busy_watch.hpp"

#include <algorithm>
#include <utility>

namespace regatta::launcher {
namespace {

constexpr double first_sample_seconds = 0.5;  // while workers start
constexpr double interval_seconds = 10;       // as lines of progress

}  // namespace

BusyWatch::BusyWatch(Slots slots, Below below, double now_seconds, const MachineFolders& folders)
    : slots_(std::move(slots)),
      below_(std::move(below)),
      folders_(folders),
      next_look_seconds_(now_seconds + first_sample_seconds) {
  begin(groups_of(slots_()));
  listed_ = other_processes(folders_, all_own_processes());
}

OthersSeen BusyWatch::look(double now_seconds) {
  if (now_seconds < next_look_seconds_) return {use_, false};
  auto groups = groups_of(slots_());
  const bool are_same = std::ranges::equal(groups, watched_, {}, {}, &Watched::group);
  if (are_same)
    compare();
  else
    begin(std::move(groups));  // another agent has joined or left
  next_look_seconds_ = now_seconds + (use_ ? interval_seconds : first_sample_seconds);
  const bool is_news = use_ && is_busy(*use_) && !was_busy_;
  was_busy_ = was_busy_ || is_news;
  return {use_, is_news};
}

void BusyWatch::begin(std::vector<SlotGroup> groups) {
  watched_.clear();
  use_.reset();
  for (SlotGroup& group : groups) {
    CounterSource source({}, group.cpus, folders_);
    const auto before = read(source, group);
    if (before) watched_.push_back({std::move(group), std::move(source), *before});
  }
}

std::optional<SlotReading> BusyWatch::read(CounterSource& source, const SlotGroup& group) {
  const auto counters = source.read();
  if (!counters) return std::nullopt;
  return slot_reading(folders_, *counters, own_processes(group.agents));
}

void BusyWatch::compare() {
  const Watched* most = nullptr;
  double most_share = -1;
  double others_seconds = 0;
  for (Watched& each : watched_) {
    const auto after = read(each.source, each.group);
    const auto share = after ? share_of_others(each.before, *after, each.group.cpus.size()) : std::nullopt;
    if (share && *share > most_share) {
      most = &each;
      most_share = *share;
      others_seconds =
          *share * (after->at_seconds - each.before.at_seconds) * static_cast<double>(each.group.cpus.size());
    }
    if (after) each.before = *after;
  }
  use_.reset();
  if (most == nullptr) return;
  use_ = OthersUse{most_share, ""};
  if (!is_busy(*use_)) return;
  auto listed = other_processes(folders_, all_own_processes());
  use_->worst = worst_program(listed_, listed, most->group.cpus, others_seconds);
  listed_ = std::move(listed);
}

std::set<pid_t> BusyWatch::own_processes(const std::vector<pid_t>& agents) const {
  std::set<pid_t> own(agents.begin(), agents.end());
  for (const pid_t agent : agents) {
    const auto below = below_(agent);
    own.insert(below.begin(), below.end());
  }
  return own;
}

std::set<pid_t> BusyWatch::all_own_processes() const {
  std::set<pid_t> own;
  for (const Watched& each : watched_) own.merge(own_processes(each.group.agents));
  return own;
}

}  // namespace regatta::launcher

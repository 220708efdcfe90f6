#include "states.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace regatta::crashes {
namespace {

std::size_t mark_of(const Disk& disk) {
  std::size_t mark = 0;
  const auto mix = [&mark](std::string_view text) {
    mark = (mark ^ std::hash<std::string_view>()(text)) * 0x9e3779b97f4a7c15ULL + text.size();
  };
  for (const auto& [path, bytes] : disk.seen()) {
    mix(path);
    mix(bytes);
  }
  return mark;
}

/// Whole operations: all of their chances but the size, which comes with the data, or none.
void add_whole(const Crash& crash, std::uint64_t which, std::vector<std::vector<bool>>& outcomes) {
  const std::vector<std::size_t>& groups = crash.groups();
  std::vector<bool> happened(crash.chances().size());
  for (std::size_t group = 0; group + 1 < groups.size(); ++group) {
    for (std::size_t at = groups[group]; at < groups[group + 1]; ++at) happened[at] = (which >> group & 1U) != 0;
  }
  outcomes.push_back(std::move(happened));
}

/// With and without each chance alone, and up to each.
void add_listed(std::size_t chances, std::size_t every, std::vector<std::vector<bool>>& outcomes) {
  for (std::size_t at = 0; at < chances; at += every) {
    std::vector<bool> one(chances, false);
    one[at] = true;
    std::vector<bool> others(chances, true);
    others[at] = false;
    std::vector<bool> first(chances, false);
    std::fill_n(first.begin(), at, true);
    outcomes.insert(outcomes.end(), {one, others, first});
  }
}

}  // namespace

Count& Count::operator+=(const Count& other) {
  operations += other.operations;
  points += other.points;
  whole_points += other.whole_points;
  built += other.built;
  resumed += other.resumed;
  return *this;
}

std::vector<std::vector<bool>> outcomes_of(const Crash& crash, const Effort& effort, simulation::Random& random) {
  const std::size_t chances = crash.chances().size();
  std::vector<std::vector<bool>> outcomes;
  if (chances <= effort.all_of) {
    for (std::uint64_t which = 0; which < std::uint64_t{1} << chances; ++which) {
      std::vector<bool> happened(chances);
      for (std::size_t at = 0; at < chances; ++at) happened[at] = (which >> at & 1U) != 0;
      outcomes.push_back(std::move(happened));
    }
    return outcomes;
  }
  const std::size_t groups = crash.groups().size() - 1;
  for (std::uint64_t which = 0; groups <= effort.all_of && which < std::uint64_t{1} << groups; ++which)
    add_whole(crash, which, outcomes);
  add_listed(chances, effort.every, outcomes);
  for (std::size_t sample = 0; sample < effort.samples; ++sample) {
    std::vector<bool> happened(chances);
    const double share = random.real();
    for (std::size_t at = 0; at < chances; ++at) happened[at] = random.chance(share);
    outcomes.push_back(std::move(happened));
  }
  return outcomes;
}

Count survive(const Recorded& recorded, const Effort& effort, std::uint64_t seed,
              const std::function<std::size_t(std::size_t done)>& promised,
              const std::function<std::size_t(const Disk&)>& resume) {
  Count count;
  count.operations = recorded.operations.size() - recorded.first_point;
  simulation::Random random(seed);
  std::unordered_map<std::size_t, std::size_t> known;
  for (std::size_t done = recorded.first_point; done <= recorded.operations.size(); ++done) {
    const Crash crash(recorded.before, recorded.operations, done);
    const std::size_t least = promised(done);
    ++count.points;
    count.whole_points += crash.chances().size() <= effort.all_of ? 1 : 0;
    for (const std::vector<bool>& happened : outcomes_of(crash, effort, random)) {
      const Disk disk = crash.state(happened);
      ++count.built;
      const auto [found, is_new] = known.try_emplace(mark_of(disk));
      std::string chances;
      for (const bool each : happened) chances += each ? '1' : '0';
      const std::string place = "behind operation " + std::to_string(done) + ", chances " + chances + ": ";
      try {
        if (is_new) found->second = resume(disk);
      } catch (const std::exception& error) {
        throw Violation(place + error.what());
      }
      count.resumed += is_new ? 1 : 0;
      if (found->second < least) {
        throw Violation(place + std::to_string(found->second) + " are there, " + std::to_string(least) +
                        " were promised");
      }
    }
  }
  return count;
}

}  // namespace regatta::crashes

#include "measuring/disturbance.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::launcher {
namespace {

constexpr double relevant_share = 0.005;      // half of the default margin of a verdict
constexpr double start_seconds = 100e-6;      // waking a worker takes this long on an idle core, before its first step
constexpr double hand_over_seconds = 300e-6;  // asking, waking, answering and reading, during which it may sleep
constexpr double turn_seconds = 3e-3;         // time that the kernel gives another thread before it looks again
constexpr double cold_cache_seconds = 50e-6;  // filling a second-level cache of 1 MiB again
constexpr double clock_tolerance = 0.02;      // the clock of an undisturbed core varies by 1 %
constexpr double others_tolerance = 0.05;     // a share of cores that ticks of 10 ms can tell from 0
constexpr double enough_core_seconds = 4;     // for that
constexpr double kept_of_earlier = 0.98;      // so that some 50 slices count
constexpr double of_usual_wait = 2;           // how long threads wait for each other scatters

template <class T>
std::optional<T> difference(const std::optional<T>& before, const std::optional<T>& after) {
  if (!before || !after) return std::nullopt;
  return *after - *before;
}

template <class T>
void add(std::optional<T>& sum, const std::optional<T>& value) {
  if (value) sum = sum.value_or(T{}) + *value;
}

// A thread that was not there before started from nothing; one that counts backwards is another of the same number.
ThreadCounters since(const std::map<pid_t, ThreadCounters>& before, pid_t id, const ThreadCounters& now) {
  const auto known = before.find(id);
  if (known == before.end() || known->second.run_seconds > now.run_seconds) return now;
  const ThreadCounters& then = known->second;
  return {difference(then.run_seconds, now.run_seconds), difference(then.wait_seconds, now.wait_seconds),
          difference(then.involuntary_switches, now.involuntary_switches), difference(then.migrations, now.migrations)};
}

void count_threads(Disturbance& result, const Counters& before, const Counters& after) {
  if (!before.threads || !after.threads) return;
  std::optional<double> run_seconds;
  std::optional<double> longest_wait_seconds;
  int active = 0;
  for (const auto& [id, now] : *after.threads) {
    const ThreadCounters change = since(*before.threads, id, now);
    add(result.involuntary_switches, change.involuntary_switches);
    add(result.migrations, change.migrations);
    add(run_seconds, change.run_seconds);
    if (change.run_seconds.value_or(0) > 0) ++active;
    if (change.wait_seconds) longest_wait_seconds = std::max(longest_wait_seconds.value_or(0), *change.wait_seconds);
  }
  if (!run_seconds || !longest_wait_seconds) return;
  result.own_seconds = *run_seconds;
  result.has_several_threads = active > 1;
  const double left_to_others =
      active < 2 ? result.core_seconds : result.core_seconds - *run_seconds - hand_over_seconds;
  result.runqueue_wait_seconds = std::clamp(left_to_others, 0.0, *longest_wait_seconds);
}

bool is_off(const std::optional<double>& ratio) { return ratio && std::abs(*ratio - 1) > clock_tolerance; }

std::optional<double> ratio_to_usual(Usual& usual, const std::optional<double>& value) {
  if (!value) return std::nullopt;
  const auto median = usual.update(*value);
  return median && *median > 0 ? std::optional(*value / *median) : std::nullopt;
}

}  // namespace

Disturbance between(const Counters& before, const Counters& after, std::size_t cpus) {
  Disturbance result;
  result.core_seconds = (after.at_seconds - before.at_seconds) * static_cast<double>(cpus);
  count_threads(result, before, after);
  result.busy_seconds = difference(before.busy_seconds, after.busy_seconds);
  result.throttled_events = difference(before.throttled_events, after.throttled_events);
  result.throttled_seconds = difference(before.throttled_seconds, after.throttled_seconds);
  for (std::size_t i = 0; i < std::min(before.steal_seconds.size(), after.steal_seconds.size()); ++i) {
    const auto stolen = difference(before.steal_seconds[i], after.steal_seconds[i]);
    if (stolen) result.steal_seconds = std::max(result.steal_seconds.value_or(0), *stolen);
  }
  result.megahertz = after.megahertz;
  return result;
}

std::uint8_t flags_of(const Disturbance& disturbance, double slice_seconds) {
  const double relevant_seconds = relevant_share * slice_seconds;
  const auto exceeds = [&](double seconds) { return seconds > std::max(relevant_seconds, start_seconds); };
  // Where waiting is not counted, a switch tells that someone else had a turn.
  const double waited_seconds = disturbance.runqueue_wait_seconds.value_or(
                                    turn_seconds * static_cast<double>(disturbance.involuntary_switches.value_or(0))) -
                                of_usual_wait * disturbance.usual_wait_seconds.value_or(0);
  const double throttled_seconds = disturbance.throttled_seconds.value_or(
      turn_seconds * static_cast<double>(disturbance.throttled_events.value_or(0)));
  const double moves =
      static_cast<double>(disturbance.migrations.value_or(0)) - disturbance.usual_migrations.value_or(0);
  unsigned flags = 0;
  const bool others_are_there = disturbance.others_share.value_or(0) > others_tolerance;
  if (exceeds(waited_seconds) || others_are_there) flags |= stats::preempted;
  if (exceeds(throttled_seconds)) flags |= stats::throttled;
  if (moves * cold_cache_seconds > relevant_seconds) flags |= stats::migrated;
  if (exceeds(disturbance.steal_seconds.value_or(0))) flags |= stats::stolen;
  if (is_off(disturbance.clock_ratio)) flags |= stats::clock_off;
  if (is_off(disturbance.canary_ratio)) flags |= stats::canary_off;
  return static_cast<std::uint8_t>(flags);
}

std::optional<double> OthersShare::update(const Disturbance& slice) {
  if (!slice.own_seconds || !slice.busy_seconds) return std::nullopt;
  core_seconds_ = kept_of_earlier * core_seconds_ + slice.core_seconds;
  others_seconds_ = kept_of_earlier * others_seconds_ + *slice.busy_seconds - *slice.own_seconds;
  if (core_seconds_ < enough_core_seconds) return std::nullopt;
  return others_seconds_ / core_seconds_;
}

DisturbanceWatch::DisturbanceWatch(std::optional<pid_t> worker, std::vector<int> cpus, const MachineFolders& folders)
    : cpus_(std::move(cpus)), folders_(folders), source_(worker, cpus_, folders_) {}

void DisturbanceWatch::follow(pid_t worker) {
  source_ = CounterSource(worker, cpus_, folders_);
  before_.reset();
}

void DisturbanceWatch::begin() { before_ = source_.read(); }

std::optional<Disturbance> DisturbanceWatch::end() {
  const auto after = source_.read();
  if (!before_ || !after) return std::nullopt;
  Disturbance result = between(*before_, *after, cpus_.size());
  before_.reset();
  if (result.has_several_threads) {
    result.others_share = others_.update(result);
    if (result.others_share.value_or(0) > others_tolerance && source_.has_children()) result.others_share.reset();
    const auto usual_share = wait_share_.update(*result.runqueue_wait_seconds / result.core_seconds);
    if (usual_share) result.usual_wait_seconds = *usual_share * result.core_seconds;
  }
  if (result.migrations) result.usual_migrations = migrations_.update(static_cast<double>(*result.migrations));
  result.clock_ratio = ratio_to_usual(megahertz_, result.megahertz);
  if (!cpus_.empty()) result.canary_seconds = canary_seconds(cpus_.back());
  result.canary_ratio = ratio_to_usual(canary_, result.canary_seconds);
  return result;
}

}  // namespace regatta::launcher

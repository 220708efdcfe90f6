#include "ranks/self_watch.hpp"

#include <ctime>

namespace regatta::launcher {
namespace {

constexpr double shortest_interval_seconds = 2;
constexpr double interval_share = 1.0 / 16;  // part of the time that the session has taken

double cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

SelfWatch::SelfWatch(double now_seconds, double foretold_seconds)
    : loop(now_seconds),
      foretold_seconds_(foretold_seconds),
      start_seconds_(now_seconds),
      start_cpu_seconds_(cpu_seconds()),
      next_note_seconds_(now_seconds + shortest_interval_seconds) {}

results::Orchestration SelfWatch::note(double now_seconds, const LogHistogram& syncs) {
  results::Orchestration self;
  self.elapsed_seconds = now_seconds - start_seconds_;
  self.foretold_seconds = foretold_seconds_;
  self.cpu_seconds = cpu_seconds() - start_cpu_seconds_;
  next_note_seconds_ = now_seconds + std::max(shortest_interval_seconds, self.elapsed_seconds * interval_share);
  const LogHistogram& lags = loop.lags();
  self.turns = static_cast<double>(loop.turns());
  self.lag_median_seconds = lags.quantile(0.5);
  self.lag_p99_seconds = lags.quantile(0.99);
  self.lag_most_seconds = lags.most();
  self.inbox_median = loop.inbox().quantile(0.5);
  self.inbox_p99 = loop.inbox().quantile(0.99);
  self.inbox_most = loop.inbox().most();
  self.syncs = static_cast<double>(syncs.count());
  self.sync_median_seconds = syncs.quantile(0.5);
  self.sync_p99_seconds = syncs.quantile(0.99);
  self.sync_most_seconds = syncs.most();
  const IdleShares shares = slots.shares(now_seconds);
  self.slots = shares.slots;
  self.idle_share = shares.mean;
  self.idle_share_most = shares.most;
  self.tail_share = shares.tail;
  return self;
}

}  // namespace regatta::launcher

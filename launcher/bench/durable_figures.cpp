#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "bench/bench.hpp"
#include "ranks/recorder.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/version.hpp"
#include "regatta/dispatch/agent_turn.hpp"
#include "regatta/dispatch/coordinator.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/results/machine_json.hpp"

namespace regatta::launcher {
namespace {

/// A file whose disk is slow.
class SlowFile : public results::PosixLogFile {
 public:
  SlowFile(const std::filesystem::path& file, double slower_sync_seconds)
      : PosixLogFile(file), slower_sync_(slower_sync_seconds) {}

  void sync() override {
    std::this_thread::sleep_for(slower_sync_);
    PosixLogFile::sync();
  }

 private:
  std::chrono::duration<double> slower_sync_;
};

results::StoreWriter open_store(const sweep::Sweep& sweep, const sweep::Plan& plan, const std::filesystem::path& folder,
                                double slower_sync_seconds) {
  create_private_folder(folder);
  const auto open = [&](const std::filesystem::path& file) {
    return std::make_unique<SlowFile>(file, slower_sync_seconds);
  };
  results::Provenance provenance;
  provenance.regatta_version = regatta_version();
  return {{open(results::journal_file(folder)), open(results::samples_file(folder))}, sweep, plan, provenance};
}

/// As the native engine reports a no-op trial of one slice.
protocol::BlockResult noop_result(const sweep::BlockTask& task, double wall_seconds) {
  protocol::BlockResult result;
  result.block = task.block;
  result.attempt = task.attempt;
  result.start_wall_seconds = result.end_wall_seconds = wall_seconds;
  sweep::ArmOutcome& arm = result.arms.emplace_back();
  arm.outcome = sweep::Finished{};
  arm.environment = arm.engine = "native";
  sweep::set(arm.facts, sweep::Fact::engine_version, regatta_version());
  result.samples.resize(2);
  return result;
}

/// One thread does the work of rank 0; the disk has its own.
class Load {
 public:
  Load(const sweep::Sweep& sweep, const sweep::Plan& plan, results::StoreWriter& store, std::uint32_t agents)
      : coordinator_(sweep, plan, {}, {}, agents), recorder_(store) {
    for (std::uint32_t agent = 0; agent < agents; ++agent) {
      turns_.emplace_back(AgentId{agent});
      sweep::Slot slot;
      slot.cores = {static_cast<int>(agent)};
      coordinator_.receive({agent}, protocol::AgentReady{results::to_json(results::Host{}), slot, {}}, wall_seconds());
    }
  }

  /// Seconds.
  double run() {
    constexpr auto pause = std::chrono::microseconds(20);
    const double start = steady_seconds();
    while (!coordinator_.done()) {
      const bool moved = hand_in();
      if (!pass_on() && !moved) std::this_thread::sleep_for(pause);
    }
    return steady_seconds() - start;
  }

 private:
  bool hand_in() {
    constexpr int at_once = 64;
    const double now = wall_seconds();
    bool any = false;
    for (std::uint32_t agent = 0; agent < turns_.size(); ++agent) {
      for (int i = 0; i < at_once; ++i) {
        const auto task = turns_[agent].next();
        if (!task) break;
        turns_[agent].ran(noop_result(*task, now));
        any = true;
      }
      for (protocol::AgentReply& reply : turns_[agent].take_messages())
        coordinator_.receive({agent}, std::move(reply), now);
    }
    return any;
  }

  bool pass_on() {
    recorder_.note(coordinator_.take_grants());
    recorder_.write(coordinator_.take_records());
    coordinator_.durable(recorder_.durable());
    static_cast<void>(coordinator_.take_news());
    bool any = false;
    for (dispatch::Outbound& outbound : coordinator_.take_messages()) {
      turns_[outbound.to.value].receive(std::move(outbound.message));
      any = true;
    }
    return any;
  }

  dispatch::Coordinator coordinator_;
  Recorder recorder_;
  std::vector<dispatch::AgentTurn> turns_;
};

}  // namespace

double durable_rate(const sweep::Sweep& sweep, const sweep::Plan& plan, const std::filesystem::path& folder,
                    std::uint32_t agents, double slower_sync_seconds) {
  results::StoreWriter store = open_store(sweep, plan, folder, slower_sync_seconds);
  return static_cast<double>(plan.trials.size()) / Load(sweep, plan, store, agents).run();
}

}  // namespace regatta::launcher

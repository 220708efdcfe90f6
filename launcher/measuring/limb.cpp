#include "measuring/limb.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "measuring/bridge.hpp"
#include "measuring/measuring.hpp"
#include "measuring/rank_program.hpp"
#include "measuring/worker_arm.hpp"
#include "os/poll_pace.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/exchange/shared_memory.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::launcher {
namespace {

using protocol::GangDone;
using protocol::GangFailed;

constexpr double longest_pause_seconds = 2e-3;  // while it waits for orders
constexpr double hearing_seconds = 30;          // beyond what the leader's worker may take
constexpr double checkpoint_seconds = 5;        // delay with which a file system may show another node's checkpoint
constexpr const char* unheard_text =
    "the agent that leads a trial of several ranks does not hear this one. It hangs, its node is gone, or the network "
    "between the nodes is cut. This rank leaves; run the same command again to go on";

class Limb {
 public:
  Limb(AgentSlot& slot, const sweep::BlockTask& task, std::uint32_t rank) : slot_(slot), task_(task), rank_(rank) {}

  /// The answer, where one is due. An order of another attempt is late.
  template <class Order>
  std::optional<protocol::GangMessage> answer(const Order& order) {
    try {
      GangDone done;
      done.place = order.place;
      run(order, done);
      return done;
    } catch (...) {
      return failure_of(order.place);
    }
  }
  std::optional<protocol::GangMessage> answer(const protocol::GangEnd&) {
    is_over_ = true;
    for (auto& [arm, held] : arms_) stop(held);
    return std::nullopt;
  }
  /// Answered once the program has ended.
  std::optional<protocol::GangMessage> answer(const protocol::GangRun& order) {
    try {
      start_program(order);
      return std::nullopt;
    } catch (...) {
      return failure_of(order.place);
    }
  }
  std::optional<protocol::GangMessage> answer(const protocol::GangStop& order) {
    stop(arms_[order.place.arm]);
    return std::nullopt;
  }
  std::optional<protocol::GangMessage> answer(const GangDone&) { return std::nullopt; }
  std::optional<protocol::GangMessage> answer(const GangFailed&) { return std::nullopt; }

  /// Looks after the programs that run; the answers of those that have ended.
  std::vector<protocol::GangMessage> tend() {
    std::vector<protocol::GangMessage> answers;
    for (auto& [arm, held] : arms_) {
      if (!held.run) continue;
      if (slot_.spawner.gave_up()) stop(held);
      if (auto answer = ended(held)) answers.push_back(std::move(*answer));
    }
    return answers;
  }

  /// The leader has let it go, and nothing runs any more.
  [[nodiscard]] bool is_over() const {
    return is_over_ && std::ranges::none_of(arms_, [](const auto& arm) { return arm.second.run != nullptr; });
  }

 private:
  /// This rank's part of an arm.
  struct Held {
    std::unique_ptr<WorkerOfArm> worker;
    std::optional<exchange::Stop> stop;
    std::unique_ptr<Bridge> bridge;       ///< where the arm's ranks are on several nodes; it sets the stop
    std::optional<ProgramStart> program;  ///< in place of a worker
    std::unique_ptr<RankRun> run;         ///< the run of the program; nothing: none is on its way
    protocol::GangPlace run_place = {};   ///< the order that began it
    bool was_stopped = false;             ///< the last run, by the leader
  };

  static void stop(Held& held) {
    if (!held.run) return;
    held.was_stopped = true;
    held.run->end();
  }

  GangFailed failure_of(const protocol::GangPlace& place) {
    GangFailed failed = failure_now(place);
    Held& held = arms_[place.arm];
    if (held.stop) held.stop->set();  // nobody is to wait for this rank
    failed.told = (held.bridge && held.bridge->was_told()) || held.was_stopped;
    return failed;
  }

  void run(const protocol::GangPrepare& order, GangDone& done) {
    const sweep::ArmTask& task = task_.arms.at(order.place.arm.value);
    if (task.command || task.launch != sweep::Launch::once) return prepare_program(order.place.arm, done);
    WorkerOfArm& arm = arm_of(order.place.arm);
    const measure::Prepared prepared = order.fresh ? arm.renew() : arm.prepare();
    done.host = slot_.memory_domain;
    done.member = arm.member();
    done.arithmetic = arm.arithmetic();
    done.memory.peak_bytes = prepared.peak_bytes;
  }
  void prepare_program(ArmIndex arm, GangDone& done) {
    const sweep::ArmTask& task = task_.arms[arm.value];
    arms_[arm].program = task.command ? program_start(slot_, task, place_of(arm)) : loop_start(slot_, task, rank_);
    RankPlace place = rank_place(slot_, sweep::threads_of(task.parameters));
    done.host = std::move(place.node);
    done.host_name = std::move(place.host);
    done.address = std::move(place.address);
    done.cpus = std::move(place.cpus);
    done.visible_device = std::move(place.device);
  }
  void start_program(const protocol::GangRun& order) {
    Held& held = arms_[order.place.arm];
    held.was_stopped = false;
    held.run_place = order.place;
    const sweep::ArmTask& task = task_.arms.at(order.place.arm.value);
    const auto kept = task.command ? task.command->output : sweep::KeptOutput::tail;
    held.run = std::make_unique<RankRun>(
        slot_, request_of(slot_, held.program.value(), kept, slot_.pool.cpus_for(sweep::threads_of(task.parameters)),
                          order.variables));
  }
  /// The answer to a run that has ended, if it has. What it prints is of use where it fails; results come from rank 0.
  std::optional<protocol::GangMessage> ended(Held& held) {
    try {
      const auto exit = held.run->look();
      if (!exit) return std::nullopt;
      held.run.reset();
      remove_files(*held.program);
      if (held.was_stopped || exit->wait_status != 0) write_output(held.program->output, *exit);
      judge_end(slot_.pool, *exit);
      GangDone done;
      done.place = held.run_place;
      done.seconds = exit->seconds;
      done.memory.peak_bytes = exit->peak_bytes;
      return done;
    } catch (...) {
      held.run.reset();
      return failure_of(held.run_place);
    }
  }
  void run(const protocol::GangJoin& order, GangDone&) {
    WorkerOfArm& arm = arm_of(order.place.arm);
    Held& held = arms_[order.place.arm];
    held.bridge.reset();
    if (order.hosts.empty()) {
      held.stop.emplace(order.stop);
      return arm.join(order.members, order.stop);
    }
    held.stop.emplace();  // the leader's may be on another node
    held.bridge =
        std::make_unique<Bridge>(slot_, task_.gang, rank_, order, arm.threads(), [&held] { held.stop->set(); });
    arm.join(held.bridge->members(), held.stop->path());
  }
  /// A verb of the worker in which it exchanges gradients.
  void across(ArmIndex arm, const std::function<void()>& verb) {
    Bridge* const bridge = arms_[arm].bridge.get();
    bridge != nullptr ? bridge->run(verb) : verb();
  }
  void run(const protocol::GangSlice& order, GangDone& done) {
    measure::SliceResult result;
    across(order.place.arm, [&] { result = arm_of(order.place.arm).slice({order.order}); });
    done.memory = result.memory;
    done.samples = std::move(result.samples);
  }
  void run(const protocol::GangCheck& order, GangDone& done) {
    across(order.place.arm, [&] { done.losses = arm_of(order.place.arm).check(order.steps, order.as).losses; });
  }
  void run(const protocol::GangTrain& order, GangDone& done) {
    const measure::TrainRequest request{task_.leg.value(), task_.training, task_.objective};
    const bool is_relayed = arms_[order.place.arm].bridge != nullptr;
    across(order.place.arm, [&] {
      if (is_relayed) require_checkpoint(order.checkpoint_path, order.checkpoint_hash, rank_, checkpoint_seconds);
      const sweep::Learned learned = arm_of(order.place.arm).train_from(order.checkpoint_path, request);
      done.memory.peak_bytes = static_cast<std::uint64_t>(learned.peak_bytes);
    });
  }
  void run(const protocol::GangPause& order, GangDone&) {
    WorkerOfArm& arm = arm_of(order.place.arm);
    order.stopped ? arm.park() : arm.resume();
  }
  void run(const protocol::GangRelease& order, GangDone&) {
    WorkerOfArm& arm = arm_of(order.place.arm);
    arms_[order.place.arm].bridge.reset();
    order.evicts ? arm.evict() : arm.release();
  }

  WorkerOfArm& arm_of(ArmIndex arm) {
    std::unique_ptr<WorkerOfArm>& kept = arms_[arm].worker;
    if (kept == nullptr) {
      kept = make_worker_arm(slot_, task_.arms.at(arm.value), place_of(arm));
    }
    return *kept;
  }
  [[nodiscard]] ArmPlace place_of(ArmIndex arm) const {
    ArmPlace place{arm, task_.arms.size() > 1, task_.leg.has_value(), task_.hash};
    place.rank = rank_;
    return place;
  }

  AgentSlot& slot_;
  const sweep::BlockTask& task_;
  std::uint32_t rank_;
  std::map<ArmIndex, Held> arms_;
  bool is_over_ = false;
};

/// A leader listens again once its own worker has answered.
class HearingWatch {
 public:
  explicit HearingWatch(double seconds) : seconds_(seconds) {}
  void restart() { deadline_ = Deadline::after(seconds_); }
  [[nodiscard]] bool is_over(bool is_heard) {
    if (is_heard) restart();
    return deadline_.passed();
  }

 private:
  double seconds_;
  Deadline deadline_ = Deadline::after(seconds_);
};

bool belongs_to(const protocol::GangMessage& message, const sweep::BlockTask& task) {
  return std::visit(
      [&](const auto& held) { return held.place.block == task.block && held.place.attempt == task.attempt; }, message);
}

}  // namespace

void serve_gang(AgentSlot& slot, const sweep::BlockTask& task, std::uint32_t rank, const GangLink& link) {
  Limb limb(slot, task, rank);
  PollPace pace(longest_pause_seconds);
  HearingWatch watch(slot.pool.options().timeout_seconds + hearing_seconds);
  while (!limb.is_over()) {
    for (const protocol::GangMessage& answer : limb.tend()) link.send(task.gang.front(), answer);
    const auto incoming = link.inbox().order_of(task.gang.front());
    if (!incoming) {
      if (watch.is_over(link.is_heard())) throw PeerLost(unheard_text);
      pace.pause();
      continue;
    }
    if (!belongs_to(incoming->message, task)) continue;
    const auto answer = std::visit([&](const auto& order) { return limb.answer(order); }, incoming->message);
    if (answer) link.send(incoming->from, *answer);
    watch.restart();
    pace.quicken();
  }
}

}  // namespace regatta::launcher

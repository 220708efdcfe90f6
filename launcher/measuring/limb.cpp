#include "measuring/limb.hpp"

#include <map>
#include <memory>
#include <optional>

#include "measuring/gang_failure.hpp"
#include "measuring/poll_pace.hpp"
#include "measuring/worker_arm.hpp"
#include "regatta/exchange/shared_memory.hpp"

namespace regatta::launcher {
namespace {

using protocol::GangDone;
using protocol::GangFailed;

constexpr double longest_pause_seconds = 2e-3;  // while it waits for orders

class Limb {
 public:
  Limb(AgentSlot& slot, const sweep::BlockTask& task, std::uint32_t rank) : slot_(slot), task_(task), rank_(rank) {}

  /// The answer, where one is due. What belongs to another attempt is late.
  template <class Order>
  std::optional<protocol::GangMessage> answer(const Order& order) {
    try {
      GangDone done;
      done.place = order.place;
      run(order, done);
      return done;
    } catch (...) {
      GangFailed failed = failure_now(order.place);
      if (failed.died && stop_) stop_->set();
      return failed;
    }
  }
  std::optional<protocol::GangMessage> answer(const protocol::GangEnd&) {
    is_over_ = true;
    return std::nullopt;
  }
  std::optional<protocol::GangMessage> answer(const GangDone&) { return std::nullopt; }
  std::optional<protocol::GangMessage> answer(const GangFailed&) { return std::nullopt; }

  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  void run(const protocol::GangPrepare& order, GangDone& done) {
    WorkerOfArm& arm = arm_of(order.place.arm);
    const measure::Prepared prepared = order.fresh ? arm.renew() : arm.prepare();
    done.host = slot_.memory_domain;
    done.member = arm.member();
    done.peak_bytes = prepared.peak_bytes;
  }
  void run(const protocol::GangJoin& order, GangDone&) {
    stop_.emplace(order.stop);
    arm_of(order.place.arm).join(order.members, order.stop, patience_of(slot_));
  }
  void run(const protocol::GangSlice& order, GangDone& done) {
    measure::SliceRequest request;
    request.phase = order.phase;
    request.slice = order.slice;
    request.length.reentry_steps = order.reentry_steps;
    request.length.steps = order.steps;
    request.length.group = order.group;
    request.length.wait_each = order.wait_each;
    request.tells_peak = order.tells_peak;
    measure::SliceResult result = arm_of(order.place.arm).slice(request);
    done.peak_bytes = result.peak_bytes;
    done.samples = std::move(result.samples);
  }
  void run(const protocol::GangCheck& order, GangDone& done) {
    done.losses = arm_of(order.place.arm).check(order.steps).losses;
  }
  void run(const protocol::GangTrain& order, GangDone& done) {
    const measure::TrainRequest request{task_.leg.value(), task_.training, task_.objective};
    done.peak_bytes =
        static_cast<std::uint64_t>(arm_of(order.place.arm).train_from(order.checkpoint_path, request).peak_bytes);
  }
  void run(const protocol::GangPause& order, GangDone&) {
    WorkerOfArm& arm = arm_of(order.place.arm);
    order.stopped ? arm.park() : arm.resume();
  }
  void run(const protocol::GangRelease& order, GangDone&) {
    WorkerOfArm& arm = arm_of(order.place.arm);
    order.evicts ? arm.evict() : arm.release();
  }

  WorkerOfArm& arm_of(ArmIndex arm) {
    std::unique_ptr<WorkerOfArm>& kept = arms_[arm];
    if (kept == nullptr) {
      ArmPlace place{arm, task_.arms.size() > 1, task_.leg.has_value(), task_.hash};
      place.rank = rank_;
      kept = make_worker_arm(slot_, task_.arms.at(arm.value), place);
    }
    return *kept;
  }

  AgentSlot& slot_;
  const sweep::BlockTask& task_;
  std::uint32_t rank_;
  std::map<ArmIndex, std::unique_ptr<WorkerOfArm>> arms_;
  std::optional<exchange::Stop> stop_;
  bool is_over_ = false;
};

bool belongs_to(const protocol::GangMessage& message, const sweep::BlockTask& task) {
  return std::visit(
      [&](const auto& held) { return held.place.block == task.block && held.place.attempt == task.attempt; }, message);
}

}  // namespace

void serve_gang(AgentSlot& slot, const sweep::BlockTask& task, std::uint32_t rank, const GangLink& link) {
  Limb limb(slot, task, rank);
  PollPace pace(longest_pause_seconds);
  while (!limb.is_over()) {
    const auto incoming = link.inbox().order_of(task.gang.front());
    if (!incoming) {
      pace.pause();
      continue;
    }
    if (!belongs_to(incoming->message, task)) continue;
    const auto answer = std::visit([&](const auto& order) { return limb.answer(order); }, incoming->message);
    if (answer) link.send(incoming->from, *answer);
    pace.quicken();
  }
}

}  // namespace regatta::launcher

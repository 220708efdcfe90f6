#include <algorithm>
#include <utility>
#include <variant>

#include "measuring/block_runner.hpp"
#include "measuring/device_watch.hpp"
#include "measuring/gang_arm.hpp"
#include "measuring/limb.hpp"
#include "os/poll_pace.hpp"
#include "ranks/ranks.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/log.hpp"
#include "regatta/dispatch/agent_turn.hpp"

namespace regatta::launcher {
namespace {

constexpr double longest_sleep_seconds = 20e-3;

bool receive_all(dispatch::AgentTurn& turn, const Uplink& uplink) {
  bool any = false;
  while (auto request = uplink.receive()) {
    turn.receive(std::move(*request));
    any = true;
  }
  return any;
}

void send_all(dispatch::AgentTurn& turn, const Uplink& uplink) {
  for (const protocol::AgentReply& reply : turn.take_messages()) uplink.send(reply);
  for (const dispatch::GangLeft& left : turn.take_gangs_left())
    end_gang(left.agents, left.block, left.attempt, uplink.gang);
}

void run(AgentSlot& slot, const std::vector<sweep::BlockTask>& tasks, measure::BlockBudget& budget,
         dispatch::AgentTurn& turn, const Uplink& uplink) {
  const BlockLine line{uplink.drain_requested, [&](const protocol::BlockStand& stand) { uplink.send(stand); },
                       uplink.gang};
  DeviceState before;
  if (slot.care) before = look_before(*slot.care, tasks.front(), ask_on_slot(slot));
  run_blocks(slot, tasks, budget, line, [&](const sweep::BlockTask& task, measure::BlockOutcome ended) {
    if (slot.care) watch_device(*slot.care, task, before, ended, ask_on_slot(slot));
    turn.ran(std::visit([](auto&& outcome) { return protocol::AgentReply(std::move(outcome)); }, std::move(ended)));
  });
}

/// Blocks that share their processes, or one that stands alone. The results of a visit leave at once: they are kept
/// whatever happens later.
void run_tour(AgentSlot& slot, const std::vector<sweep::BlockTask>& tasks, measure::BlockBudget& budget,
              dispatch::AgentTurn& turn, const Uplink& uplink) {
  const BlockLine line{uplink.drain_requested, [&](const protocol::BlockStand& stand) { uplink.send(stand); },
                       uplink.gang};
  DeviceState before;
  run_tour(slot, tasks, budget, line,
           {.begins =
                [&](const sweep::BlockTask& task) {
                  if (slot.care) before = look_before(*slot.care, task, ask_on_slot(slot));
                },
            .told =
                [&](const sweep::BlockTask& task, measure::BlockOutcome told) {
                  if (slot.care) watch_device(*slot.care, task, before, told, ask_on_slot(slot));
                  turn.ran(std::visit([](auto&& outcome) { return protocol::AgentReply(std::move(outcome)); },
                                      std::move(told)));
                  send_all(turn, uplink);
                }});
}

/// Blocks on a device go one by one: it is looked at between them, when nothing runs.
bool goes_in_lot(const AgentSlot& slot, const sweep::BlockTask& task) {
  return goes_in_lots(task) && !(slot.care && uses_device(*slot.care, task));
}

/// As leader, or as one of those it leads.
void run_in_gang(AgentSlot& slot, const sweep::BlockTask& task, AgentId own, measure::BlockBudget& budget,
                 dispatch::AgentTurn& turn, const Uplink& uplink) {
  const auto place = std::ranges::find(task.gang, own) - task.gang.begin();
  if (place > 0) return serve_gang(slot, task, static_cast<std::uint32_t>(place), uplink.gang);
  run(slot, {task}, budget, turn, uplink);
  end_gang(task.gang, task.block, task.attempt, uplink.gang);
}

}  // namespace

void run_agent(AgentSlot& slot, const Uplink& uplink, AgentId own, const protocol::AgentReady& greeting) {
  dispatch::AgentTurn turn(own);
  measure::BlockBudget budget;
  LotSize lot;
  uplink.send(greeting);
  bool has_device = slot.care.has_value();
  PollPace pace(longest_sleep_seconds);
  while (!turn.done()) {
    if (has_device && !slot.care->set_aside.empty()) {
      has_device = false;
      log::warn(slot.care->set_aside + " (its trials go elsewhere, or are skipped); look at it with 'regatta doctor'");
      turn.lose_device(slot.care->device.kind, slot.care->set_aside);
    }
    const bool news = receive_all(turn, uplink);
    if (uplink.drain_requested()) turn.drain();
    send_all(turn, uplink);
    const auto goes_together = [&](const sweep::BlockTask& task) { return goes_in_lot(slot, task); };
    if (const auto tasks = turn.next_lot(slot.one_by_one ? 1 : lot.blocks(), goes_together); !tasks.empty()) {
      const double start = steady_seconds();
      if (!tasks.front().gang.empty())
        run_in_gang(slot, tasks.front(), own, budget, turn, uplink);
      else if (is_told_by_visits(tasks.front()))
        run_tour(slot, tasks, budget, turn, uplink);
      else
        run(slot, tasks, budget, turn, uplink);
      lot.took(tasks.size(), steady_seconds() - start);
      send_all(turn, uplink);
      if (!slot.cut_off.empty()) uplink.cut_off(std::exchange(slot.cut_off, {}));
      pace.quicken();
      continue;
    }
    // Idle: a rank that blocks in MPI burns a core, so it polls, ever more seldom.
    if (news) pace.quicken();
    uplink.sleeps(pace.seconds());
    pace.pause();
  }
  if (!slot.keeps_workers) slot.pool.stop_all();
}

}  // namespace regatta::launcher

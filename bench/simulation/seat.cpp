#include "simulation/seat.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace regatta::scale {
namespace {

void report(World& world, Seat& seat, const sweep::BlockTask& task, const Attempt& attempt, double start_seconds) {
  world.found.failed_attempts += attempt.dies ? 1 : 0;
  world.found.gang_waits.longest_attempt_seconds =
      std::max(world.found.gang_waits.longest_attempt_seconds, attempt.seconds);
  seat.turn.ran(reply_of(task, attempt, start_seconds));
}

}  // namespace

void join_gang(Seat& seat, const protocol::Grant& grant) {
  sweep::BlockTask& task = seat.gang.emplace(grant.tasks.at(0));
  task.block = grant.first;
  task.attempt = grant.attempt;
  task.dropped = grant.dropped;
  seat.leads = grant.gang.front() == seat.agent;
}

void hear_signal(Seat& seat) {
  if (!seat.signalled || std::exchange(seat.draining, true)) return;
  seat.turn.drain();
}

std::optional<double> begin_lot(World& world, Seat& seat) {
  seat.lot = seat.turn.next_lot(seat.lot_size.blocks(), goes_in_lots);
  seat.attempts.clear();
  if (seat.lot.empty()) return std::nullopt;
  double seconds = 0;
  for (const sweep::BlockTask& task : seat.lot)
    seconds += seat.attempts.emplace_back(attempt_of(world.setup.mix, world.setup.seed, task)).seconds;
  seat.begun_seconds = world.time.now();
  return seconds;
}

void end_lot(World& world, Seat& seat) {
  double start = seat.begun_seconds;
  for (std::size_t i = 0; i < seat.lot.size(); ++i) {
    report(world, seat, seat.lot[i], seat.attempts[i], start);
    start += seat.attempts[i].seconds;
  }
  if (!seat.lot.empty()) seat.lot_size.took(seat.lot.size(), start - seat.begun_seconds);
  seat.lot.clear();
}

void end_gang(World& world, Seat& seat) {
  const Attempt attempt = attempt_of(world.setup.mix, world.setup.seed, *seat.gang);
  if (seat.leads) report(world, seat, *seat.gang, attempt, world.time.now() - attempt.seconds);
  seat.gang.reset();
}

}  // namespace regatta::scale

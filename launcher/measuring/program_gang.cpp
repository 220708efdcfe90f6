#include "measuring/program_gang.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "os/poll_pace.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using measure::ArmEnded;
using protocol::GangDone;
using protocol::GangFailed;

constexpr double answer_seconds = 30;  // for agents to prepare, or to end a rank; programs are not waited for then
constexpr double longest_pause_seconds = 1e-3;

std::vector<std::size_t> open_ranks(const std::vector<bool>& ended) {
  std::vector<std::size_t> open;
  for (std::size_t rank = 0; rank < ended.size(); ++rank) {
    if (!ended[rank]) open.push_back(rank);
  }
  return open;
}

}  // namespace

ProgramGang::ProgramGang(AgentSlot& slot, ProgramGroup group, std::int64_t threads, Timeouts timeouts)
    : slot_(slot), group_(std::move(group)), threads_(threads), timeouts_(timeouts) {}

std::string ProgramGang::name_of(std::size_t rank) const {
  return fmt::format("rank {} on {}", rank, places_[rank].host);
}

std::optional<std::size_t> ProgramGang::rank_of(AgentId agent) const {
  const auto other = std::ranges::find(group_.others, agent);
  if (other == group_.others.end()) return std::nullopt;
  return static_cast<std::size_t>(other - group_.others.begin()) + 1;
}

void ProgramGang::raise_first() const {
  if (!state_.first) return;
  const GangFailed& what = state_.first->what;
  if (what.gave_up) throw GivenUp{};
  if (what.skips) throw ArmEnded{sweep::Skipped{what.message, what.skip}};
  const std::string message = fmt::format("{}: {}", name_of(state_.first->rank), what.message);
  if (what.died) throw WorkerDied(what.kind, message);
  throw ArmEnded{sweep::Failed{what.kind, message}};
}

void ProgramGang::prepare() {
  places_ = {rank_place(slot_, threads_)};
  places_.resize(group_.others.size() + 1);
  state_ = {.ended = std::vector<bool>(places_.size(), false)};
  state_.ended[0] = true;
  for (const AgentId other : group_.others) group_.link.send(other, protocol::GangPrepare{group_.place, false});
  const Deadline deadline = Deadline::after(answer_seconds);
  for (PollPace pace(longest_pause_seconds); !has_ended();) {
    take_all();
    if (deadline.passed()) leave_silent();
    pace.pause();
  }
  raise_first();
}

bool ProgramGang::has_ended() const { return std::ranges::count(state_.ended, false) == 0; }

/// The failure that is rather the cause of all.
void ProgramGang::note(Failure failure) {
  state_.ended[failure.rank] = true;
  if (!state_.first || comes_before(failure.what, state_.first->what)) state_.first = std::move(failure);
}

void ProgramGang::take(GangIncoming& incoming) {
  const auto rank = rank_of(incoming.from);
  if (!rank || state_.ended[*rank]) return;
  if (auto* done = std::get_if<GangDone>(&incoming.message); done != nullptr && done->place == group_.place) {
    state_.ended[*rank] = true;
    state_.result.seconds = std::max(state_.result.seconds, done->seconds);
    state_.result.peak_bytes += done->memory.peak_bytes;
    if (!done->host.empty())
      places_[*rank] = {done->host, done->host_name, done->address, done->cpus, done->visible_device};
  } else if (auto* failed = std::get_if<GangFailed>(&incoming.message);
             failed != nullptr && failed->place == group_.place) {
    note({*rank, std::move(*failed)});
  }
}

void ProgramGang::take_all() {
  if (group_.others.empty()) return;
  while (auto incoming = group_.link.inbox().answer()) take(*incoming);
}

void ProgramGang::look_at_own(RankRun& own) {
  if (state_.ended[0]) return;
  try {
    const auto& exit = own.look();
    if (!exit) return;
    state_.ended[0] = true;
    state_.result.own = *exit;
    state_.result.seconds = std::max(state_.result.seconds, exit->seconds);
    state_.result.peak_bytes += exit->peak_bytes;
    judge_end(slot_.pool, *exit);
  } catch (...) {
    GangFailed failed = failure_now(group_.place);
    failed.told = own.was_ended();
    note({0, std::move(failed)});
  }
}

void ProgramGang::note_timeout() {
  const std::vector<std::size_t> open = open_ranks(state_.ended);
  GangFailed failed;
  failed.place = group_.place;
  failed.kind = sweep::FailureKind::timed_out;
  failed.died = timeouts_ == Timeouts::attempt;
  failed.seconds = steady_seconds();
  failed.message = fmt::format("did not end within limits.trial_timeout, {} s", slot_.pool.options().timeout_seconds);
  if (open.size() > 1)
    failed.message += fmt::format(
        ", and neither did rank{} {} (one of them may wait for another; where those in Python stood is in their logs)",
        open.size() == 2 ? "" : "s", fmt::join(open.begin() + 1, open.end(), ", "));
  state_.first = Failure{open.front(), std::move(failed)};
}

/// Their agents are cut off, or hang: the job cannot go on with them.
void ProgramGang::leave_silent() const {
  slot_.cut_off = fmt::format(
      "no answer of the agents of ranks {} for {:.0f} s (they hang, their node is gone or the network between the "
      "nodes "
      "is cut)",
      fmt::join(open_ranks(state_.ended), ", "), answer_seconds);
  throw WorkerDied(sweep::FailureKind::timed_out, slot_.cut_off);
}

void ProgramGang::start_others(const std::vector<Variables>& variables) {
  state_ = {.ended = std::vector<bool>(places_.size(), false)};
  for (std::size_t i = 0; i < group_.others.size(); ++i)
    group_.link.send(group_.others[i], protocol::GangRun{group_.place, variables[i + 1]});
}

bool ProgramGang::has_failed() {
  take_all();
  return state_.first.has_value();
}

void ProgramGang::stop_others() {
  if (state_.stop) return;
  state_.stop = Deadline::after(answer_seconds);
  for (std::size_t i = 0; i < group_.others.size(); ++i) {
    if (!state_.ended[i + 1]) group_.link.send(group_.others[i], protocol::GangStop{group_.place});
  }
}

void ProgramGang::await_others(double patience_seconds) {
  if (state_.ended.empty()) return;  // nothing was started
  state_.ended[0] = true;
  const Deadline patience = Deadline::after(patience_seconds);
  for (PollPace pace(longest_pause_seconds); !has_ended();) {
    take_all();
    if (state_.first || patience.passed()) stop_others();
    if (state_.stop && state_.stop->passed()) leave_silent();
    pace.pause();
  }
}

RunOfRanks ProgramGang::run(const protocol::RunProgram& own, const std::vector<Variables>& variables,
                            protocol::Exited& last) {
  start_others(variables);
  RankRun own_run(slot_, own);
  const Deadline deadline = Deadline::after(slot_.pool.options().timeout_seconds);
  bool gives_up = false;
  for (;;) {
    look_at_own(own_run);
    take_all();
    if (has_ended()) break;
    gives_up = gives_up || slot_.spawner.gave_up();
    if (!state_.first && deadline.passed()) note_timeout();
    if (state_.first || gives_up) {
      stop_others();
      own_run.end();
    }
    if (state_.stop && state_.stop->passed()) leave_silent();
    own_run.wait();
  }
  last = state_.result.own;
  raise_first();
  if (gives_up) throw GivenUp{};
  return state_.result;
}

}  // namespace regatta::launcher

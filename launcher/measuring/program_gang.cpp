#include "measuring/program_gang.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "measuring/poll_pace.hpp"
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

void ProgramGang::raise(const Failure& failure) const {
  const GangFailed& what = failure.what;
  if (what.gave_up) throw GivenUp{};
  if (what.skips) throw ArmEnded{sweep::Skipped{what.message, what.skip}};
  const std::string message = fmt::format("{}: {}", name_of(failure.rank), what.message);
  if (what.died) throw WorkerDied(what.kind, message);
  throw ArmEnded{sweep::Failed{what.kind, message}};
}

void ProgramGang::prepare() {
  places_ = {rank_place(slot_, threads_)};
  places_.resize(group_.others.size() + 1);
  std::vector<bool> ended(places_.size(), false);
  ended[0] = true;
  std::optional<Failure> failed;
  for (const AgentId other : group_.others) group_.link.send(other, protocol::GangPrepare{group_.place, false});
  const Deadline deadline = Deadline::after(answer_seconds);
  for (PollPace pace(longest_pause_seconds); std::ranges::count(ended, false) > 0;) {
    auto incoming = group_.link.inbox().answer();
    if (!incoming) {
      if (deadline.passed()) leave_silent({.ended = ended, .first = {}, .stop = {}, .result = {}});
      pace.pause();
      continue;
    }
    const auto rank = rank_of(incoming->from);
    if (!rank) continue;
    if (auto* done = std::get_if<GangDone>(&incoming->message); done != nullptr && done->place == group_.place) {
      places_[*rank] = {done->host, done->host_name, done->address, done->cpus, done->visible_device};
      ended[*rank] = true;
    } else if (auto* failure = std::get_if<GangFailed>(&incoming->message);
               failure != nullptr && failure->place == group_.place) {
      failed = Failure{*rank, std::move(*failure)};
      ended[*rank] = true;
    }
  }
  if (failed) raise(*failed);
}

/// The failure that is rather the cause of all.
void ProgramGang::note(State& state, Failure failure) const {
  state.ended[failure.rank] = true;
  if (!state.first || comes_before(failure.what, state.first->what)) state.first = std::move(failure);
}

void ProgramGang::take(GangIncoming& incoming, State& state) const {
  const auto rank = rank_of(incoming.from);
  if (!rank || state.ended[*rank]) return;
  if (const auto* done = std::get_if<GangDone>(&incoming.message); done != nullptr && done->place == group_.place) {
    state.ended[*rank] = true;
    state.result.seconds = std::max(state.result.seconds, done->seconds);
    state.result.peak_bytes += done->memory.peak_bytes;
  } else if (auto* failed = std::get_if<GangFailed>(&incoming.message);
             failed != nullptr && failed->place == group_.place) {
    note(state, {*rank, std::move(*failed)});
  }
}

void ProgramGang::look_at_own(RankRun& own, State& state) const {
  if (state.ended[0]) return;
  try {
    const auto& exit = own.look();
    if (!exit) return;
    state.ended[0] = true;
    state.result.own = *exit;
    state.result.seconds = std::max(state.result.seconds, exit->seconds);
    state.result.peak_bytes += exit->peak_bytes;
    judge_end(slot_.pool, *exit);
  } catch (...) {
    GangFailed failed = failure_now(group_.place);
    failed.told = own.was_ended();
    note(state, {0, std::move(failed)});
  }
}

void ProgramGang::note_timeout(State& state) const {
  const std::vector<std::size_t> open = open_ranks(state.ended);
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
  state.first = Failure{open.front(), std::move(failed)};
}

void ProgramGang::stop_all(RankRun& own, State& state) const {
  if (state.stop) return;
  state.stop = Deadline::after(answer_seconds);
  for (std::size_t i = 0; i < group_.others.size(); ++i) {
    if (!state.ended[i + 1]) group_.link.send(group_.others[i], protocol::GangStop{group_.place});
  }
  own.end();
}

/// Their agents are cut off, or hang: the job cannot go on with them.
void ProgramGang::leave_silent(const State& state) const {
  slot_.cut_off = fmt::format(
      "no answer of the agents of ranks {} for {:.0f} s (they hang, their node is gone or the network between the nodes "
      "is cut)",
      fmt::join(open_ranks(state.ended), ", "), answer_seconds);
  throw WorkerDied(sweep::FailureKind::timed_out, slot_.cut_off);
}

RunOfRanks ProgramGang::run(const protocol::RunProgram& own, const std::vector<Variables>& variables,
                            protocol::Exited& last) {
  State state{.ended = std::vector<bool>(places_.size(), false), .first = {}, .stop = {}, .result = {}};
  for (std::size_t i = 0; i < group_.others.size(); ++i)
    group_.link.send(group_.others[i], protocol::GangRun{group_.place, variables[i + 1]});
  RankRun own_run(slot_, own);
  const Deadline deadline = Deadline::after(slot_.pool.options().timeout_seconds);
  for (;;) {
    look_at_own(own_run, state);
    while (auto incoming = group_.link.inbox().answer()) take(*incoming, state);
    if (std::ranges::count(state.ended, false) == 0) break;
    state.gives_up = state.gives_up || slot_.spawner.gave_up();
    if (!state.first && deadline.passed()) note_timeout(state);
    if (state.first || state.gives_up) stop_all(own_run, state);
    if (state.stop && state.stop->passed()) leave_silent(state);
    own_run.wait();
  }
  last = state.result.own;
  if (state.gives_up) throw GivenUp{};
  if (state.first) raise(*state.first);
  return state.result;
}

}  // namespace regatta::launcher

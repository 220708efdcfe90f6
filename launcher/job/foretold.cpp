#include "job/foretold.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <ranges>
#include <utility>
#include <variant>

#include "children/installations.hpp"
#include "host/topology.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/engines.hpp"

namespace regatta::launcher {
namespace {

using sweep::Param;

/// Trials of one kind start alike.
using Kind = std::array<sweep::Value, 4>;

Kind kind_of(const sweep::Parameters& parameters) {
  return {parameters[Param::engine], parameters[Param::mode], parameters[Param::model], parameters[Param::command]};
}

/// A trial's installation: where it is remembered, why it is not here, or nothing where each step is a process.
using Installation = std::variant<std::monostate, StartKey, MissingEnvironment>;

Installation installation_of(const sweep::Parameters& parameters, EnvironmentResolver& environments) {
  const sweep::EngineName name = sweep::split_engine(sweep::text_of(parameters, Param::engine));
  if (sweep::has_worker(name.engine, sweep::WorkerKind::program)) return {};
  const auto found = environments.resolve(name, 1);
  const auto* program = std::get_if<WorkerProgram>(&found);
  if (program == nullptr) return std::get<MissingEnvironment>(found);
  return StartKey{std::string(name.engine), program->environment, fmt::format("{}", fmt::join(program->argv, " ")),
                  sweep::to_text(parameters[Param::mode]), sweep::to_text(parameters[Param::model])};
}

/// Whether it starts at once: a worker of ours.
bool is_quick(const std::string& engine) {
  const sweep::EngineName name = sweep::split_engine(engine);
  return name.environment.empty() && sweep::has_worker(name.engine, sweep::WorkerKind::native);
}

/// Why the program of a trial cannot be started; empty where it can, or where only the worker knows.
std::string absent_program(const Job& job, const sweep::Parameters& parameters) {
  if (!sweep::is_program(parameters)) return {};
  const auto found = job.sweep.commands.find(sweep::text_of(parameters, Param::command));
  if (found == job.sweep.commands.end() || found->second.argv.empty()) return {};
  const std::string& program = found->second.argv.front();
  const bool is_whole_line = program.find(' ') != std::string::npos;  // a program has no blank in most names
  const bool is_known_here = program.find('{') == std::string::npos || is_whole_line;
  if (!is_known_here || asks_for_python(program) || is_program_here(program)) return {};
  const std::string text = fmt::format("there is no program '{}'", program);
  if (!is_whole_line) return text;
  return text + "; \"argv\" has one word for each argument: [\"./solve\", \"--n\", \"{n}\"]";
}

/// The start of trials that start alike.
struct KindStart {
  std::string missing;                     ///< why their installation is not here
  std::string absent;                      ///< why their program is not here
  std::optional<sweep::StartTimes> times;  ///< start times of their processes, as far as they are known

  [[nodiscard]] const std::string& why_not() const { return missing.empty() ? absent : missing; }
};

KindStart start_of(const Job& job, const sweep::Parameters& parameters, EnvironmentResolver& environments,
                   const StartHistory& history) {
  const Installation installation = installation_of(parameters, environments);
  if (const auto* missing = std::get_if<MissingEnvironment>(&installation))
    return {missing->reason, {}, sweep::StartTimes()};
  const auto* key = std::get_if<StartKey>(&installation);
  const auto times = key != nullptr ? history.times(*key) : sweep::StartTimes();
  if (!times && is_quick(sweep::text_of(parameters, Param::engine))) return {{}, {}, sweep::StartTimes()};
  return {{}, absent_program(job, parameters), times};
}

/// Where each baseline is missing nothing can be compared, and where each program is nothing can run. `of_trials`: the
/// start of each trial; null for skipped ones.
std::string why_in_vain(const Job& job, const sweep::Plan& plan, const std::vector<const KindStart*>& of_trials) {
  const auto can_run = [](const KindStart* start) { return start == nullptr || start->why_not().empty(); };
  const auto first = std::ranges::find_if(of_trials, [&](const auto* start) { return !can_run(start); });
  const bool any_absent =
      std::ranges::any_of(of_trials, [](const auto* start) { return start && !start->absent.empty(); });
  const bool any_runs = std::ranges::any_of(of_trials, [&](const auto* start) { return start && can_run(start); });
  if (any_absent && !any_runs) return (*first)->why_not();
  if (!job.sweep.compare) return {};
  const std::string* baseline = nullptr;
  for (const sweep::Block& block : plan.blocks) {
    if (!block.has_baseline || block.has_clone || block.is_intervention()) continue;
    const KindStart* start = of_trials[block.arms.front().value];
    if (can_run(start)) return {};
    if (baseline == nullptr) baseline = &start->why_not();
  }
  return baseline == nullptr ? "" : "nothing can be compared, because the baseline is missing: " + *baseline;
}

/// Whether this run has shown how a fresh process of the trial starts.
bool tells_start(const results::TrialRow& row, double started_wall_seconds) {
  return row.end_wall_seconds >= started_wall_seconds && row.env >= 0 && row.metrics.contains("cold_start");
}

sweep::StartTimes times_of(const results::TrialRow& row) {
  return {row.metrics.at("start_time"), row.metrics.at("prepare_time"), row.metrics.at("first_step")};
}

/// As a sweep file has it; no less.
std::string duration_word(double seconds) {
  const double whole = std::ceil(seconds);
  const bool is_minutes = whole >= 60 && std::fmod(whole, 60) == 0;
  return is_minutes ? fmt::format("{:.0f}m", whole / 60) : fmt::format("{:.0f}s", whole);
}

/// Rounded up to what one would write.
double round_total(double seconds) {
  const double step = seconds <= 120 ? 10 : seconds <= 1200 ? 60 : 300;
  return std::ceil(seconds / step) * step;
}

std::string pairs_text(std::int64_t pairs) {
  return fmt::format("{} process pair{} a contrast", pairs, pairs == 1 ? "" : "s");
}

/// A first pair is measured whatever it costs.
std::string fit_text(const sweep::Forecast& forecast, double total_seconds) {
  const std::string total = duration_word(total_seconds);
  if (forecast.pairs == 1 && forecast.seconds > total_seconds)
    return fmt::format("1 process pair a contrast takes about {}, more than {}", wait_text(forecast.seconds), total);
  return fmt::format("about {} fit{} into {}", pairs_text(forecast.pairs), forecast.pairs == 1 ? "s" : "", total);
}

/// Large differences are known then. Nothing where all is done in hardly more time.
std::string first_answers_text(const sweep::Forecast& forecast) {
  constexpr double worth_saying = 0.8;
  if (forecast.first_seconds == 0 || forecast.first_seconds > worth_saying * forecast.seconds) return {};
  return fmt::format("first answers after about {}, ", wait_text(forecast.first_seconds));
}

/// The bound on a run whose start times are unknown, in words.
std::string bound_text(const sweep::Measure& measure) {
  if (!measure.total_seconds) return "; until then --for 2m bounds the wall time";
  return fmt::format("; at most about {} in all, as --for or \"total\" says", wait_text(*measure.total_seconds));
}

/// A program of a millisecond takes the same budget as one of a second, unless the number of its runs is fixed.
std::string budget_text(const sweep::Measure& measure) {
  const std::string bound = measure.total_seconds ? "" : "; --for 1m bounds it";
  if (!measure.slices) return " (all of the budget" + bound + ")";
  return fmt::format(
      " (all of the budget: how long the programs take is not known before they ran; a fixed number of "
      "short runs is done sooner{})",
      bound);
}

}  // namespace

std::string wait_text(double seconds) {
  constexpr double minute = 60;
  constexpr double hour = 60 * minute;
  constexpr double day = 24 * hour;
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{:.{}f} min", seconds / minute, seconds < 10 * minute ? 1 : 0);
  if (seconds < 2 * day) return fmt::format("{:.{}f} h", seconds / hour, seconds < 10 * hour ? 1 : 0);
  return fmt::format("{:.{}f} days", seconds / day, seconds < 10 * day ? 1 : 0);
}

double measuring_seconds(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  double seconds = 0;
  for (const sweep::Block& block : plan.blocks) seconds += sweep::wanted_seconds(sweep, block);
  return seconds;
}

KnownStarts known_starts(const Job& job, const sweep::Plan& plan, const StartHistory& history) {
  EnvironmentResolver environments = environments_of(job);
  std::map<Kind, KindStart> kinds;
  std::vector<const KindStart*> of_trials(plan.trials.size(), nullptr);
  KnownStarts known;
  known.starts.shared = sweep::shared_processes(job.sweep, plan, static_cast<std::uint32_t>(job.sharing.slots));
  known.starts.cores = slot_for(read_topology(), 0, static_cast<int>(job.sharing.slots)).cpus.size();
  for (const sweep::Trial& trial : plan.trials) {
    auto& times = known.starts.of_trials.emplace_back();
    if (trial.skip_reason) continue;
    const auto [entry, is_new] = kinds.try_emplace(kind_of(trial.parameters));
    if (is_new) entry->second = start_of(job, trial.parameters, environments, history);
    const KindStart& start = entry->second;
    of_trials[trial.index.value] = &start;
    times = start.times;
    if (!start.missing.empty()) ++known.missing[start.missing];
    if (!start.absent.empty()) ++known.absent[start.absent];
    const std::string& engine = sweep::text_of(trial.parameters, Param::engine);
    if (!times && std::ranges::find(known.unknown, engine) == known.unknown.end()) known.unknown.push_back(engine);
  }
  known.in_vain = why_in_vain(job, plan, of_trials);
  return known;
}

Foretold foretell(const Job& job, const sweep::Plan& plan, const StartHistory& history, const HashSet& finished) {
  KnownStarts starts = known_starts(job, plan, history);
  Foretold foretold;
  if (starts.unknown.empty() && starts.missing.empty())
    foretold.forecast = sweep::foretell(
        job.sweep, plan, sweep::sharing_of(job.sweep, plan, std::move(starts.starts), job.sharing.slots), finished);
  foretold.in_vain = std::move(starts.in_vain);
  foretold.unknown = std::move(starts.unknown);
  foretold.absent = std::move(starts.absent);
  foretold.missing = std::move(starts.missing);
  foretold.has_programs = std::ranges::any_of(
      plan.trials, [](const sweep::Trial& trial) { return !trial.skip_reason && sweep::is_program(trial.parameters); });
  foretold.is_learnt = history.is_kept();
  return foretold;
}

ExpectedTime expected_time(const Job& job, const sweep::Block& block) {
  constexpr double preparing_seconds = 0.3;  // an arm that nobody knows
  const auto share = sweep::wall_share_seconds(job.sweep, job.plan, block, job.sharing);
  if (const auto costs = sweep::costs_of(job.sweep, job.plan, block, job.sharing.starts))
    return {sweep::forecast_of(job.sweep.measure, *costs, block.arms.size(),
                               share.value_or(std::numeric_limits<double>::infinity()))
                .seconds,
            true, share};
  const double wanted =
      sweep::wanted_seconds(job.sweep, block) + preparing_seconds * static_cast<double>(block.arms.size());
  return {std::min(wanted, share.value_or(wanted)), false, share};
}

std::string line_of(const sweep::Measure& measure, const Foretold& foretold) {
  if (!foretold.unknown.empty() && foretold.is_learnt)
    return fmt::format("how long {} take{} to start is not known yet: the first run remembers it{}",
                       fmt::join(foretold.unknown, ", "), foretold.unknown.size() == 1 ? "s" : "", bound_text(measure));
  if (!foretold.forecast) return {};
  const sweep::Forecast& forecast = *foretold.forecast;
  const std::string first = first_answers_text(forecast);
  const std::string about = first + "at most about " + wait_text(forecast.seconds);
  if (!forecast.starts_slow) return about + (foretold.has_programs ? budget_text(measure) : "");
  if (!forecast.is_cut) return fmt::format("{}: {}", about, pairs_text(forecast.pairs));
  const std::string fits = fit_text(forecast, *measure.total_seconds);
  if (forecast.enough_seconds == 0) return fmt::format("{}: {}", about, fits);
  const std::string enough = duration_word(round_total(forecast.enough_seconds));
  return fmt::format("{}{}; {} would take about {}: \"total\": \"{}\"", first, fits, stats::rules::enough_process_pairs,
                     enough, enough);
}

std::optional<std::string> beyond_a_day(const sweep::Measure& measure, const Foretold& foretold,
                                        double measuring_seconds, int ranks) {
  constexpr double day_seconds = 86400;
  const double measuring = std::min(measuring_seconds / std::max(1, ranks),
                                    measure.total_seconds.value_or(std::numeric_limits<double>::infinity()));
  const double seconds = foretold.forecast ? foretold.forecast->seconds : measuring;
  if (seconds <= day_seconds) return std::nullopt;
  return fmt::format(
      "this may take about {}, more than a day; --for 2h (or \"total\": \"2h\" in \"measure\") bounds it, and fewer "
      "levels make it shorter",
      wait_text(seconds));
}

std::vector<std::string> device_lines(const sweep::Plan& plan, const MachineFolders& machine) {
  std::map<std::string, std::size_t> wanted;
  for (const sweep::Trial& trial : plan.trials) {
    const auto* device = std::get_if<std::string>(&trial.parameters[Param::device]);
    if (device != nullptr && *device != "cpu" && !trial.skip_reason) ++wanted[*device];
  }
  std::error_code none;
  const bool has_gpu = !entries(machine.proc / "driver/nvidia/gpus").empty() ||
                       std::filesystem::exists("/dev/dxg", none);  // as WSL shows its own
  std::vector<std::string> lines;
  for (const auto& [device, trials] : wanted) {
    if (!has_gpu)
      lines.push_back(
          fmt::format("{} x needs a {} device, and none is seen here: skipped, unless a rank runs where "
                      "there is one",
                      trials, device));
  }
  return lines;
}

namespace {

/// "2 x jax is not installed ...": a line for each reason.
std::vector<std::string> counted_lines(const std::map<std::string, std::size_t>& reasons) {
  std::vector<std::string> lines;
  for (const auto& [reason, trials] : reasons) lines.push_back(fmt::format("{} x {}", trials, reason));
  return lines;
}

}  // namespace

std::vector<std::string> missing_lines(const Foretold& foretold) { return counted_lines(foretold.missing); }

std::vector<std::string> absent_lines(const Foretold& foretold) { return counted_lines(foretold.absent); }

void remember_starts(const Job& job, const results::Results& results, double started_wall_seconds,
                     StartHistory& history) {
  EnvironmentResolver environments = environments_of(job);
  std::map<Kind, std::optional<StartKey>> keys;
  std::map<Kind, std::size_t> taken;
  std::vector<LearntStart> learnt;
  for (const results::TrialRow& row : std::views::reverse(results.trials)) {  // the last of very many
    const Kind kind = kind_of(row.parameters);
    if (!tells_start(row, started_wall_seconds) || ++taken[kind] > most_start_values) continue;
    const auto [key, is_new] = keys.try_emplace(kind);
    if (is_new) {
      const Installation installation = installation_of(row.parameters, environments);
      if (const auto* found = std::get_if<StartKey>(&installation)) key->second = *found;
    }
    if (key->second)
      learnt.push_back({*key->second, results.envs[static_cast<std::size_t>(row.env)].version, times_of(row)});
  }
  std::ranges::reverse(learnt);
  history.remember(learnt);
}

}  // namespace regatta::launcher

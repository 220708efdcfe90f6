#include "job/kept_spreads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/host.hpp"
#include "job/job.hpp"
#include "regatta/analysis/pair_spreads.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/version.hpp"
#include "regatta/results/changed.hpp"
#include "regatta/results/machine_json.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/metrics.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::launcher {
namespace {

using nlohmann::json;

constexpr double faded_share = 0.5;            // each later run multiplies what earlier ones count for by it
constexpr double most_disturbed_share = 0.25;  // a run teaches if no more of its slices were disturbed

std::string machine_text(const results::Host& host) {
  return fmt::format("{}, {} cores, {}", host.cpu_model, host.cores, host.kernel);
}

/// "torch" of "torch eager cpu, 1 threads, 1 ranks".
std::string_view engine_of(std::string_view process_class) { return process_class.substr(0, process_class.find(' ')); }

/// The engines of "a | b".
std::vector<std::string_view> engines_of(std::string_view classes) {
  constexpr std::string_view between = " | ";
  const auto at = classes.find(between);
  if (at == std::string_view::npos) return {engine_of(classes)};
  return {engine_of(classes.substr(0, at)), engine_of(classes.substr(at + between.size()))};
}

/// Whether a class says which code runs. It does not for programs, which may have nothing in common.
bool is_known_by_class(std::string_view classes) {
  return std::ranges::none_of(engines_of(classes), [](std::string_view engine) {
    return sweep::find_engine(engine) == nullptr || sweep::has_worker(engine, sweep::WorkerKind::program);
  });
}

/// Names the versions and programs of the engines, and the version of Regatta. Pairs of other ones scatter differently.
std::string installed_text(std::string_view classes, const sweep::Origins& origins) {
  std::string text = fmt::format("regatta {}", regatta_version());
  const auto engines = engines_of(classes);
  for (const auto& [runner, origin] : origins) {
    const std::string_view engine = sweep::split_engine(std::string_view(runner).substr(0, runner.find(' '))).engine;
    if (std::ranges::find(engines, engine) == engines.end()) continue;
    for (const auto& [part, state] : origin) text += fmt::format("; {}: {}", part, state);
  }
  return text;
}

}  // namespace

KeptSpreads::KeptSpreads(const std::filesystem::path& cache_folder, std::string machine)
    : machine_(std::move(machine)) {
  if (cache_folder.empty()) return;
  file_ = cache_folder / "pair-spreads.json";
  const bool is_read = read_cache_file(file_, "how much processes scatter is learnt anew",
                                       [&](const json& document) { read(document); });
  if (!is_read) entries_.clear();
}

void KeptSpreads::read(const json& read) {
  for (const json& from : read.at("spreads")) {
    const stats::SpreadPool pool = results::parse_spreads(from.at("pairs").dump());
    for (const auto& [classes, history] : pool.histories())
      entries_.push_back({from.at("machine"), classes, from.at("installed"), history});
  }
}

stats::SpreadPool KeptSpreads::of(const sweep::Origins& origins) const {
  stats::SpreadPool pool;
  for (const Entry& entry : entries_) {
    if (entry.machine == machine_ && entry.installed == installed_text(entry.classes, origins))
      pool.add(entry.classes, entry.history);
  }
  return pool;
}

void KeptSpreads::add(Entry shown) {
  const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return std::tie(entry.machine, entry.classes, entry.installed) ==
           std::tie(shown.machine, shown.classes, shown.installed);
  });
  if (known != entries_.end()) {
    shown.history.add(known->history.faded(faded_share));
    entries_.erase(known);
  }
  entries_.push_back(std::move(shown));
  if (entries_.size() > most_kept_spreads) entries_.erase(entries_.begin());
}

void KeptSpreads::remember(const stats::SpreadPool& shown, const sweep::Origins& origins) {
  if (file_.empty()) return;
  bool is_new = false;
  for (const auto& [classes, history] : shown.histories()) {
    if (!is_known_by_class(classes)) continue;
    add({machine_, classes, installed_text(classes, origins), history});
    is_new = true;
  }
  if (!is_new) return;
  json spreads = json::array();
  for (const Entry& entry : entries_) {
    stats::SpreadPool pool;
    pool.add(entry.classes, entry.history);
    spreads.push_back(
        {{"machine", entry.machine}, {"installed", entry.installed}, {"pairs", json::parse(results::to_json(pool))}});
  }
  try {
    write_cache_file(file_, json{{"spreads", spreads}});
  } catch (const std::exception& error) {
    log::warn(
        fmt::format("how much processes scattered cannot be kept ({}); the next run does not know it", error.what()));
  }
}

namespace {

/// Whether the job's comparisons have a history: the user may want them to begin as on an unknown machine.
bool has_history(const Job& job) {
  const char* const told = std::getenv("REGATTA_HISTORY");
  const bool is_off = told != nullptr && std::string_view(told) == "off";
  return !is_off && job.sweep.compare && sweep::is_step_time(job.sweep.measure.metric);
}

/// Whether one command measured everything. A second command adds to the same pairs and would teach them twice.
bool is_of_one_command(const std::vector<results::SessionRow>& sessions) {
  return std::ranges::all_of(sessions, [&](const auto& row) { return row.created == sessions.front().created; });
}

bool has_one_machine(const std::vector<results::Host>& hosts) {
  return std::ranges::all_of(hosts,
                             [&](const auto& host) { return machine_text(host) == machine_text(hosts.front()); });
}

bool is_mostly_undisturbed(const std::vector<results::SampleRow>& samples) {
  std::size_t slices = 0;
  std::size_t disturbed = 0;
  for (const results::SampleRow& row : samples) {
    if (row.sample.phase != stats::Phase::steady) continue;
    ++slices;
    disturbed += row.sample.flags != 0 ? 1 : 0;
  }
  return static_cast<double>(disturbed) <= most_disturbed_share * static_cast<double>(slices);
}

}  // namespace

stats::SpreadPool earlier_spreads(const Job& job, const results::Scan& journal) {
  if (auto begun_with = results::spreads_before(journal)) return *std::move(begun_with);
  if (!has_history(job)) return {};
  return KeptSpreads(user_cache_folder(), machine_text(read_host())).of(job.origins);
}

void keep_spreads(const Job& job, const results::Results& results, const results::Scan& journal) {
  if (!has_history(job) || job.options.smoke || results.hosts.empty()) return;
  if (!is_of_one_command(results.sessions) || !has_one_machine(results.hosts)) return;
  if (!is_mostly_undisturbed(results.samples)) return;
  KeptSpreads kept(user_cache_folder(), machine_text(results.hosts.front()));
  kept.remember(analysis::pair_spreads(results), results::last_origins(journal).origins);
}

}  // namespace regatta::launcher

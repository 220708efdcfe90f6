#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "job/data_checks.hpp"
#include "job/foretold.hpp"
#include "job/job.hpp"
#include "regatta/analysis/fastest.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/units.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/model_of.hpp"

namespace regatta::launcher {
namespace {

/// The models of all trials, each once, as workers are given them; a trial tells which one by its place.
class Models {
 public:
  nlohmann::ordered_json place_of(const Job& job, const sweep::Trial& trial) {
    const auto model = sweep::model_of(job.sweep, trial.parameters);
    if (!model) return nullptr;
    const auto [entry, fresh] = places_.try_emplace(model::to_json(*model), texts_.size());
    if (fresh) texts_.push_back(nlohmann::ordered_json::parse(entry->first));
    return entry->second;
  }
  [[nodiscard]] const nlohmann::ordered_json& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> places_;
  nlohmann::ordered_json texts_ = nlohmann::ordered_json::array();
};

/// Trials, models and skips one by one.
void add_lists(const Job& job, const sweep::Plan& plan, nlohmann::ordered_json& json) {
  Models models;
  nlohmann::ordered_json trials = nlohmann::ordered_json::array();
  nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
  for (const sweep::Trial& trial : plan.trials) {
    trials.push_back({{"id", to_string(trial.hash)},
                      {"parameters", nlohmann::ordered_json::parse(sweep::to_json(trial.parameters))},
                      {"model", models.place_of(job, trial)}});
    if (trial.skip_reason) skipped.push_back({{"id", to_string(trial.hash)}, {"reason", *trial.skip_reason}});
  }
  json["trials"] = std::move(trials);
  json["models"] = models.texts();
  json["skipped"] = std::move(skipped);
}

nlohmann::ordered_json forecast_json(const Foretold& foretold) {
  if (!foretold.forecast) return nullptr;
  const sweep::Forecast& forecast = *foretold.forecast;
  const auto unless_0 = [](auto number) { return number > 0 ? nlohmann::ordered_json(number) : nullptr; };
  return {{"seconds", forecast.seconds},
          {"first_answers_seconds", unless_0(forecast.first_seconds)},
          {"process_pairs", unless_0(forecast.pairs)},
          {"seconds_for_enough_pairs", unless_0(forecast.enough_seconds)}};
}

nlohmann::ordered_json plan_json(const Job& job, const sweep::Plan& plan, const Foretold& foretold) {
  nlohmann::ordered_json json = {{"name", job.sweep.name},
                                 {"points", plan.points},
                                 {"merged", plan.merged},
                                 {"trial_count", plan.trials.size()},
                                 {"blocks", plan.blocks.size() - sweep::clones_of(plan)},
                                 {"clones", sweep::clones_of(plan)},
                                 {"measuring_seconds", measuring_seconds(job.sweep, plan)},
                                 {"forecast", forecast_json(foretold)},
                                 {"unknown_starts", foretold.unknown},
                                 {"missing", missing_lines(foretold)},
                                 {"absent", absent_lines(foretold)},
                                 {"left_out", left_out_lines(job)},
                                 {"measured_last", measured_last_lines(job)}};
  add_lists(job, plan, json);
  return json;
}

/// Whether more cells may be compared in a setting than are measured again.
bool may_measure_again(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  const auto is_large = [](const sweep::Block& block) {
    return block.has_baseline && block.arms.size() > stats::rules::best_cells;
  };
  return sweep.measure.again && std::ranges::any_of(plan.blocks, is_large);
}

/// Prints how long the blocks may measure, unless the run's total ends it before.
void print_time(const Job& job, const sweep::Plan& plan, const Foretold& foretold) {
  const double seconds = measuring_seconds(job.sweep, plan);
  const std::string line = line_of(job.sweep.measure, foretold);
  const bool total_ends_it =
      seconds >= job.sweep.measure.total_seconds.value_or(std::numeric_limits<double>::infinity());
  if (!total_ends_it || line.empty())
    fmt::print("at most {} of measuring on one rank{}\n",
               seconds < 1200 ? format_duration(seconds) : wait_text(seconds),
               foretold.forecast ? "" : ", and some time to prepare");
  if (!line.empty()) fmt::print("{}\n", line);
  if (const auto warning = beyond_a_day(job.sweep.measure, foretold, seconds, 1)) log::warn(*warning);
}

/// Configurations that no drawn or listed level would give.
std::size_t included(sweep::Sweep sweep, const sweep::Plan& plan) {
  if (sweep.includes.empty()) return 0;
  sweep.includes.clear();
  return plan.trials.size() - sweep::make_plan(sweep).trials.size();
}

/// Prints the largest size of a training sweep. Only its results tell which configurations were stopped when.
void print_training(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  const sweep::Training& training = *sweep.training;
  const auto can_run = std::ranges::count_if(plan.trials, [](const auto& trial) { return !trial.skip_reason; });
  const std::string length =
      training.epochs ? fmt::format("{} epochs", *training.epochs) : fmt::format("{} steps", *training.steps);
  const std::size_t beside = included(sweep, plan);
  fmt::print("{}: {} points, {} configurations{}, {} each\n", sweep.name, plan.points, plan.trials.size(),
             beside == 0 ? "" : fmt::format(", {} of them included", beside), length);
  const bool repeats = sweep::wants_repeats(sweep, plan);
  if (!sweep.search) {
    fmt::print("each under {} seeds: {} trainings{}\n", training.seeds, can_run * training.seeds,
               repeats ? "; one of each engine again" : "");
    return;
  }
  std::string rungs;
  for (std::uint32_t rung = 0; rung < static_cast<std::uint32_t>(sweep.search->rungs); ++rung)
    rungs += fmt::format("{}{:.3g} %", rung == 0 ? "" : ", ", 100 * sweep::end_of_rung(*sweep.search, rung));
  fmt::print("rungs end at {} of a training; one in {} goes on\n", rungs, sweep.search->factor);
  const std::int64_t finalists = std::min<std::int64_t>(can_run, sweep.search->at_most);
  fmt::print("then at most {} configurations under {} fresh seeds: {} trainings; their test comes last{}\n", finalists,
             training.seeds, finalists * training.seeds, repeats ? "; one of each engine again" : "");
}

void print_ranks(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  for (const std::string& line : {ranks_line(sweep, plan), shards_line(sweep, plan), moments_line(plan)})
    if (!line.empty()) fmt::print("{}\n", line);
}

void print_plan(const Job& job, const sweep::Plan& plan, const Foretold& foretold) {
  if (job.sweep.training) {
    print_training(job.sweep, plan);
    print_ranks(job.sweep, plan);
    for (const auto& [reason, count] : skips_by_reason(plan, {})) fmt::print("skipped: {} x {}\n", count, reason);
    return;
  }
  const auto skipped =
      std::ranges::count_if(plan.trials, [](const auto& trial) { return trial.skip_reason.has_value(); });
  fmt::print("{}: {}, {} in {}{}\n", job.sweep.name, counted(static_cast<std::size_t>(plan.points), "point"),
             counted(plan.trials.size() - static_cast<std::size_t>(skipped), "trial"),
             counted(plan.blocks.size() - sweep::clones_of(plan), "block"),
             skipped == 0 ? "" : fmt::format(", {} skipped", skipped));
  for (const std::string& line : left_out_lines(job)) fmt::print("{}\n", line);
  for (const std::string& line : measured_last_lines(job)) fmt::print("{}\n", line);
  if (plan.merged > 0)
    fmt::print("{} point{} with others: {} engine, model or program does not read an axis\n", plan.merged,
               plan.merged == 1 ? " coincides" : "s coincide", plan.merged == 1 ? "its" : "their");
  for (const std::string& line : unread_axes_lines(job.sweep, plan)) fmt::print("{}\n", line);
  print_time(job, plan, foretold);
  if (may_measure_again(job.sweep, plan))
    fmt::print(
        "then, where more than {0} cells are compared, the {0} best again (\"again\": false in \"measure\": not)\n",
        stats::rules::best_cells);
  if (const std::size_t clones = sweep::clones_of(plan); clones > 0)
    fmt::print("last, the same code twice in {}: how far apart it is{}\n", counted(clones, "block"),
               job.sweep.measure.total_seconds ? ", if time is left" : "");
  for (const std::string& line : missing_lines(foretold)) fmt::print("will be skipped: {}\n", line);
  for (const std::string& line : absent_lines(foretold)) fmt::print("will fail: {}\n", line);
  if (!foretold.in_vain.empty()) fmt::print("regatta run will refuse this: {}\n", foretold.in_vain);
  for (const std::string& line : device_lines(plan)) fmt::print("{}\n", line);
  if (const std::string line = program_cores_line(job.sweep, plan); !line.empty()) fmt::print("{}\n", line);
  print_ranks(job.sweep, plan);
  for (const auto& [reason, count] : skips_by_reason(plan, {})) fmt::print("skipped: {} x {}\n", count, reason);
  for (const sweep::NoContrast& line : plan.no_contrasts)
    fmt::print("not compared: {} x {}\n", line.trials.size(), line.reason);
}

}  // namespace

int plan(const JobOptions& options, bool json) {
  const Job job = read_unplanned(options);
  sweep::Plan plan = sweep::make_plan(job.sweep);
  const DataChecks checks = check_data(job.sweep, plan);
  for (const auto& [trial, reason] : checks.unfit) plan.trials[trial.value].skip_reason = reason;
  const Foretold foretold = foretell(job, plan, StartHistory(user_cache_folder()));
  if (json) {
    print_document(plan_json(job, plan, foretold));
  } else {
    print_plan(job, plan, foretold);
    for (const std::string& remark : checks.remarks) fmt::print("{}\n", remark);
  }
  return 0;
}

void add_plan(CommandLine& line) {
  auto options = std::make_shared<JobOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      add_command(line, "plan", "Show what a sweep would run and skip; starts nothing", " sweeps/quickstart.json");
  command->add_option("SWEEP", options->sweep_file, "Sweep file (docs/reference/sweep-file.md)")
      ->required()
      ->option_text("FILE");
  add_sweep_options(*command, *options);
  command->add_option("--for", options->time, "Plan a run with this option")->type_name("TIME");
  add_json_flag(*command, *json);
  command->callback([&line, options, json] { line.chosen = [=] { return plan(*options, *json); }; });
}

}  // namespace regatta::launcher

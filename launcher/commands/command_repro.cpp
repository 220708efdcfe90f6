#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "commands/trial_differences.hpp"
#include "job/floor_history.hpp"
#include "os/profiler.hpp"
#include "os/scratch_folder.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/analysis/sessions.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/report/sessions.hpp"
#include "regatta/report/wording.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/query.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/reader.hpp"
#include "run/measure_job.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

struct ReproArguments {
  std::filesystem::path file;
  std::string id;  ///< the first digits of a trial's
  std::string time;
  std::filesystem::path environments_file;
  bool json = false;
  std::string command_line;
  std::string profiler;           ///< runs the same under it; empty: without
  std::vector<std::string> argv;  ///< this command's, the program first
};

using Json = nlohmann::ordered_json;

/// The row of the file, and its row of today.
struct Repeated {
  const results::Results& then;
  TrialIndex trial;
  const results::Results& now;
  ThenAndNow pairs;
  std::string verdict;  ///< the sentence about two sessions; empty if there are no two times to compare

  [[nodiscard]] const results::TrialRow& old_row() const { return then.trials[trial.value]; }
  [[nodiscard]] const results::TrialRow& new_row() const { return now.trials.front(); }
  [[nodiscard]] std::string label() const {
    return analysis::trial_label(old_row().parameters, analysis::axes_of(then));
  }
};

void refuse_skipped(const results::TrialRow& row) {
  const auto* skipped = std::get_if<sweep::Skipped>(&row.outcome);
  if (skipped == nullptr) return;
  throw InputError(fmt::format("trial {} was skipped: {} (so there is no value to repeat); choose another row",
                               to_string(row.hash), skipped->reason));
}

/// Then its identity is that of the trial alone, unless what it names has changed.
bool is_first_repetition(const results::TrialRow& row) {
  const auto* repeat = std::get_if<std::int64_t>(&row.parameters[sweep::Param::repeat]);
  return repeat == nullptr || *repeat == 0;
}

void expect_the_same_trial(const Job& job, const results::TrialRow& row, const std::string& version) {
  const bool one = job.plan.trials.size() == 1;
  sweep::Parameters planned = one ? job.plan.trials.front().parameters : sweep::Parameters{};
  planned[sweep::Param::repeat] = row.parameters[sweep::Param::repeat];  // alone it is its first repetition
  if (!one || planned != row.parameters)
    throw InputError(fmt::format(
        "the sweep in the file gives another trial than {} with this version (it was written by Regatta {}); "
        "use that version",
        to_string(row.hash), version));
  if (const auto& reason = job.plan.trials.front().skip_reason)
    throw InputError(fmt::format("trial {} would be skipped today: {}", to_string(row.hash), *reason));
}

RunArguments run_of(const ReproArguments& arguments, const results::Results& then, const results::TrialRow& row,
                    const ScratchFolder& scratch) {
  RunArguments run;
  run.job.sweep_file = scratch.path / "repro.json";
  run.job.read_as = then.provenance.sweep_file;
  run.job.out = scratch.path / "results";
  run.job.environments_file = arguments.environments_file;
  run.job.time = arguments.time;
  run.job.command_line = arguments.command_line;
  run.ranks = static_cast<int>(sweep::integer_or(row.parameters, sweep::Param::ranks, 1));
  return run;
}

/// The sentence of `regatta compare` about this trial.
std::string sentence(const results::Results& then, const results::Results& now) {
  analysis::SessionOptions options;
  options.across = true;  // the differences are listed
  const std::string pair = pair_name(analysis::session_id(then), analysis::session_id(now));
  const FloorHistory history(default_floor_folder());
  options.stored_floor = [&](const analysis::FloorKey& key) { return history.floor(key, pair); };
  try {
    const analysis::Sessions sessions = analysis::compare_sessions(then, now, options);
    if (sessions.cells.empty()) return {};
    return report::session_sentence(now, analysis::axes_of(now), sessions.cells.front());
  } catch (const InputError&) {
    return {};  // another repetition of the trial: its id is not in both
  }
}

std::string metric_text(const std::string& name, std::optional<double> value) {
  if (name == "samples_per_second") return report::rate_text(value);
  return name == "peak_memory" ? report::size_text(value) : report::duration_text(value);
}

/// "1.20x more", whatever is measured.
std::string change_text(const MetricPair& pair) {
  const bool known = pair.then && pair.now && *pair.then > 0 && *pair.now > 0;
  if (!known) return std::string(report::dash);
  const std::string times = report::times_text(*pair.now / *pair.then);
  return times == report::times_text(1) ? times : times + (*pair.now < *pair.then ? " less" : " more");
}

/// Left aligned by columns on a terminal, which fmt counts in code points.
void print(const Repeated& repeated) {
  print_wrapped(fmt::format("{}  {}", to_string(repeated.old_row().hash).substr(0, 8), repeated.label()));
  fmt::print("{:<20} {:>14} {:>14} {:>12}\n", "", "then", "now", "now is");
  for (const MetricPair& pair : repeated.pairs.metrics)
    fmt::print("{:<20} {:>14} {:>14} {:>12}\n", pair.name, metric_text(pair.name, pair.then),
               metric_text(pair.name, pair.now), change_text(pair));
  print_wrapped(fmt::format("then: {}", outcome_text(repeated.old_row().outcome)));
  print_wrapped(fmt::format("now: {}", outcome_text(repeated.new_row().outcome)));
  if (!repeated.verdict.empty()) print_wrapped(repeated.verdict);
  if (repeated.pairs.differences.empty()) {
    print_wrapped("Nothing that is recorded differs: host, slot, versions and what ran beside it are the same.");
    return;
  }
  fmt::print("What differs (then -> now)\n");
  for (const Difference& each : repeated.pairs.differences)
    print_wrapped(fmt::format("{}: {} -> {}", each.what, each.then, each.now), 2);
}

void print_json(const Repeated& repeated) {
  Json metrics = Json::array();
  const auto number = [](std::optional<double> value) {
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
  };
  for (const MetricPair& pair : repeated.pairs.metrics)
    metrics.push_back({{"name", pair.name}, {"then", number(pair.then)}, {"now", number(pair.now)}});
  Json differences = Json::array();
  for (const Difference& each : repeated.pairs.differences)
    differences.push_back({{"what", each.what}, {"then", each.then}, {"now", each.now}});
  const auto row = [](const results::TrialRow& trial) {
    return Json{{"status", sweep::status_of(trial.outcome)}, {"reason", sweep::reason_of(trial.outcome)}};
  };
  const Json document = {{"id", to_string(repeated.old_row().hash)},
                         {"label", repeated.label()},
                         {"then", row(repeated.old_row())},
                         {"now", row(repeated.new_row())},
                         {"metrics", metrics},
                         {"differences", differences},
                         {"text", repeated.verdict}};
  print_document(document);
}

[[noreturn]] void become_profiler(const ReproArguments& arguments, const std::string& id) {
  std::vector<std::string> command = without_profile(arguments.argv);
  command.at(0) = executable_folder() / "regatta";
  become(profiled(arguments.profiler, command, "repro-" + id.substr(0, 8)));
}

/// The file may be a stranger's, and its checksum tells damage alone: a user sees what is started.
void tell_programs(const Job& job) {
  const sweep::Parameters& parameters = job.plan.trials.front().parameters;
  if (sweep::is_program(parameters)) {
    const auto& command = job.sweep.commands.at(sweep::to_text(parameters[sweep::Param::command]));
    log::info(fmt::format("starts a program that the file names: {}",
                          joined(sweep::argv_with_values(command.argv, parameters))));
  }
  const sweep::Value& engine = parameters[sweep::Param::engine];
  const auto* text = std::get_if<std::string>(&engine);
  const auto found = job.sweep.environments.find(text == nullptr ? std::string()
                                                                 : std::string(sweep::split_engine(*text).environment));
  if (found == job.sweep.environments.end()) return;
  const sweep::Environment& environment = found->second;
  const bool is_program = !environment.program.empty();
  log::info(fmt::format("starts a program that the file names: {}",
                        is_program ? joined(environment.program) : joined({environment.python})));
}

/// One row of a result file again, alone: old and new value, and what differs. 1 if it does not finish. With a profiler
/// it does not return where that can be started.
int repro(const ReproArguments& arguments) {
  expect_results(arguments.file);
  const results::Results then = results::read_results(arguments.file);
  const TrialIndex trial = results::find_trial(then, arguments.id);
  const results::TrialRow& row = then.trials[trial.value];
  refuse_skipped(row);
  if (!arguments.profiler.empty()) become_profiler(arguments, to_string(row.hash));
  const ScratchFolder scratch("repro");
  const RunArguments run = run_of(arguments, then, row, scratch);
  write_file_atomically(run.job.sweep_file, lone_sweep(then.provenance.sweep_json, row.parameters));
  const Job job = read_job(run.job);
  expect_the_same_trial(job, row, then.provenance.regatta_version);
  tell_programs(job);
  if (const MeasureEnd end = measure_job(run, job); end.exit_code != 0 || end.interrupted)
    return end.interrupted ? exit_code::work_left : end.exit_code;
  const results::Results now = results::collect(job.folder());
  Repeated repeated{then, trial, now, then_and_now(then, trial, now), sentence(then, now)};
  if (is_first_repetition(row) && now.trials.front().hash != row.hash)
    repeated.pairs.differences.push_back({"files of the model or command", "as recorded", "changed since"});
  if (arguments.json)
    print_json(repeated);
  else
    print(repeated);
  return std::holds_alternative<sweep::Finished>(repeated.new_row().outcome) ? exit_code::done : exit_code::some_failed;
}

}  // namespace

void add_repro(CommandLine& line) {
  auto arguments = std::make_shared<ReproArguments>();
  arguments->command_line = joined(line.argv);
  arguments->argv = line.argv;
  CLI::App* command = add_command(line, "repro", "One row of a result file again, alone", " results/NAME.h5 ID");
  add_result_file(*command, arguments->file);
  command->add_option("ID", arguments->id, "First digits of the trial's id (trial_hash)")->required()->option_text(" ");
  command->add_option("--for", arguments->time, "Measuring time at most")->option_text("TIME");
  command->add_option("--environments", arguments->environments_file, "JSON file of environments, for engine@NAME")
      ->option_text("FILE");
  command->add_option("--profile", arguments->profiler, "Run it under nsys, ncu or perf")->option_text("TOOL");
  add_json_flag(*command, arguments->json);
  command->footer(
      "Prints the old value, the new one, and what differs between then and now:\n"
      "host, slot, versions, what ran beside it. It writes no result file. Relative\n"
      "paths of the sweep start where its file was. Exit code 1 if it fails now.\n"
      "With --profile the tool writes repro-ID.* here; its figures tell where time\n"
      "goes, and the times that it prints beside them are longer for it.\n\n"
      "Example\n"
      "  regatta query results/NAME.h5 --sort step_time   (shows the ids)\n"
      "  regatta repro results/NAME.h5 1f2e3d4c");
  command->callback([&line, arguments] { line.chosen = [arguments] { return repro(*arguments); }; });
}

}  // namespace regatta::launcher

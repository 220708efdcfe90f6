#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "os/scratch_folder.hpp"
#include "os/split_command.hpp"
#include "regatta/analysis/findings.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/units.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/store.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/sweep/reader.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

/// The program is found from where the user stands, not from where the sweep lies.
nlohmann::json argv_of(const std::string& line) {
  auto words = split_words(line);
  if (words.front().find('/') != std::string::npos) words.front() = std::filesystem::absolute(words.front()).string();
  for (std::string& word : words) word = sweep::literal_word(word);  // a duel has no axes that braces could stand for
  return words;
}

std::string sweep_of(const DuelArguments& arguments) {
  const std::string time = arguments.time.empty() ? "30s" : arguments.time;
  const std::string margin = arguments.margin.empty() ? "1%" : arguments.margin;
  nlohmann::json sweep = {
      {"regatta", 1},
      {"name", "duel"},
      {"axes", {{"engine", {"command"}}, {"command", {"A", "B"}}}},
      {"commands", {{"A", {{"argv", argv_of(arguments.a)}}}, {"B", {{"argv", argv_of(arguments.b)}}}}},
      {"compare", {{"over", {"command"}}, {"baseline", {{"command", "B"}}}}},
      {"measure", {{"per_contrast", time}, {"total", time}, {"margin", margin}}}};
  if (!arguments.metric.empty()) {
    for (const char* side : {"A", "B"}) sweep["commands"][side]["metric"] = arguments.metric;
  }
  return sweep.dump(1);
}

/// "10.9 ms (10.5 ms to 11.9 ms over 42 runs)"; empty if none was scored.
std::string times_text(const results::Results& results, TrialIndex trial) {
  std::vector<double> seconds;
  for (const results::SampleRow& row : results.samples) {
    if (row.trial == trial && row.sample.phase == stats::Phase::steady) seconds.push_back(row.sample.seconds);
  }
  if (seconds.empty()) return {};
  const auto [least, most] = std::ranges::minmax(seconds);
  const std::size_t runs = seconds.size();
  return fmt::format("{} ({} to {} over {} runs)", format_duration(stats::median(std::move(seconds))),
                     format_duration(least), format_duration(most), runs);
}

void print_side(const results::Results& results, std::size_t at, char name, const std::string& line) {
  const std::string times = times_text(results, TrialIndex{static_cast<std::uint32_t>(at)});
  fmt::print("{}: {}{}{}\n", name, line, times.empty() ? "" : "   ", times);
}

int print_verdict(const results::Results& results, const DuelArguments& arguments) {
  const analysis::Findings findings = analysis::findings_of(results);
  if (arguments.json) {
    fmt::print("{}", report::json(results, findings));
    return exit_code_for(results);
  }
  print_side(results, 0, 'A', arguments.a);
  print_side(results, 1, 'B', arguments.b);
  for (const auto& contrast : findings.contrasts.contrasts) {
    fmt::print("{} ({} squares, {} runs each, {})\n", contrast.text, contrast.squares,
               results.trials[contrast.a.value].metrics.at("n"), contrast.why_stopped);
  }
  for (const auto& trial : results.trials) {
    if (!sweep::reason_of(trial.outcome).empty())
      fmt::print("{}: {}\n", sweep::to_text(trial.parameters[sweep::Param::command]), outcome_text(trial.outcome));
  }
  return exit_code_for(results);
}

}  // namespace

int duel(const DuelArguments& arguments) {
  const ScratchFolder scratch("duel");
  RunArguments run;
  run.job.sweep_file = scratch.path / "duel.json";
  run.job.out = scratch.path / "results";
  run.job.command_line = arguments.command_line;
  run.ranks = 1;
  write_file_atomically(run.job.sweep_file, sweep_of(arguments));
  const Job job = read_job(run.job);
  if (const MeasureEnd end = measure_job(run, job); end.exit_code != 0) return end.exit_code;
  return print_verdict(results::collect(job.folder()), arguments);
}

}  // namespace regatta::launcher

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "os/scratch_folder.hpp"
#include "os/split_command.hpp"
#include "regatta/analysis/findings.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/units.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/store.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/sweep/reader.hpp"
#include "run/measure_job.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

struct DuelArguments {
  std::string a, b;               ///< command lines: words and quotes, no shell; b may be empty beside `scan`
  std::vector<std::string> scan;  ///< "n=1,2,4": {n} in them takes these values
  std::string metric;             ///< "json:KEY", or empty for the time of the whole process
  std::string time;               ///< active measuring time: "30s"
  std::string margin;             ///< "1%"
  bool json = false;
  std::string command_line;
};

using Json = nlohmann::ordered_json;

/// "n" of "n=1,2,4", and its values.
struct Scan {
  std::string name;
  std::vector<std::string> values;
};

Scan scan_of(const std::string& text) {
  const std::size_t equal = text.find('=');
  Scan scan{text.substr(0, equal), {}};
  for (std::size_t at = equal; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    scan.values.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  const bool has_values = !scan.values.empty() && std::ranges::none_of(scan.values, &std::string::empty);
  if (!sweep::is_own_name(scan.name) || !has_values)
    throw InputError(fmt::format("--scan: found '{}', expected NAME=VALUE,VALUE such as n=1,2,4", text));
  if (scan.name != "threads" && !sweep::may_be_axis_of_program(scan.name))
    throw InputError(
        fmt::format("--scan: {0} cannot be an axis of a program; choose another name, such as {0}_", scan.name));
  return scan;
}

/// A sweep holds text in UTF-8, and paths of programs may be anything.
void expect_text(const std::string& word) {
  if (!is_utf8(word))
    throw InputError(fmt::format("duel: '{}' is not in UTF-8 (results keep commands as text); rename it", word));
}

/// Numbers where all are, else texts.
Json levels_of(const Scan& scan) {
  Json numbers = Json::array();
  Json texts = Json::array();
  for (const std::string& value : scan.values) {
    expect_text(value);
    const Json number = Json::parse(value, nullptr, false);
    if (number.is_number()) numbers.push_back(number);
    texts.push_back(value);
  }
  return numbers.size() == texts.size() ? numbers : texts;
}

/// The program is found from where the user stands, not from where the sweep lies.
Json argv_of(const std::string& line, bool scans) {
  auto words = split_words(line);
  if (words.front().find('/') != std::string::npos) words.front() = std::filesystem::absolute(words.front()).string();
  for (std::string& word : words) {
    expect_text(word);
    if (!scans) word = sweep::literal_word(word);  // no axes that braces could stand for
  }
  return words;
}

/// Each name in braces has values, and all values have a place.
void check_names(const DuelArguments& arguments) {
  std::set<std::string> scanned, named;
  for (const std::string& text : arguments.scan) scanned.insert(scan_of(text).name);
  for (const auto& [side, line] : {std::pair("A", arguments.a), std::pair("B", arguments.b)}) {
    for (const std::string& name : sweep::placeholders_of(line)) {
      if (!scanned.contains(name))
        throw InputError(fmt::format("{0}: {{{1}}} has no values; add --scan {1}=VALUE,VALUE", side, name));
      named.insert(name);
    }
  }
  for (const std::string& name : scanned)  // threads say how many cores a program may use
    if (name != "threads" && !named.contains(name))
      throw InputError(fmt::format("--scan: {{{}}} stands neither in A nor in B", name));
}

/// With the axes of its scans: A beside B at each of their values or, without B, each value beside the first.
void add_axes(Json& sweep, const DuelArguments& arguments) {
  Json axes = sweep["axes"];
  Json compare;
  if (!arguments.b.empty()) compare = {{"over", {"command"}}, {"baseline", {{"command", "B"}}}};
  for (const std::string& text : arguments.scan) {
    const Scan scan = scan_of(text);
    axes[scan.name] = levels_of(scan);
    if (!arguments.b.empty()) continue;
    compare["over"].push_back(scan.name);
    compare["baseline"][scan.name] = axes[scan.name].front();
  }
  sweep["axes"] = std::move(axes);
  sweep["compare"] = std::move(compare);
}

/// Options are refused by their own names, not by a place in the sweep that is made of them.
void check_amounts(const DuelArguments& arguments) {
  if (!arguments.time.empty() && parse_duration(arguments.time).value_or(0) <= 0)
    throw InputError(fmt::format("--for: found '{}', expected a time such as 5s", arguments.time));
  if (!arguments.margin.empty() && !parse_percent(arguments.margin))
    throw InputError(fmt::format("--margin: found '{}', expected a percentage such as 10%", arguments.margin));
}

std::string sweep_of(const DuelArguments& arguments) {
  check_amounts(arguments);
  if (!arguments.scan.empty()) check_names(arguments);
  const std::string time = arguments.time.empty() ? "30s" : arguments.time;
  const std::string margin = arguments.margin.empty() ? "1%" : arguments.margin;
  Json sweep = {{"regatta", 1}, {"name", "duel"}, {"axes", {{"engine", {"command"}}, {"command", Json::array()}}}};
  for (const auto& [name, line] : {std::pair("A", arguments.a), std::pair("B", arguments.b)}) {
    if (line.empty()) continue;
    sweep["axes"]["command"].push_back(name);
    sweep["commands"][name] = {{"argv", argv_of(line, !arguments.scan.empty())}};
    if (!arguments.metric.empty()) sweep["commands"][name]["metric"] = arguments.metric;
  }
  add_axes(sweep, arguments);
  sweep["measure"] = {{"per_contrast", time}, {"total", time}, {"margin", margin}, {"again", false}};
  if (arguments.time.empty()) sweep["measure"]["relative_half_width"] = "25%";  // an early answer, unless time is given
  return sweep.dump(1);
}

/// A user who writes a pipe expects a shell.
void hint_at_shell(char name, const std::string& line) {
  if (const std::string hint = shell_hint(line); !hint.empty()) log::info(fmt::format("{}: {}", name, hint));
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

/// "A n=4: 10.9 ms (...)", one line for each value.
void print_scan(const results::Results& results, const DuelArguments& arguments) {
  fmt::print("A: {}\n", arguments.a);
  if (!arguments.b.empty()) fmt::print("B: {}\n", arguments.b);
  for (std::uint32_t i = 0; i < results.trials.size(); ++i) {
    const sweep::Parameters& parameters = results.trials[i].parameters;
    std::string label = sweep::to_text(parameters[sweep::Param::command]);
    for (const auto& [param, value] : parameters.own())
      label += fmt::format(" {}={}", param.own_name(), sweep::to_text(value));
    const std::string times = times_text(results, TrialIndex{i});
    fmt::print("  {}   {}\n", label, times.empty() ? sweep::status_of(results.trials[i].outcome) : times);
  }
}

int print_verdict(const results::Results& results, const DuelArguments& arguments) {
  const analysis::Findings findings = analysis::findings_of(results);
  if (arguments.json) {
    fmt::print("{}", report::json(results, findings));
    return exit_code_for(results);
  }
  if (arguments.scan.empty()) {
    print_side(results, 0, 'A', arguments.a);
    print_side(results, 1, 'B', arguments.b);
  } else {
    print_scan(results, arguments);
  }
  const std::vector<std::string> sentences = report::contrast_sentences(results, findings.contrasts);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const analysis::Contrast& contrast = findings.contrasts.contrasts[i];
    fmt::print("{} ({} squares, {} runs each, {})\n", sentences[i], contrast.squares,
               results.trials[contrast.a.value].metrics.at("n"), analysis::why_stopped_text(contrast));
  }
  for (const auto& trial : results.trials) {
    if (!sweep::reason_of(trial.outcome).empty())
      fmt::print("{}: {}\n", sweep::to_text(trial.parameters[sweep::Param::command]), outcome_text(trial.outcome));
  }
  return exit_code_for(results);
}

/// Two programs as interleaved processes: the same rules and the same sentence as a sweep.
int duel(const DuelArguments& arguments) {
  if (arguments.b.empty() && arguments.scan.empty())
    throw InputError("duel: B is missing, the program that A is compared with (or --scan n=1,2,4 with {n} in A)");
  hint_at_shell('A', arguments.a);
  if (!arguments.b.empty()) hint_at_shell('B', arguments.b);
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

}  // namespace

void add_duel(CommandLine& line) {
  auto arguments = std::make_shared<DuelArguments>();
  arguments->command_line = joined(line.argv);
  CLI::App* command =
      add_command(line, "duel", "Find the faster of two programs by interleaved runs", " 'CMD A' 'CMD B'");
  command->add_option("A", arguments->a, "Command line in quotes; no shell reads it")->required()->option_text(" ");
  command->add_option("B", arguments->b, "The one that A is compared with")->option_text(" ");
  command->add_option("--scan", arguments->scan, "Values of {NAME}; the first is B if there is none")
      ->type_name("NAME=VALUE,VALUE")
      ->allow_extra_args(false);
  command->add_option("--metric", arguments->metric, "Seconds in JSON that they print (default: process time)")
      ->type_name("json:KEY");
  command->add_option("--for", arguments->time, "Measuring time at most (default: 30s)")->type_name("TIME");
  command->add_option("--margin", arguments->margin, "Differences below it are `same` (default: 1%)")
      ->type_name("PERCENT");
  add_json_flag(*command, arguments->json);
  command->callback([&line, arguments] { line.chosen = [arguments] { return duel(*arguments); }; });
}

}  // namespace regatta::launcher

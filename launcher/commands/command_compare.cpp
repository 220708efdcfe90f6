#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "job/floor_history.hpp"
#include "regatta/analysis/sessions.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/units.hpp"
#include "regatta/report/sessions.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/told_results.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

struct CompareArguments {
  std::filesystem::path old_file, new_file;
  std::string threshold;  ///< "3%"; empty: the margin of the sweeps
  bool across = false;    ///< other hosts or devices are wanted
  bool json = false;
};

double parse_threshold(const std::string& text) {
  const auto threshold = parse_percent(text);
  if (!threshold) throw InputError(fmt::format("--threshold: found '{}', expected a percentage, such as 3%", text));
  return *threshold;
}

/// Two sessions of the same trials. 3 if any has become slower. The differences of identical code are remembered.
int compare(const CompareArguments& arguments) {
  analysis::SessionOptions options;
  if (!arguments.threshold.empty()) options.threshold = parse_threshold(arguments.threshold);
  options.across = arguments.across;
  const results::Results before = results::read_results(arguments.old_file);
  results::Results after = results::read_results(arguments.new_file);
  results::ResultUnits units;
  results::note_units(units, before.trials);
  for (results::TrialRow& row : after.trials)
    results::convert_results(row, units,
                             fmt::format("'{}' and '{}'", arguments.old_file.string(), arguments.new_file.string()));
  const std::string pair = pair_name(analysis::session_id(before), analysis::session_id(after));
  FloorHistory history(default_floor_folder());
  options.stored_floor = [&](const analysis::FloorKey& key) { return history.floor(key, pair); };
  const analysis::Sessions sessions = analysis::compare_sessions(before, after, options);
  report::expect_comparable(before, after, sessions);
  history.remember(sessions.learnt, pair);
  fmt::print("{}", arguments.json ? report::json_sessions(before, after, sessions)
                                  : report::terminal_sessions(before, after, sessions, terminal_options()));
  return sessions.regressed() ? exit_code::regression : exit_code::done;
}

}  // namespace

void add_compare(CommandLine& line) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command =
      add_command(line, "compare", "Two sessions of the same trials: what became slower", " old/NAME.h5 new/NAME.h5");
  command->add_option("OLD", arguments->old_file, "Results of the earlier session: DIR/NAME.h5")
      ->required()
      ->option_text(" ");
  command->add_option("NEW", arguments->new_file, "Results of the later one")->required()->option_text(" ");
  command->add_option("--threshold", arguments->threshold, "Differences below it are `same` (default: the margin)")
      ->type_name("PERCENT");
  command->add_flag("--across", arguments->across, "Also if hosts or devices differ");
  add_json_flag(*command, arguments->json);
  command->callback([&line, arguments] { line.chosen = [arguments] { return compare(*arguments); }; });
}

}  // namespace regatta::launcher

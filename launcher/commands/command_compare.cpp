#include <fmt/format.h>

#include "commands/commands.hpp"
#include "job/floor_history.hpp"
#include "regatta/analysis/sessions.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/units.hpp"
#include "regatta/report/sessions.hpp"
#include "regatta/results/file.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

double parse_threshold(const std::string& text) {
  const auto threshold = parse_percent(text);
  if (!threshold) throw InputError(fmt::format("--threshold: found '{}', expected a percentage, such as 3%", text));
  return *threshold;
}

}  // namespace

int compare(const CompareArguments& arguments) {
  analysis::SessionOptions options;
  if (!arguments.threshold.empty()) options.threshold = parse_threshold(arguments.threshold);
  options.across = arguments.across;
  const results::Results before = results::read_results(arguments.old_file);
  const results::Results after = results::read_results(arguments.new_file);
  const std::string pair = pair_name(analysis::session_id(before), analysis::session_id(after));
  FloorHistory history(default_floor_folder());
  options.stored_floor = [&](const analysis::FloorKey& key) { return history.floor(key, pair); };
  const analysis::Sessions sessions = analysis::compare_sessions(before, after, options);
  history.remember(sessions.learnt, pair);
  fmt::print("{}", arguments.json ? report::json_sessions(before, after, sessions)
                                  : report::terminal_sessions(before, after, sessions, terminal_options()));
  return sessions.regressed() ? exit_code::regression : exit_code::done;
}

}  // namespace regatta::launcher

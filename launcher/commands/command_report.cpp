#include <fmt/format.h>

#include "commands/commands.hpp"
#include "commands/run_folder.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/units.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/store.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {

namespace {

/// Contrasts whose whole interval lies beyond the limit, each said on stderr.
int regressions(const analysis::Contrasts& contrasts, const FailOn& fail_on) {
  int found = 0;
  for (const analysis::Contrast& contrast : contrasts.contrasts) {
    const bool is_slower = contrast.verdict == stats::Verdict::slower && contrast.survives;
    if (!is_slower || contrast.low.value_or(0) <= 1 + fail_on.slower) continue;
    log::error(fmt::format("slower by more than {:g} %: {}", 100 * fail_on.slower, contrast.text));
    ++found;
  }
  return found;
}

}  // namespace

FailOn parse_fail_on(const std::string& text) {
  constexpr std::string_view prefix = "slower:";
  const auto limit = text.starts_with(prefix) ? parse_percent(text.substr(prefix.size())) : std::nullopt;
  if (!limit) throw InputError(fmt::format("--fail-on: found '{}', expected slower:PERCENT, such as slower:3%", text));
  return {*limit};
}

int report(const std::filesystem::path& file, const std::optional<std::filesystem::path>& html, bool json,
           const std::optional<FailOn>& fail_on) {
  Outputs outputs{results::read_results(file), {}};
  outputs.findings = analysis::findings_of(outputs.results);
  if (html) write_file_atomically(*html, report::html(outputs.results, outputs.findings));
  if (json) {
    fmt::print("{}", report::json(outputs.results, outputs.findings));
  } else {
    print_report(outputs, beside(file, ".regatta"));
  }
  return fail_on && regressions(outputs.findings.contrasts, *fail_on) > 0 ? exit_code::regression : exit_code::done;
}

int collect(const std::filesystem::path& folder) {
  expect_journal(folder, "collect rebuilds results from");
  const Outputs outputs = write_outputs(folder, results::collect(folder));
  print_report(outputs, folder);
  return exit_code_for(outputs.results);
}

}  // namespace regatta::launcher

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/file.hpp"
#include "run/fail_on.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

int report(const std::filesystem::path& file, const std::optional<std::filesystem::path>& html, bool json, Depth depth,
           const std::optional<FailOn>& fail_on) {
  expect_results(file);
  if (html) expect_place_of_file("--html", *html, {file});
  const bool is_old = warn_if_outdated(file);
  Outputs outputs{results::read_results(file), {}};
  outputs.findings = analysis::findings_of(outputs.results);
  if (html) write_result(*html, report::html(outputs.results, outputs.findings));
  if (json) {
    fmt::print("{}", report::json(outputs.results, outputs.findings));
  } else {
    print_report(outputs, beside(file, ".regatta"), depth);
  }
  if (!fail_on) return exit_code::done;
  if (is_broken(outputs, *fail_on)) return exit_code::regression;
  return is_old ? exit_code::work_left : exit_code::done;  // nothing passes on figures that are not those of today
}

}  // namespace

void add_report(CommandLine& line) {
  auto file = std::make_shared<std::filesystem::path>();
  auto html = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = add_command(line, "report", "Tables and figures of a result file", " results/NAME.h5");
  add_result_file(*command, *file);
  const CLI::Option* names_html =
      command->add_option("--html", *html, "Also write the page to this file")->type_name("FILE");
  add_json_flag(*command, *json);
  auto details = std::make_shared<bool>(false);
  command->add_flag("--details", *details, "All tables and checks beside the answer");
  auto fail_on = std::make_shared<std::string>();
  command->add_option("--fail-on", *fail_on, "Exit code 3 if slower by more with 95 %, or if it may be")
      ->type_name("slower:3%[,early][,undecided]");
  command->callback([&line, file, html, names_html, json, details, fail_on] {
    line.chosen = [=] {
      const auto page = names_html->count() > 0 ? std::optional<std::filesystem::path>(*html) : std::nullopt;
      const auto limit = fail_on->empty() ? std::nullopt : std::optional(parse_fail_on(*fail_on));
      return report(*file, page, *json, *details ? Depth::details : Depth::answer, limit);
    };
  });
}

}  // namespace regatta::launcher

#include "command_line.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "provenance.hpp"
#include "regatta/base/log.hpp"

namespace regatta::launcher {
namespace {

constexpr const char* environments_help = "JSON file of further environments, for engine@NAME";

std::string joined(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& argument : argv) text += (text.empty() ? "" : " ") + argument;
  return text;
}

// Options live as long as the parser's callbacks, hence the shared pointers below.
void add_run(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv) {
  auto arguments = std::make_shared<RunArguments>();
  arguments->job.command_line = joined(argv);
  arguments->bar = ::isatty(STDERR_FILENO) == 1;
  auto rerun = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("run", "Run a sweep, or go on with it; then report");
  command->add_option("SWEEP", arguments->job.sweep_file, "Sweep file (docs/sweep-file.md)")->required();
  command->add_option("--ranks", arguments->ranks,
                      "MPI ranks, each with a slot of its own (default: one for each memory domain)");
  command->add_option("--set", arguments->job.set, "Replace or add an axis: axis=v,v")->take_all()->delimiter('\0');
  command->add_option("--out", arguments->job.out, "Folder for results")->capture_default_str();
  command->add_option("--environments", arguments->job.environments_file, environments_help);
  command->add_option("--rerun", *rerun, "`failed`: run blocks again that hold failed or skipped arms")
      ->check(CLI::IsMember({"failed"}));
  command->add_flag("--child", arguments->child)->group("");
  command->add_flag("--bar", arguments->bar)->group("");
  command->add_option("--command-line", arguments->job.command_line)->group("");
  command->callback([&chosen, arguments, rerun] {
    arguments->job.rerun = rerun->empty() ? Rerun::nothing : Rerun::failed;
    chosen = [arguments] { return run(*arguments); };
  });
}

void add_duel(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv) {
  auto arguments = std::make_shared<DuelArguments>();
  arguments->command_line = joined(argv);
  CLI::App* command = app.add_subcommand("duel", "Which of two commands is faster, by interleaved runs");
  command->add_option("A", arguments->a, "Command line in quotes; no shell: words, '...' and \"...\"")->required();
  command->add_option("B", arguments->b, "The one it is compared with")->required();
  command->add_option("--metric", arguments->metric,
                      "json:KEY, seconds in a JSON object that the commands print (default: time of the process)");
  command->add_option("--for", arguments->time, "Measuring time at most")->default_str("30s");
  command->add_option("--margin", arguments->margin, "Differences below it are `same`")->default_str("1%");
  command->add_flag("--json", arguments->json, "One JSON document on stdout");
  command->callback([&chosen, arguments] { chosen = [arguments] { return duel(*arguments); }; });
}

void add_plan(CLI::App& app, std::function<int()>& chosen) {
  auto options = std::make_shared<JobOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("plan", "What a sweep would run, and what it would skip; starts nothing");
  command->add_option("SWEEP", options->sweep_file, "Sweep file")->required();
  command->add_option("--set", options->set, "Replace or add an axis: axis=v,v")->take_all()->delimiter('\0');
  command->add_option("--environments", options->environments_file, environments_help);
  command->add_flag("--json", *json, "One JSON document on stdout");
  command->callback([&chosen, options, json] { chosen = [=] { return plan(*options, *json); }; });
}

void add_status(CLI::App& app, std::function<int()>& chosen) {
  auto folder = std::make_shared<std::filesystem::path>();
  auto json = std::make_shared<bool>(false);
  auto follow = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("status", "How far a run is, from its journal");
  command->add_option("FOLDER", *folder, "NAME.regatta")->required();
  command->add_flag("--json", *json, "One JSON document on stdout");
  command->add_flag("--follow", *follow, "Every second, until nothing is open");
  command->callback([&chosen, folder, json, follow] { chosen = [=] { return status(*folder, *json, *follow); }; });
}

void add_report(CLI::App& app, std::function<int()>& chosen) {
  auto file = std::make_shared<std::filesystem::path>();
  auto html = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("report", "Tables and figures of a result file");
  command->add_option("FILE", *file, "NAME.h5")->required();
  command->add_option("--html", *html, "Also write the page to this file");
  command->add_flag("--json", *json, "One JSON document on stdout");
  auto fail_on = std::make_shared<std::string>();
  command->add_option("--fail-on", *fail_on, "slower:3%: exit code 3 if an arm is slower than its baseline by more");
  command->callback([&chosen, file, html, json, fail_on] {
    chosen = [=] {
      const auto page = html->empty() ? std::nullopt : std::optional<std::filesystem::path>(*html);
      const auto limit = fail_on->empty() ? std::nullopt : std::optional(parse_fail_on(*fail_on));
      return report(*file, page, *json, limit);
    };
  });
}

void add_collect(CLI::App& app, std::function<int()>& chosen) {
  auto folder = std::make_shared<std::filesystem::path>();
  CLI::App* command = app.add_subcommand("collect", "Rebuild result file and page from a journal");
  command->add_option("FOLDER", *folder, "NAME.regatta")->required();
  command->callback([&chosen, folder] { chosen = [=] { return collect(*folder); }; });
}

void add_doctor(CLI::App& app, std::function<int()>& chosen) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "What works on this machine, and what to do about the rest");
  command->add_flag("--json", *json, "One JSON document on stdout");
  command->callback([&chosen, json] { chosen = [=] { return doctor(*json); }; });
}

}  // namespace

void add_commands(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv) {
  app.set_version_flag("--version", "regatta " + regatta_version());
  app.require_subcommand(1);
  add_run(app, chosen, argv);
  add_duel(app, chosen, argv);
  add_plan(app, chosen);
  add_status(app, chosen);
  add_report(app, chosen);
  add_collect(app, chosen);
  add_doctor(app, chosen);
}

}  // namespace regatta::launcher

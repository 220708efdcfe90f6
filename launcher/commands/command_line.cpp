#include "commands/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/base/version.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t name_columns = 24;  // width of a name in help; its description has the rest of 80 columns

/// Help is as wide as reports are.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return wrapped_help(CLI::Formatter::make_help(app, std::move(name), mode),
                        static_cast<std::size_t>(std::max(terminal_options().columns, 30)), name_columns);
  }
};

}  // namespace

CLI::App* add_command(CommandLine& line, const std::string& name, const std::string& description,
                      const std::string& example) {
  line.examples[name] = example;
  CLI::App* command = line.app.add_subcommand(name, description);
  command->group("Commands");
  return command;
}

void add_sweep_options(CLI::App& command, JobOptions& options) {
  command.add_option("--set", options.set, "Replace or add an axis")
      ->take_all()
      ->delimiter('\0')
      ->option_text("AXIS=V,V");
  command.add_option("--only", options.only, "Keep only the points with these levels")
      ->take_all()
      ->delimiter('\0')
      ->option_text("AXIS=V,V");
  command.add_option("--environments", options.environments_file, "JSON file of environments, for engine@NAME")
      ->type_name("FILE");
}

void add_run_folder(CLI::App& command, std::filesystem::path& folder) {
  command.add_option("FOLDER", folder, "Results of a run: DIR/NAME.regatta")->required()->option_text(" ");
}

void add_result_file(CLI::App& command, std::filesystem::path& file) {
  command.add_option("FILE", file, "Results: DIR/NAME.h5")->required()->option_text(" ");
}

CLI::Option* add_json_flag(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "One JSON document on stdout");
}

std::string joined(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& argument : argv) text += (text.empty() ? "" : " ") + shell_word(argument);
  return text;
}

void add_commands(CommandLine& line) {
  CLI::App& app = line.app;
  app.set_version_flag("-V,--version", "regatta " + regatta_version());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(name_columns);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND ...");
  app.get_formatter()->label("OPTIONS", "OPTION");
  for (const auto add :
       {add_run, add_duel, add_init, add_plan, add_status, add_report, add_compare, add_collect, add_query, add_merge,
        add_repro, add_doctor, add_bench, add_schema, add_help, add_version, add_completion, add_man})
    add(line);
  app.footer("First steps: regatta doctor, then regatta run sweeps/quickstart.json");  // not of each command
}

}  // namespace regatta::launcher

#include "commands/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "bench/bench.hpp"
#include "commands/commands.hpp"
#include "commands/init_sweep.hpp"
#include "commands/printing.hpp"
#include "job/provenance.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/base/version.hpp"
#include "run/outputs.hpp"
#include "shells/described.hpp"

namespace regatta::launcher {
namespace {

constexpr int most_bench_ranks = 1024;
constexpr std::size_t name_columns = 24;  // of help; what is said about a name has the rest of 80 columns

/// What a person would type to go on with a run: the file that a batch script reads is no part of it.
std::string to_go_on(std::vector<std::string> argv) {
  const auto option = std::ranges::find(argv, "--exit-code-to");
  if (argv.end() - option >= 2) argv.erase(option, option + 2);
  return joined(argv);
}

}  // namespace

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

namespace {

// Options live as long as the parser's callbacks, hence the shared pointers below.
void add_run(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv) {
  auto arguments = std::make_shared<RunArguments>();
  arguments->job.command_line = to_go_on(argv);
  arguments->progress.bar_columns = bar_columns();
  auto events = std::make_shared<bool>(false);
  auto rerun = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("run", "Run a sweep, or go on with it; then report");
  command->add_option("SWEEP", arguments->job.sweep_file, "Sweep file (docs/sweep-file.md)")
      ->required()
      ->option_text("FILE");
  command->add_option("--ranks", arguments->ranks, "MPI ranks (default: one for each memory domain)")->type_name("N");
  add_sweep_options(*command, arguments->job);
  command->add_option("--out", arguments->job.out, "Folder for results (default: results)")->type_name("FOLDER");
  command->add_option("--rerun", *rerun, "Repeat what failed, measure on, or the best again")
      ->check(CLI::IsMember({"failed", "undecided", "cut-short", "fastest"}))
      ->option_text("failed|undecided|fastest");
  command->add_flag("--keep-changed", arguments->job.keep_changed,
                    "Keep rows though what decides them changed, marked");
  command
      ->add_option("--for", arguments->job.time,
                   "Wall time at most, in place of the sweep's `total`; what was not measured yet is, once")
      ->type_name("TIME");
  command->add_flag("--smoke", arguments->job.smoke, "One step of each trial, into FOLDER/smoke: do they run?");
  auto dry = std::make_shared<bool>(false);
  command->add_flag("--dry-run", *dry, "What `regatta plan` says; starts nothing");
  command->add_flag("-q,--quiet", arguments->progress.is_quiet, "Warnings and errors alone: no progress, no report");
  command->add_flag("--one-by-one", arguments->job.one_by_one, "A worker gets no lots of quick trials");
  command->add_flag("--child", arguments->child)->group("");
  command->add_option("--read-as", arguments->job.read_as)->group("");
  auto* on_stderr = command->add_flag("--json-events", *events, "Progress as one JSON object a line on stderr")
                        ->option_text(" ");  // else CLI11 prints what it excludes there
  command
      ->add_option("--json-events-to", arguments->progress.events, "The same to a file, a FIFO or an open descriptor")
      ->excludes(on_stderr)
      ->option_text("FILE|N");
  command->add_option("--exit-code-to", arguments->exit_code_to, "Also write the exit code there, for batch scripts")
      ->type_name("FILE");
  command->add_option("--bar", arguments->progress.bar_columns)->group("");
  command->add_option("--command-line", arguments->job.command_line)->group("");
  command->footer(
      "Examples\n"
      "  regatta run sweep.json --smoke           does each trial run at all? seconds\n"
      "  regatta run sweep.json                   all of it; again: it goes on\n"
      "  regatta run sweep.json --for 10m --set batch=1,32 --only engine=native\n"
      "  regatta run sweep.json --rerun undecided --for 5m\n"
      "What changed since (a script, a program, a version) is measured again by itself.\n"
      "Exit codes: 0 done, 1 some trials failed, 2 bad input, 5 what is left needs more than this run has, 74 storage, "
      "75 work left.");
  command->callback([&chosen, arguments, rerun, events, dry] {
    if (*events) arguments->progress.events = "-";
    arguments->job.rerun = parse_rerun(*rerun);
    chosen = [arguments, dry] { return *dry ? plan(arguments->job, false) : run(*arguments); };
  });
}

void add_duel(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv) {
  auto arguments = std::make_shared<DuelArguments>();
  arguments->command_line = joined(argv);
  CLI::App* command = app.add_subcommand("duel", "Which of two programs is faster, by interleaved runs");
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
  command->add_flag("--json", arguments->json, "One JSON document on stdout");
  command->callback([&chosen, arguments] { chosen = [arguments] { return duel(*arguments); }; });
}

void add_plan(CLI::App& app, std::function<int()>& chosen) {
  auto options = std::make_shared<JobOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("plan", "What a sweep would run and skip; starts nothing");
  command->add_option("SWEEP", options->sweep_file, "Sweep file (docs/sweep-file.md)")->required()->option_text("FILE");
  add_sweep_options(*command, *options);
  command->add_option("--for", options->time, "What a run with this option would take")->type_name("TIME");
  command->add_flag("--json", *json, "One JSON document on stdout");
  command->callback([&chosen, options, json] { chosen = [=] { return plan(*options, *json); }; });
}

void add_init(CLI::App& app, std::function<int()>& chosen) {
  auto options = std::make_shared<InitOptions>();
  CLI::App* command = app.add_subcommand("init", "Write NAME.json, a sweep to edit");
  command->add_option("NAME", options->name, "Of the sweep; a file that is there is left alone")
      ->required()
      ->option_text(" ");
  auto* model = command->add_option("--model", options->model, "Ask about this model of yours (docs/your-model.md)")
                    ->option_text("FILE.py");
  auto* of_loop = command->add_option("--loop", options->loop, "Ask about this training script of yours")
                      ->excludes(model)
                      ->option_text("FILE.py");
  command->add_option("--command", options->command, "Run this program; {n} is the value of an axis n")
      ->excludes(model)
      ->excludes(of_loop)
      ->option_text("'PROG {n}'");
  command->add_option("--engine", options->engine, "Of model or loop, where its imports do not tell")
      ->option_text("NAME");
  command->footer(
      "Examples\n"
      "  regatta init first                              named models on every engine\n"
      "  regatta init heat --command './heat --n={n}'    a program of yours\n"
      "  regatta init fit --loop train.py                a training script of yours\n"
      "  regatta init mine --model my_model.py           build and make_batch of yours");
  command->callback([&chosen, options] { chosen = [=] { return init(*options); }; });
}

void add_schema(CLI::App& app, std::function<int()>& chosen) {
  CLI::App* command = app.add_subcommand("schema", "JSON Schema of sweep files, for editors");
  command->callback([&chosen] { chosen = schema; });
}

void add_status(CLI::App& app, std::function<int()>& chosen) {
  auto folder = std::make_shared<std::filesystem::path>();
  auto json = std::make_shared<bool>(false);
  auto follow = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("status", "How far a run is, from its journal");
  command->add_option("FOLDER", *folder, "Results of a run: DIR/NAME.regatta")->required()->option_text(" ");
  command->add_flag("--json", *json, "One JSON document on stdout");
  command->add_flag("--follow", *follow, "Every second, until nothing is open");
  command->callback([&chosen, folder, json, follow] { chosen = [=] { return status(*folder, *json, *follow); }; });
}

void add_report(CLI::App& app, std::function<int()>& chosen) {
  auto file = std::make_shared<std::filesystem::path>();
  auto html = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("report", "Tables and figures of a result file");
  command->add_option("FILE", *file, "Results: DIR/NAME.h5")->required()->option_text(" ");
  command->add_option("--html", *html, "Also write the page to this file")->type_name("FILE");
  command->add_flag("--json", *json, "One JSON document on stdout");
  auto fail_on = std::make_shared<std::string>();
  command->add_option("--fail-on", *fail_on, "Exit code 3 if slower by more with 95 %, or if it may be")
      ->type_name("slower:3%[,early][,undecided]");
  command->callback([&chosen, file, html, json, fail_on] {
    chosen = [=] {
      const auto page = html->empty() ? std::nullopt : std::optional<std::filesystem::path>(*html);
      const auto limit = fail_on->empty() ? std::nullopt : std::optional(parse_fail_on(*fail_on));
      return report(*file, page, *json, limit);
    };
  });
}

void add_compare(CLI::App& app, std::function<int()>& chosen) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand("compare", "Two sessions of the same trials: what became slower");
  command->add_option("OLD", arguments->old_file, "Results of the earlier session: DIR/NAME.h5")
      ->required()
      ->option_text(" ");
  command->add_option("NEW", arguments->new_file, "Results of the later one")->required()->option_text(" ");
  command->add_option("--threshold", arguments->threshold, "Differences below it are `same` (default: the margin)")
      ->type_name("PERCENT");
  command->add_flag("--across", arguments->across, "Also if hosts or devices differ");
  command->add_flag("--json", arguments->json, "One JSON document on stdout");
  command->callback([&chosen, arguments] { chosen = [arguments] { return compare(*arguments); }; });
}

void add_collect(CLI::App& app, std::function<int()>& chosen) {
  auto folder = std::make_shared<std::filesystem::path>();
  CLI::App* command = app.add_subcommand("collect", "Rebuild result file and page from a journal");
  command->add_option("FOLDER", *folder, "Results of a run: DIR/NAME.regatta")->required()->option_text(" ");
  command->callback([&chosen, folder] { chosen = [=] { return collect(*folder); }; });
}

void add_doctor(CLI::App& app, std::function<int()>& chosen) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "What works on this machine, and what to do");
  command->add_flag("--json", *json, "One JSON document on stdout");
  command->callback([&chosen, json] { chosen = [=] { return doctor(*json); }; });
}

void add_bench(CLI::App& app, std::function<int()>& chosen) {
  auto options = std::make_shared<BenchOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("bench", "What orchestrating itself costs on this machine");
  auto* ranks = command->add_option("--ranks", options->ranks, "MPI ranks (default: 2, and 3 to start and to idle)")
                    ->check(CLI::Range(1, most_bench_ranks))
                    ->type_name("N");
  command->add_flag("--quick", options->quick, "One short round: whether it works, not how fast");
  auto* allreduce =
      command->add_flag("--allreduce", options->allreduce, "How fast ranks on this host sum gradients, instead");
  command->add_flag("--nodes", options->nodes, "Under mpirun or srun: what passes between its nodes, instead")
      ->excludes(ranks)
      ->excludes(allreduce)
      ->option_text(" ");
  command->add_flag("--json", *json, "One JSON document on stdout");
  command->footer(
      "Runs sweeps of trials that do nothing in a folder of its own, and parts of\n"
      "Regatta alone; takes a minute or two of a machine that does nothing else.\n"
      "What each figure is: docs/bench.md.");
  command->callback([&chosen, options, json] { chosen = [=] { return bench(*options, *json); }; });
}

}  // namespace

namespace {

/// "bash" of /usr/bin/bash.
std::string shell_of_user() {
  const char* named = std::getenv("SHELL");
  const std::string shell = named == nullptr ? "" : std::filesystem::path(named).filename().string();
  if (shell == "bash" || shell == "zsh" || shell == "fish") return shell;
  throw InputError(fmt::format(
      "completion: for which shell? SHELL {}; say it, as in `regatta completion bash` (or zsh, fish), and read what it "
      "prints: source <(regatta completion bash)",
      shell.empty() ? "is not set" : "is " + shell + ", for which there is none"));
}

/// Help is as wide as reports are.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return wrapped_help(CLI::Formatter::make_help(app, std::move(name), mode),
                        static_cast<std::size_t>(std::max(terminal_options().columns, 30)), name_columns);
  }
};

void add_help(CLI::App& app, std::function<int()>& chosen) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "What a command does and takes");
  command->add_option("COMMAND", *name, "One of them; left out: the list of all")->option_text(" ");
  command->callback([&app, &chosen, name] { chosen = [&app, name] { return help(app, *name); }; });
  CLI::App* version = app.add_subcommand("version", "Which version this is; also -V");
  version->callback([&chosen] {
    chosen = [] {
      fmt::print("regatta {}\n", regatta_version());
      return exit_code::done;
    };
  });
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand("completion", "Completion of these commands, for a shell");
  completion->add_option("SHELL", *shell, "Which one; left out: that of $SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->option_text("bash|zsh|fish");
  completion->footer(
      "Examples\n"
      "  source <(regatta completion bash)        for this shell; in ~/.bashrc for all\n"
      "  regatta completion zsh > ~/.zfunc/_regatta\n"
      "  regatta completion fish > ~/.config/fish/completions/regatta.fish");
  completion->callback([&app, &chosen, shell] {
    chosen = [&app, shell] {
      fmt::print("{}", completion_script(app, shell->empty() ? shell_of_user() : *shell));
      return exit_code::done;
    };
  });
  CLI::App* man = app.add_subcommand("man", "The manual page of all commands, as troff");
  man->footer("Example\n  regatta man > regatta.1; man ./regatta.1");
  man->callback([&app, &chosen] {
    chosen = [&app] {
      fmt::print("{}", manual_page(app, regatta_version()));
      return exit_code::done;
    };
  });
}

}  // namespace

std::string joined(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& argument : argv) text += (text.empty() ? "" : " ") + shell_word(argument);
  return text;
}

void add_commands(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv) {
  app.set_version_flag("-V,--version", "regatta " + regatta_version());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(name_columns);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND ...");
  app.get_formatter()->label("OPTIONS", "OPTION");
  add_run(app, chosen, argv);
  add_duel(app, chosen, argv);
  add_init(app, chosen);
  add_plan(app, chosen);
  add_status(app, chosen);
  add_report(app, chosen);
  add_compare(app, chosen);
  add_collect(app, chosen);
  add_result_commands(app, chosen, argv);
  add_doctor(app, chosen);
  add_bench(app, chosen);
  add_schema(app, chosen);
  add_help(app, chosen);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) command->group("Commands");
  app.footer("First steps: regatta doctor, then regatta run sweeps/quickstart.json");  // not of each command
}

}  // namespace regatta::launcher

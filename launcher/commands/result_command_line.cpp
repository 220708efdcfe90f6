// The options of the commands that read what a run has left.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "regatta/results/table.hpp"

namespace regatta::launcher {
namespace {

constexpr const char* condition_help =
    "A condition is COLUMN=VALUE (or VALUE,VALUE: one of them), COLUMN!=VALUE,\n"
    "or with <, <=, > or >= in quotes: 'step_time<5ms', 'batch>=64'. All must hold.\n"
    "COLUMN=null: not read by the engine, or not measured.";

void add_file(CLI::App& command, std::filesystem::path& file) {
  command.add_option("FILE", file, "Results: DIR/NAME.h5")->required()->option_text(" ");
}

void add_choice(CLI::App& command, std::vector<std::string>& conditions, std::vector<std::string>& columns) {
  command.add_option("CONDITION", conditions, "Only rows with COLUMN=VALUE (below)")->option_text("...");
  command.add_option("--columns", columns, "These columns, in this order")
      ->expected(1)
      ->allow_extra_args(false)  // what follows is a condition
      ->take_all()
      ->delimiter(',')
      ->option_text("A,B");
}

void add_query(CLI::App& app, std::function<int()>& chosen) {
  auto arguments = std::make_shared<QueryArguments>();
  CLI::App* command = app.add_subcommand("query", "Rows of a result file, chosen and sorted");
  add_file(*command, arguments->file);
  add_choice(*command, arguments->conditions, arguments->columns);
  command->add_option("--sort", arguments->sort, "By this column; -COLUMN: largest first")->option_text("COLUMN");
  command->add_flag("--contrasts", arguments->contrasts, "Comparisons in place of trials");
  command->add_flag("--json", arguments->json, "One JSON document on stdout");
  command->footer(std::string(condition_help) +
                  "\n\nExamples\n"
                  "  regatta query results/NAME.h5 engine=native --sort step_time\n"
                  "  regatta query results/NAME.h5 status!=finished --columns trial_hash,reason\n"
                  "  regatta query results/NAME.h5 --contrasts verdict=slower --json\n"
                  "Columns are those of /trials and /contrasts in docs/results.md, without f_\n"
                  "and m_; the file's own names (m_step_time, f_batch, error_text, host_id) do\n"
                  "as well. The id (trial_hash) is what `regatta repro` takes.");
  command->callback([&chosen, arguments] { chosen = [arguments] { return query(*arguments); }; });
}

void add_export(CLI::App& app, std::function<int()>& chosen) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "A result file as CSV, JSON lines or a trace");
  add_file(*command, arguments->file);
  add_choice(*command, arguments->conditions, arguments->columns);
  command->add_option("--format", arguments->format, "What to write")
      ->required()
      ->check(CLI::IsMember({"csv", "jsonl", "trace", "tensorboard"}))
      ->option_text("csv|jsonl|trace|tensorboard");
  command->add_option("--table", arguments->table, "trials (default), contrasts, samples, legs, curves")
      ->check(CLI::IsMember(results::table_names()))
      ->option_text("NAME");
  command->add_option("-o,--output", arguments->out, "Write to this file (default: stdout)")->option_text("FILE");
  command->footer(std::string(condition_help) +
                  "\n\nExamples\n"
                  "  regatta export results/NAME.h5 --format csv > trials.csv\n"
                  "  regatta export results/NAME.h5 --format jsonl --table samples -o s.jsonl\n"
                  "  regatta export results/NAME.h5 --format trace -o trace.json\n"
                  "A trace shows which slot ran which block and slice when; open it at\n"
                  "https://ui.perfetto.dev (nothing is uploaded) or chrome://tracing.");
  command->callback([&chosen, arguments] { chosen = [arguments] { return export_results(*arguments); }; });
}

void add_merge(CLI::App& app, std::function<int()>& chosen) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command = app.add_subcommand("merge", "Several result files of one sweep as one file");
  command->add_option("FILE", arguments->files, "Results to merge: two or more NAME.h5")
      ->required()
      ->option_text("...");
  command->add_option("-o,--output", arguments->out, "The merged file")->required()->option_text("FILE");
  command->footer(
      "For parts of a sweep that ran on several hosts. Each trial stands once in the\n"
      "merged file: a row without a result gives way to one with. A trial with\n"
      "different results in two files is an error: nothing is written then, and\n"
      "`regatta compare` tells the two apart. The file says what came from where\n"
      "(/trials source_id, docs/results.md).\n\n"
      "Example\n"
      "  regatta merge -o all.h5 host-a/NAME.h5 host-b/NAME.h5");
  command->callback([&chosen, arguments] { chosen = [arguments] { return merge(*arguments); }; });
}

void add_repro(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv) {
  auto arguments = std::make_shared<ReproArguments>();
  arguments->command_line = joined(argv);
  arguments->argv = argv;
  CLI::App* command = app.add_subcommand("repro", "One row of a result file again, alone");
  add_file(*command, arguments->file);
  command->add_option("ID", arguments->id, "First digits of the trial's id (trial_hash)")->required()->option_text(" ");
  command->add_option("--for", arguments->time, "Measuring time at most")->option_text("TIME");
  command->add_option("--environments", arguments->environments_file, "JSON file of environments, for engine@NAME")
      ->option_text("FILE");
  command->add_option("--profile", arguments->profiler, "Run it under nsys, ncu or perf")->option_text("TOOL");
  command->add_flag("--json", arguments->json, "One JSON document on stdout");
  command->footer(
      "Prints the old value, the new one, and what differs between then and now:\n"
      "host, slot, versions, what ran beside it. It writes no result file. Relative\n"
      "paths of the sweep start where its file was. Exit code 1 if it fails now.\n"
      "With --profile the tool writes repro-ID.* here; its figures tell where time\n"
      "goes, and the times that it prints beside them are longer for it.\n\n"
      "Example\n"
      "  regatta query results/NAME.h5 --sort step_time   (shows the ids)\n"
      "  regatta repro results/NAME.h5 1f2e3d4c");
  command->callback([&chosen, arguments] { chosen = [arguments] { return repro(*arguments); }; });
}

void add_explain(CLI::App& app, std::function<int()>& chosen) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* command = app.add_subcommand("explain", "Why trials have no result yet, from the journal");
  command->add_option("FOLDER", arguments->folder, "Results of a run: DIR/NAME.regatta")->required()->option_text(" ");
  command->add_option("ID", arguments->id, "Only this trial (first digits of its id)")->option_text(" ");
  command->add_flag("--json", arguments->json, "One JSON document on stdout");
  command->footer(
      "While a sweep runs: what runs now, what waits behind how many blocks, what\n"
      "is tried again. After it ended: why work is left, and how to go on.\n"
      "`regatta status` counts; docs/why.md is about why a trial is slow.");
  command->callback([&chosen, arguments] { chosen = [arguments] { return explain(*arguments); }; });
}

void add_salvage(CLI::App& app, std::function<int()>& chosen) {
  auto arguments = std::make_shared<SalvageArguments>();
  CLI::App* command = app.add_subcommand("salvage", "What is whole of a damaged journal, in a new folder");
  command->add_option("FOLDER", arguments->folder, "Results of a run: DIR/NAME.regatta")->required()->option_text(" ");
  command->add_option("-o,--output", arguments->out, "Folder that gets the new NAME.regatta")
      ->required()
      ->option_text("DIR");
  CLI::Option* sweep =
      command->add_option("--sweep", arguments->sweep.sweep_file, "The sweep that was run, if its plan is lost")
          ->type_name("FILE");
  add_sweep_options(*command, arguments->sweep);
  for (const char* option : {"--set", "--only", "--environments"}) command->get_option(option)->needs(sweep);
  command->get_option("--environments")->option_text("FILE");  // else CLI11 prints what it needs there
  command->footer(
      "For a folder of which `regatta run` or `collect` says that it is damaged. It is\n"
      "only read. Each record that is lost is named, and its trials where that can be\n"
      "told. They are measured again by the same run with --out DIR. Headers and plans\n"
      "are made anew from their copies in the journal, or from the sweep that was run:\n"
      "give it with the --set and --only of the run.\n\n"
      "Example\n"
      "  regatta salvage results/NAME.regatta -o saved\n"
      "  regatta run SWEEP --out saved");
  command->callback([&chosen, arguments] { chosen = [arguments] { return salvage(*arguments); }; });
}

}  // namespace

void add_result_commands(CLI::App& app, std::function<int()>& chosen, const std::vector<std::string>& argv) {
  add_query(app, chosen);
  add_export(app, chosen);
  add_merge(app, chosen);
  add_repro(app, chosen, argv);
  add_explain(app, chosen);
  add_salvage(app, chosen);
}

}  // namespace regatta::launcher

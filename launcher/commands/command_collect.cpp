#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/results/salvage.hpp"
#include "regatta/results/store.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

struct CollectArguments {
  std::filesystem::path folder;  ///< NAME.regatta
  bool salvage = false;
  std::filesystem::path out;  ///< folder that gets what is salvaged
  JobOptions sweep;           ///< the sweep that was run, where the journal may have lost it; no file: not given
};

/// Rebuilds NAME.h5 and NAME.html from NAME.regatta.
int collect(const std::filesystem::path& named) {
  const std::filesystem::path folder = run_folder(named, "collect rebuilds results from");
  const Outputs outputs = write_outputs(folder, results::collect(folder));
  print_report(outputs, folder);
  if (outputs.findings.learning && !outputs.findings.learning->over) {
    log::warn("the training is not over; run the sweep again to go on");
    return exit_code::work_left;
  }
  return exit_code_for(outputs.results);
}

std::filesystem::path without_slash(std::filesystem::path folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

/// "record 4 at byte 512, a result", "records 4 to 6 at byte 512".
std::string place_text(const results::Loss& loss) {
  const std::uint64_t first = loss.place.sequence;
  if (loss.records > 1)
    return fmt::format("records {} to {} at byte {}", first, first + loss.records - 1, loss.place.byte);
  if (loss.records == 0) return fmt::format("no record, but other bytes, at byte {}", loss.place.byte);
  const std::string kind = loss.kind.empty() ? "" : fmt::format(", kind {}", loss.kind);
  return fmt::format("record {} at byte {}{}", first, loss.place.byte, kind);
}

std::string block_text(const results::LostBlock& lost, const std::vector<sweep::Param>& axes) {
  std::vector<std::string> trials;
  for (const sweep::Parameters& trial : lost.trials) trials.push_back(clean(analysis::label(trial, axes)));
  return fmt::format(
      "block {}: {}", to_string(lost.block),
      trials.empty() ? "of another sweep, or another text of it" : fmt::format("{}", fmt::join(trials, "; ")));
}

void print_losses(const results::Salvaged& saved) {
  for (const results::Loss& loss : saved.lost) {
    fmt::print("lost: {} ({})\n", place_text(loss), loss.why);
    for (const results::LostBlock& lost : loss.blocks)
      fmt::print("      {} {}\n", loss.kind.empty() ? "perhaps of" : "of", block_text(lost, saved.axes));
  }
  for (const std::string& what : saved.given_up)
    fmt::print("lost: {}; its results are there, and count where a later run has the same blocks\n", what);
  for (const std::string& what : saved.made_anew) fmt::print("made anew: {}\n", what);
  if (saved.lost.empty() && saved.given_up.empty()) fmt::print("nothing is lost\n");
}

/// Saves what is whole of a damaged folder into one of the same name in the folder `out`.
int salvage(const CollectArguments& arguments) {
  const std::filesystem::path& folder = arguments.folder;
  expect_journal(folder, "--salvage saves what is whole of");
  expect_place_of_folder("-o", arguments.out);
  const std::filesystem::path target = arguments.out / without_slash(folder).filename();
  std::optional<Job> job;
  std::optional<results::GivenSweep> given;
  if (!arguments.sweep.sweep_file.empty()) {
    job = read_job(arguments.sweep);
    given.emplace(results::GivenSweep{job->sweep, job->plan});
  }
  const results::Salvaged saved = results::salvage(folder, target, given ? &*given : nullptr);
  fmt::print("{}: {} records are whole, {} of them results; saved to {}\n", clean(saved.name), saved.records,
             saved.blocks, clean(target.string()));
  print_losses(saved);
  fmt::print("The same `regatta run` with --out {} measures the rest. To see what is there:\n  regatta collect {}\n",
             shell_path(arguments.out), shell_path(target));
  return exit_code::done;
}

}  // namespace

void add_collect(CommandLine& line) {
  auto arguments = std::make_shared<CollectArguments>();
  CLI::App* command =
      add_command(line, "collect", "Rebuild file and page from a journal, or salvage it", " results/NAME.regatta");
  add_run_folder(*command, arguments->folder);
  CLI::Option* salvages = command->add_flag("--salvage", arguments->salvage, "Save what is whole of a damaged journal");
  CLI::Option* out = command->add_option("-o,--output", arguments->out, "Folder that gets the new NAME.regatta");
  out->needs(salvages)->option_text("DIR");
  salvages->needs(out);
  salvages->option_text(" ");  // else CLI11 prints what it needs there
  CLI::Option* sweep =
      command->add_option("--sweep", arguments->sweep.sweep_file, "The sweep that was run, if its plan is lost");
  sweep->needs(salvages)->option_text("FILE");
  add_sweep_options(*command, arguments->sweep);
  for (const char* option : {"--set", "--only", "--environments"}) command->get_option(option)->needs(sweep);
  command->get_option("--environments")->option_text("FILE");
  command->footer(
      "--salvage is for a folder of which `regatta run` or `collect` says that it is\n"
      "damaged. It is only read. Each record that is lost is named, and its trials\n"
      "where that can be told; they are measured again by the same run with --out DIR.\n"
      "Headers and plans are made anew from their copies in the journal, or from the\n"
      "sweep that was run: give it with the --set and --only of the run.\n\n"
      "Examples\n"
      "  regatta collect results/NAME.regatta\n"
      "  regatta collect results/NAME.regatta --salvage -o saved\n"
      "  regatta run SWEEP --out saved");
  command->callback([&line, arguments] {
    line.chosen = [arguments] { return arguments->salvage ? salvage(*arguments) : collect(arguments->folder); };
  });
}

}  // namespace regatta::launcher

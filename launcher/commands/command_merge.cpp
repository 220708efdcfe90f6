#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "regatta/analysis/findings.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/report/export.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/merge.hpp"

namespace regatta::launcher {
namespace {

struct MergeArguments {
  std::vector<std::filesystem::path> files;
  std::filesystem::path out;
};

void refuse_one_file_twice(const MergeArguments& arguments) {
  for (auto file = arguments.files.begin(); file != arguments.files.end(); ++file) {
    if (std::find(arguments.files.begin(), file, *file) == file) continue;
    throw InputError(fmt::format("merge: '{}' is named twice; name each file once", file->string()));
  }
  if (arguments.files.size() < 2)
    throw InputError(fmt::format("merge: one file, '{}', has nothing to be merged with; name two or more",
                                 arguments.files.front().string()));
}

void print(const results::Merged& merged, const std::filesystem::path& out) {
  fmt::print("{}: {} trials of {} files, {}\n", clean(out.string()), merged.results.trials.size(), merged.from.size(),
             merged.results.complete ? "complete" : "some without a result");
  for (const results::MergedFrom& from : merged.from) {
    fmt::print("  {:5} from {}", from.trials, clean(from.file));
    if (from.repeated > 0) fmt::print(", {} that an earlier file holds too", from.repeated);
    if (from.open > 0) fmt::print(", {} without a result, which another file has", from.open);
    fmt::print("\n");
  }
}

int merge(const MergeArguments& arguments) {
  refuse_one_file_twice(arguments);
  expect_place_of_file("-o", arguments.out, {});  // the merged file holds the rows of an input that it replaces
  std::vector<results::MergeInput> inputs;
  for (const std::filesystem::path& file : arguments.files)
    inputs.push_back({file.string(), results::read_results(file)});
  results::Merged merged = results::merge(inputs);
  inputs.clear();  // both at once may be large
  const analysis::Findings findings = analysis::findings_of(merged.results);
  merged.results.contrasts = report::contrast_rows(merged.results, findings.contrasts);
  analysis::write_explanations(merged.results, findings.explanations);
  results::write_results(arguments.out, merged.results);
  print(merged, arguments.out);
  return 0;
}

}  // namespace

void add_merge(CommandLine& line) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command =
      add_command(line, "merge", "Several result files of one sweep as one file", " -o all.h5 a/NAME.h5 b/NAME.h5");
  command->add_option("FILE", arguments->files, "Results to merge: two or more NAME.h5")
      ->required()
      ->option_text("...");
  command->add_option("-o,--output", arguments->out, "The merged file")->required()->option_text("FILE");
  command->footer(
      "For parts of a sweep that ran on several hosts. Each trial stands once in the\n"
      "merged file: a row without a result gives way to one with. A trial with\n"
      "different results in two files is an error: nothing is written then, and\n"
      "`regatta compare` tells the two apart. The file says what came from where\n"
      "(/trials source_id, docs/reference/results.md).\n\n"
      "Example\n"
      "  regatta merge -o all.h5 host-a/NAME.h5 host-b/NAME.h5");
  command->callback([&line, arguments] { line.chosen = [arguments] { return merge(*arguments); }; });
}

}  // namespace regatta::launcher

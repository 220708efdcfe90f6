#include <fmt/format.h>

#include <algorithm>

#include "commands/commands.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/analysis/findings.hpp"
#include "regatta/base/error.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/merge.hpp"

namespace regatta::launcher {
namespace {

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
  fmt::print("{}: {} trials of {} files, {}\n", out.string(), merged.results.trials.size(), merged.from.size(),
             merged.results.complete ? "complete" : "some without a result");
  for (const results::MergedFrom& from : merged.from) {
    fmt::print("  {:5} from {}", from.trials, from.file);
    if (from.repeated > 0) fmt::print(", {} that an earlier file holds too", from.repeated);
    if (from.open > 0) fmt::print(", {} without a result, which another file has", from.open);
    fmt::print("\n");
  }
}

}  // namespace

int merge(const MergeArguments& arguments) {
  refuse_one_file_twice(arguments);
  std::vector<results::MergeInput> inputs;
  for (const std::filesystem::path& file : arguments.files)
    inputs.push_back({file.string(), results::read_results(file)});
  results::Merged merged = results::merge(inputs);
  inputs.clear();  // both at once may be large
  const analysis::Findings findings = analysis::findings_of(merged.results);
  merged.results.contrasts = analysis::contrast_rows(findings.contrasts);
  analysis::write_explanations(merged.results, findings.explanations);
  results::write_results(arguments.out, merged.results);
  print(merged, arguments.out);
  return 0;
}

}  // namespace regatta::launcher

#include <fmt/format.h>

#include "commands.hpp"
#include "finish.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/file.hpp"

namespace regatta::launcher {

int report(const std::filesystem::path& file, const std::optional<std::filesystem::path>& html, bool json) {
  const results::Results results = results::read_results(file);
  const analysis::Contrasts contrasts = analysis::contrasts(results);
  if (html) write_file_atomically(*html, report::html(results, contrasts));
  if (json) {
    fmt::print("{}", report::json(results, contrasts));
  } else {
    print_report(results, beside(file, ".regatta"));
  }
  return 0;
}

int collect(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "journal")) {
    throw InputError(
        fmt::format("'{}' holds no journal (collect rebuilds results from a folder NAME.regatta); name that folder",
                    folder.string()));
  }
  const results::Results results = write_outputs(folder);
  print_report(results, folder);
  return exit_code_for(results);
}

}  // namespace regatta::launcher

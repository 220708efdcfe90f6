// From the journal to what people see: result file, page, report, exit code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "regatta/analysis/findings.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::launcher {

/// Removes half-written files of killed processes, in NAME.regatta and beside it. Only for who holds its lock.
void remove_temporaries(const std::filesystem::path& folder);

/// Results and what was found in them, once for all that is written and printed.
struct Outputs {
  results::Results results;
  analysis::Findings findings;
};

/// Rebuilds the result file and the page beside `folder` (NAME.regatta), whose results these are. `journal` (null: not
/// known) is what they were collected from: files that were written from it already stay as they are.
Outputs write_outputs(const std::filesystem::path& folder, results::Results results,
                      const results::Scan* journal = nullptr);

/// The options of the locale and of the terminal that stdout is, if it is one.
report::TerminalOptions terminal_options();

/// Columns of the terminal that stderr is, if a bar can be drawn on it; else 0.
int bar_columns();

/// How much of a report is printed.
enum class Depth : std::uint8_t {
  answer,  ///< the fastest arms, by how much, how sure and why
  details  ///< all tables and checks beside it
};

/// The report on stdout, where the files are, and what to do next.
void print_report(const Outputs& outputs, const std::filesystem::path& folder, Depth depth = Depth::answer);

/// The last line for programs that watch a run (docs/reference/progress.md).
std::string end_event(const Outputs& outputs, const std::filesystem::path& folder, int exit_code);

/// The same of a run that was asked to stop: nothing was judged or written.
std::string stop_event(const results::Results& results);

/// The line in place of the report when a run was asked to stop.
std::string stopped_line(const results::Results& results);

/// 0 all done, 1 some trials failed, 2 a training of which nothing could be trained, 75 work left.
int exit_code_for(const results::Results& results);

/// "results/quickstart.h5" for "results/quickstart.regatta".
std::filesystem::path beside(const std::filesystem::path& folder, const std::string& extension);

}  // namespace regatta::launcher

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "commands/run_folder.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/report/export.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/query.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 18;

/// Gathers what is written in small pieces.
class Gatherer {
 public:
  explicit Gatherer(report::Sink sink) : sink_(std::move(sink)) {}
  void take(std::string_view bytes) {
    held_ += bytes;
    if (held_.size() >= piece_bytes) flush();
  }
  void flush() {
    sink_(held_);
    held_.clear();
  }

 private:
  report::Sink sink_;
  std::string held_;
};

void to_stdout(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0) return;
  throw StorageError(errno_text("cannot write to standard output (what is there is cut short)", errno));
}

void write_format(const ExportArguments& arguments, const results::Results& results, const report::Sink& sink) {
  if (arguments.format == "trace") return report::write_trace(results, sink);
  const results::Table table =
      select(results::make_table(results, arguments.table), {arguments.conditions, arguments.columns, ""});
  if (arguments.format == "csv")
    report::write_csv(table, sink);
  else
    report::write_jsonl(table, sink);
}

void refuse_choices_of_a_trace(const ExportArguments& arguments) {
  if (arguments.conditions.empty() && arguments.columns.empty() && arguments.table == "trials") return;
  throw InputError(
      "export: a trace shows all blocks and slices (part of a timeline would look idle where it was not); leave out "
      "--table, --columns and conditions, or choose another --format");
}

}  // namespace

int export_results(const ExportArguments& arguments) {
  if (arguments.format == "trace") refuse_choices_of_a_trace(arguments);
  if (arguments.format == "tensorboard" && arguments.out.empty())
    throw InputError("export: --format tensorboard writes a folder of event files; name it with -o FOLDER");
  expect_results(arguments.file);
  warn_if_outdated(arguments.file);
  results::Results results = results::read_results(arguments.file);
  if (arguments.table == "contrasts") results.contrasts = analysis::contrast_rows(analysis::contrasts(results));
  if (arguments.format == "tensorboard") {
    const std::size_t runs = report::write_tensorboard(results, arguments.out);
    log::info(fmt::format("wrote {} runs; look at them with `tensorboard --logdir {}`", runs, arguments.out.string()));
    return 0;
  }
  tell_other_tables(results, arguments.format == "trace" ? "trace" : arguments.table);
  const auto produce = [&](const report::Sink& sink) {
    Gatherer gatherer(sink);
    write_format(arguments, results, [&](std::string_view bytes) { gatherer.take(bytes); });
    gatherer.flush();
  };
  if (arguments.out.empty()) {
    produce(to_stdout);
  } else {
    write_file_atomically(arguments.out, produce, Readers::by_umask);
    log::info(fmt::format("wrote {}", arguments.out.string()));
  }
  return 0;
}

}  // namespace regatta::launcher

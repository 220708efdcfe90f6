#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/report/export.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/query.hpp"
#include "regatta/results/table.hpp"
#include "regatta/results/told_results.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

struct QueryArguments {
  std::filesystem::path file;
  std::vector<std::string> conditions;  ///< results::Query
  std::vector<std::string> columns;     ///< empty: for people id, what varies and the numbers, else all
  std::string sort;
  std::string table = "trials";  ///< one of results::table_names()
  std::string format;            ///< "csv", "jsonl", "trace", "tensorboard", "weights"; empty: for people
  bool json = false;
  std::optional<std::filesystem::path> out;  ///< nothing: standard output
};

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

/// The axes whose levels repeat a comparison.
std::vector<sweep::Param> replicate_axes(const analysis::Contrasts& contrasts) {
  std::vector<sweep::Param> axes;
  for (const analysis::Contrast& contrast : contrasts.contrasts)
    axes.insert(axes.end(), contrast.replicate_axes.begin(), contrast.replicate_axes.end());
  return axes;
}

bool varies(const results::Results& results, sweep::Param param) {
  return std::ranges::any_of(results.trials, [&](const results::TrialRow& row) {
    return row.parameters[param] != results.trials.front().parameters[param];
  });
}

/// The columns that a person wants first: id, axes that vary, and numbers. `replicates`: axes that the rows are over.
std::vector<std::string> usual_columns(const results::Results& results, const std::string& table,
                                       const std::vector<sweep::Param>& replicates) {
  std::vector<std::string> columns = {"trial_hash"};
  analysis::Axes axes = analysis::axes_of(results);
  if (table == "trials") {
    for (auto* params : {&axes.arm, &axes.stratum})
      std::erase_if(*params, [&](const sweep::Param& param) { return !varies(results, param); });
  }
  const auto add = [&](const std::vector<sweep::Param>& params, const std::string& prefix) {
    for (const sweep::Param param : params) columns.push_back(prefix + std::string(sweep::name_of(param)));
  };
  add(axes.arm, "");
  std::vector<sweep::Param> settings = axes.stratum;
  std::erase_if(settings, [&](const sweep::Param& param) { return std::ranges::count(replicates, param) > 0; });
  add(settings, "");
  if (table == "trials" && !results.legs.empty()) {
    columns.emplace_back("status");
    std::set<std::string> learned;
    for (const results::TrialRow& row : results.trials) {
      for (const auto& [name, value] : row.metrics) learned.insert(name);
    }
    columns.insert(columns.end(), learned.begin(), learned.end());
  } else if (table == "contrasts") {
    add(axes.arm, "baseline_");
    const auto is_difference = [](const results::ContrastRow& row) { return std::isfinite(row.difference); };
    const bool has_differences = std::ranges::any_of(results.contrasts, is_difference);
    const bool has_ratios = !std::ranges::all_of(results.contrasts, is_difference) || results.contrasts.empty();
    columns.emplace_back("verdict");
    if (has_ratios) columns.emplace_back("ratio");
    if (has_differences) columns.emplace_back("difference");
    columns.insert(columns.end(), {"low", "high"});
    if (!replicates.empty()) columns.emplace_back("replicates");
  } else {
    columns.emplace_back("status");
    for (const auto& [name, unit] : results::result_units(results.trials)) columns.push_back(name);
    columns.insert(columns.end(), {"step_time", "samples_per_second", "verified"});
  }
  return columns;
}

/// The file's results, with the comparisons that it does not hold.
struct Asked {
  results::Results results;
  std::vector<sweep::Param> replicates;  ///< axes whose levels repeat a comparison
};

Asked read_asked(const QueryArguments& arguments) {
  expect_results(arguments.file);
  warn_if_outdated(arguments.file);
  Asked asked{results::read_results(arguments.file), {}};
  if (arguments.table != "contrasts") return asked;
  const analysis::Contrasts contrasts = analysis::contrasts(asked.results);
  asked.results.contrasts = report::contrast_rows(asked.results, contrasts);
  asked.replicates = replicate_axes(contrasts);
  return asked;
}

int show(const QueryArguments& arguments) {
  const auto [results, replicates] = read_asked(arguments);
  const bool has_usual_columns = arguments.table == "trials" || arguments.table == "contrasts";
  const bool as_wanted = arguments.json || !arguments.columns.empty();
  const results::Table table =
      select(results::make_table(results, arguments.table),
             {arguments.conditions,
              as_wanted || !has_usual_columns ? arguments.columns : usual_columns(results, arguments.table, replicates),
              arguments.sort});
  if (arguments.json) {
    fmt::print("{}", report::json_table(table));
  } else {
    report::TerminalOptions options = terminal_options();
    options.most_rows = std::numeric_limits<int>::max();
    if (as_wanted) options.columns = std::numeric_limits<int>::max();  // a user who names columns wants to see them
    fmt::print("{}", report::terminal_table(table, options));
  }
  if (table.rows.empty() && !tell_other_tables(results, arguments.table)) log::info("no row fits the conditions");
  return exit_code::done;
}

void write_format(const QueryArguments& arguments, const results::Results& results, const report::Sink& sink) {
  if (arguments.format == "trace") return report::write_trace(results, sink);
  const results::Table table =
      select(results::make_table(results, arguments.table), {arguments.conditions, arguments.columns, arguments.sort});
  if (arguments.format == "csv")
    report::write_csv(table, sink);
  else
    report::write_jsonl(table, sink);
}

/// A trace and TensorBoard's files show all there is.
void refuse_choices(const QueryArguments& arguments) {
  const bool chooses = !arguments.conditions.empty() || !arguments.columns.empty() || !arguments.sort.empty() ||
                       arguments.table != "trials";
  if (arguments.format == "trace" && chooses)
    throw InputError(
        "query: a trace shows all blocks and slices, because part of a timeline would look idle where it was not. "
        "Leave out --table, --columns, --sort and conditions, or choose another --format");
  if (arguments.format == "tensorboard" && chooses)
    throw InputError(
        "query: TensorBoard's files hold all curves; leave out --table, --columns, --sort and conditions, or choose "
        "another --format");
  if (arguments.format == "tensorboard" && !arguments.out)
    throw InputError("query: --format tensorboard writes a folder of event files; name it with -o FOLDER");
  const bool names_table = arguments.table != "trials" && arguments.table != "legs";
  if (arguments.format == "weights" && (names_table || !arguments.columns.empty()))
    throw InputError("query: weights are those of rows of the table legs; leave out --table and --columns");
  if (arguments.format == "weights" && !arguments.out)
    throw InputError("query: --format weights writes a folder of safetensors files; name it with -o FOLDER");
  if (arguments.format.empty() && arguments.out)
    throw InputError("query: -o writes what --format names; say which: --format csv");
}

/// Without conditions the runs that the answer rests on: those of a search are as many, and none is trained to its end.
int write_weights(const QueryArguments& arguments, const results::Results& results) {
  std::vector<std::string> conditions = arguments.conditions;
  if (conditions.empty()) conditions.emplace_back("purpose=plain,fresh");
  const results::Table legs = select(results::make_table(results, "legs"), {conditions, {}, arguments.sort});
  const std::size_t written = write_kept_weights(
      results, legs.rows, run_folder(arguments.file, "query --format weights reads"), *arguments.out);
  log::info(fmt::format("wrote the best weights of {} to {}", counted(written, "run"), arguments.out->string()));
  return exit_code::done;
}

int write_out(const QueryArguments& arguments) {
  const results::Results results = read_asked(arguments).results;
  if (arguments.format == "weights") return write_weights(arguments, results);
  if (arguments.format == "tensorboard") {
    const std::size_t runs = report::write_tensorboard(results, *arguments.out);
    log::info(
        fmt::format("wrote {} runs; look at them with `tensorboard --logdir {}`", runs, shell_path(*arguments.out)));
    return exit_code::done;
  }
  tell_other_tables(results, arguments.format == "trace" ? "trace" : arguments.table);
  const auto produce = [&](const report::Sink& sink) {
    Gatherer gatherer(sink);
    write_format(arguments, results, [&](std::string_view bytes) { gatherer.take(bytes); });
    gatherer.flush();
  };
  if (!arguments.out) {
    produce(to_stdout);
  } else {
    write_result(*arguments.out, produce);
    log::info(fmt::format("wrote {}", arguments.out->string()));
  }
  return exit_code::done;
}

void expect_place(const QueryArguments& arguments) {
  if (!arguments.out) return;
  if (arguments.format == "tensorboard" || arguments.format == "weights")
    expect_place_of_folder("-o", *arguments.out);
  else
    expect_place_of_file("-o", *arguments.out, {arguments.file});
}

int query(const QueryArguments& arguments) {
  refuse_choices(arguments);
  expect_place(arguments);
  return arguments.format.empty() ? show(arguments) : write_out(arguments);
}

constexpr const char* footer =
    "A condition is COLUMN=VALUE (or VALUE,VALUE: one of them), COLUMN!=VALUE,\n"
    "or with <, <=, > or >= in quotes: 'step_time<5ms', 'batch>=64'. All must hold.\n"
    "COLUMN=null: not read by the engine, or not measured.\n\n"
    "Examples\n"
    "  regatta query results/NAME.h5 engine=native --sort step_time\n"
    "  regatta query results/NAME.h5 status!=finished --columns trial_hash,reason\n"
    "  regatta query results/NAME.h5 --table contrasts verdict=slower --json\n"
    "  regatta query results/NAME.h5 --format csv > trials.csv\n"
    "  regatta query results/NAME.h5 --format jsonl --table samples -o s.jsonl\n"
    "  regatta query results/NAME.h5 --format trace -o trace.json\n"
    "  regatta query results/NAME.h5 --format weights trial_hash=ID -o weights\n"
    "docs/reference/results.md lists the columns of /trials and /contrasts. Leave out\n"
    "f_ and m_, or write the file's own names (m_step_time, f_batch, error_text).\n"
    "The id (trial_hash) is what `regatta repro` takes.\n"
    "A trace shows which slot ran which block and slice when; open it at\n"
    "https://ui.perfetto.dev (nothing is uploaded) or chrome://tracing.";

}  // namespace

void add_query(CommandLine& line) {
  auto arguments = std::make_shared<QueryArguments>();
  CLI::App* command =
      add_command(line, "query", "Rows of a result file, for people or as CSV, a trace", " results/NAME.h5");
  add_result_file(*command, arguments->file);
  command->add_option("CONDITION", arguments->conditions, "Only rows with COLUMN=VALUE (below)")->option_text("...");
  command->add_option("--table", arguments->table, "trials (default), contrasts, samples, legs, curves")
      ->check(CLI::IsMember(results::table_names()))
      ->option_text("NAME");
  command->add_option("--columns", arguments->columns, "These columns, in this order")
      ->expected(1)
      ->allow_extra_args(false)  // the next argument is a condition
      ->take_all()
      ->delimiter(',')
      ->option_text("A,B");
  command->add_option("--sort", arguments->sort, "By this column; -COLUMN: largest first")->option_text("COLUMN");
  CLI::Option* json = add_json_flag(*command, arguments->json);
  command->add_option("--format", arguments->format, "For other programs")
      ->check(CLI::IsMember({"csv", "jsonl", "trace", "tensorboard", "weights"}))
      ->excludes(json)
      ->option_text("csv|jsonl|trace|tensorboard|weights");
  json->option_text(" ");  // else CLI11 prints what it excludes there
  auto out = std::make_shared<std::string>();
  const CLI::Option* names_out =
      command->add_option("-o,--output", *out, "Write to this file (default: stdout)")->option_text("FILE");
  command->footer(footer);
  command->callback([&line, arguments, out, names_out] {
    if (names_out->count() > 0) arguments->out = *out;  // an empty name is one, too, and is refused
    line.chosen = [arguments] { return query(*arguments); };
  });
}

}  // namespace regatta::launcher

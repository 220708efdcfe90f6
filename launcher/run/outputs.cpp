#include "run/outputs.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "ranks/rank.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/report/export.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/test_openings.hpp"
#include "run/outputs_note.hpp"

namespace regatta::launcher {
namespace {

template <class Kind>
std::ptrdiff_t count(const results::Results& results) {
  return std::ranges::count_if(results.trials,
                               [](const results::TrialRow& row) { return std::holds_alternative<Kind>(row.outcome); });
}

/// https://no-color.org: any text in NO_COLOR means none.
bool wants_colour() {
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (refused == nullptr || *refused == '\0') && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

/// Whether the locale's name says UTF-8. The first variable that is set counts, in the order of POSIX.
bool speaks_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);
    std::erase(locale, '-');
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return std::tolower(c); });
    return locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::string end_line(const results::Results& results, int exit_code, const nlohmann::ordered_json& outputs) {
  nlohmann::ordered_json event = {{"event", "end"},
                                  {"exit_code", exit_code},
                                  {"finished", count<sweep::Finished>(results)},
                                  {"failed", count<sweep::Failed>(results)},
                                  {"skipped", count<sweep::Skipped>(results)},
                                  {"open", count<sweep::Lost>(results)}};
  event.update(outputs);
  event["time"] = wall_seconds();
  return escaped_json(event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void remove_matching(const std::filesystem::path& folder, const std::string& prefix) {
  std::error_code ignored;  // a folder that is not there holds nothing
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".tmp")) std::filesystem::remove(entry.path(), ignored);
  }
}

bool has_files(const std::filesystem::path& folder) {
  std::error_code none;
  return std::filesystem::directory_iterator(folder, none) != std::filesystem::directory_iterator();
}

/// The width that COLUMNS asks for where no terminal says how wide it is.
std::optional<int> asked_columns() {
  constexpr int fewest = 40, most = 1000;
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return std::nullopt;
  int columns = 0;
  const std::string_view digits(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size();
  return is_number && columns >= fewest && columns <= most ? std::optional(columns) : std::nullopt;
}

}  // namespace

report::TerminalOptions terminal_options() {
  report::TerminalOptions options;
  options.utf8 = speaks_utf8();
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0) {
    options.columns = asked_columns().value_or(options.columns);
    return options;
  }
  options.colour = wants_colour() && !started_as_rank();  // mpirun makes a terminal, whatever its own output is
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) options.columns = size.ws_col;
  return options;
}

int bar_columns() {
  const char* terminal = std::getenv("TERM");
  if (::isatty(STDERR_FILENO) == 0 || (terminal != nullptr && std::string_view(terminal) == "dumb")) return 0;
  constexpr int usual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

void remove_temporaries(const std::filesystem::path& folder) {
  remove_matching(folder / "inputs", "");
  remove_matching(folder / "checkpoints", "");
  std::error_code ignored;
  remove_tree(folder / "work", ignored);
  remove_matching(folder, "outputs.");
  remove_matching(folder.parent_path(), beside(folder, ".html").filename().string() + ".");
  results::remove_stale_temporaries(folder.parent_path(), beside(folder, ".h5").filename().string());
}

std::filesystem::path beside(const std::filesystem::path& folder, const std::string& extension) {
  return folder.parent_path() / (folder.stem().string() + extension);
}

Outputs write_outputs(const std::filesystem::path& folder, results::Results results, const results::Scan* journal) {
  Outputs outputs{std::move(results), {}};
  if (!outputs.results.legs.empty()) outputs.results.openings = results::test_openings(folder);
  outputs.findings = analysis::findings_of(outputs.results);
  outputs.results.contrasts = report::contrast_rows(outputs.results, outputs.findings.contrasts);
  analysis::write_explanations(outputs.results, outputs.findings.explanations);
  std::optional<OutputsNote> note;  // how often the test part of a training was opened, other journals tell too
  const std::filesystem::path file = beside(folder, ".h5");
  const std::filesystem::path page = beside(folder, ".html");
  if (journal != nullptr && outputs.results.legs.empty())
    note.emplace(folder, *journal, OutputsNote::Files{file, page});
  if (note && note->holds()) {
    log::info(fmt::format("{} and {} are up to date: they were written from this very journal", page.string(),
                          file.string()));
    return outputs;
  }
  std::future<std::string> html =
      std::async(std::launch::async, [&] { return report::html(outputs.results, outputs.findings); });
  results::write_results(file, outputs.results);
  write_result(page, html.get());
  if (note) note->keep();
  return outputs;
}

void print_report(const Outputs& outputs, const std::filesystem::path& folder, Depth depth) {
  report::TerminalOptions options = terminal_options();
  options.details = depth == Depth::details;
  fmt::print("{}", report::terminal(outputs.results, outputs.findings, options));
  const std::filesystem::path results = beside(folder, ".h5");
  const std::string file = clean(results.string());  // a name may hold what must not reach a terminal
  const std::string page = clean(beside(folder, ".html").string());
  const auto columns = static_cast<std::size_t>(options.columns);
  const std::string both = fmt::format("Report  {}    Data  {}", page, file);
  fmt::print("\n{}\n", both.size() <= columns ? both : fmt::format("Report  {}\nData    {}", page, file));
  const bool asks_for_logs = depth == Depth::details || count<sweep::Failed>(outputs.results) > 0;
  if (asks_for_logs && has_files(folder / "logs")) fmt::print("Logs    {}\n", clean((folder / "logs").string()));
  const auto keeps_weights = [](const results::LegRow& leg) { return !leg.learned.checkpoint.empty(); };
  if (std::ranges::any_of(outputs.results.legs, keeps_weights))
    fmt::print("Weights regatta query {} --format weights -o weights\n", shell_path(results));
  if (depth == Depth::answer) fmt::print("More    regatta report {} --details\n", shell_path(results));
  const char* word = "Next";
  for (const report::NextStep& step : report::next_steps(outputs.results, outputs.findings)) {
    const std::string line = fmt::format("{:<8}{}", word, clean(step.command));
    const bool fits = line.size() + step.purpose.size() + 4 <= columns;
    fmt::print("{}{}({})\n", line, fits ? "  " : "\n        ", step.purpose);
    word = "";
  }
  std::fflush(stdout);
}

std::string end_event(const Outputs& outputs, const std::filesystem::path& folder, int exit_code) {
  const results::Results& results = outputs.results;
  const auto& contrasts = outputs.findings.contrasts.contrasts;
  const auto undecided = std::ranges::count_if(
      contrasts, [](const auto& contrast) { return contrast.verdict == stats::Verdict::undecided; });
  return end_line(results, exit_code,
                  {{"contrasts", contrasts.size()},
                   {"undecided", undecided},
                   {"results", beside(folder, ".h5").string()},
                   {"page", beside(folder, ".html").string()}});
}

std::string stop_event(const results::Results& results) {
  return end_line(results, exit_code::work_left,
                  {{"contrasts", nullptr}, {"undecided", nullptr}, {"results", nullptr}, {"page", nullptr}});
}

std::string stopped_line(const results::Results& results) {
  return fmt::format(
      "{}: stopped with work left; {} trials: {} finished, {} failed, {} skipped, {} open; run the same "
      "command again to go on",
      results.name, results.trials.size(), count<sweep::Finished>(results), count<sweep::Failed>(results),
      count<sweep::Skipped>(results), count<sweep::Lost>(results));
}

namespace {

bool has_trained(const results::Results& results) {
  return std::ranges::any_of(
      results.legs, [](const results::LegRow& leg) { return std::holds_alternative<sweep::Finished>(leg.outcome); });
}

}  // namespace

int exit_code_for(const results::Results& results) {
  if (const auto open = count<sweep::Lost>(results); open > 0) {
    log::warn(fmt::format("{} no result yet; run the same command again to go on",
                          open == 1 ? "1 trial has" : fmt::format("{} trials have", open)));
    return exit_code::work_left;
  }
  const auto open = std::ranges::count_if(
      results.interventions, [](const auto& row) { return std::holds_alternative<sweep::Lost>(row.outcome); });
  if (open > 0) {
    log::warn(fmt::format("{} interventions are not measured yet; run the same command again to go on", open));
    return exit_code::work_left;
  }
  if (count<sweep::Failed>(results) > 0) return exit_code::some_failed;
  if (results.legs.empty() || has_trained(results)) return exit_code::done;
  log::error("nothing was trained: each configuration was skipped; correct what the report names, then run again");
  return exit_code::bad_input;
}

}  // namespace regatta::launcher

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>

#include "commands/commands.hpp"
#include "commands/run_folder.hpp"
#include "commands/trial_counts.hpp"
#include "commands/why_waiting.hpp"
#include "job/legs_due.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/report/orchestration.hpp"
#include "regatta/report/text.hpp"
#include "regatta/report/training_so_far.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

constexpr unsigned follow_interval_microseconds = 1'000'000;
constexpr std::size_t most_curves = 5;

struct Status {
  std::string text;
  std::string news;   ///< what of it is worth another line where lines stand below one another: not each second's time
  bool over = false;  ///< nothing is open, and no leg is due
};

void add_training(Status& status, const results::Results& results, TrialCounts& counts, bool json) {
  const analysis::Findings findings = analysis::findings_of(results);
  if (!findings.learning) return;
  const analysis::TrainingSoFar so_far = analysis::training_so_far(results, *findings.learning, most_curves);
  status.over = status.over && so_far.legs_due == 0;
  if (json)
    counts.training = report::training_so_far_json(results, findings, so_far);
  else
    status.text = report::training_so_far(results, findings, so_far, terminal_options());
}

/// A training's screen has no room for it.
std::string orchestration_lines(const std::vector<results::SessionRow>& sessions) {
  const std::string sentence = report::orchestration_text(sessions);
  std::string lines;
  if (!sentence.empty())
    report::paragraph(lines, "Orchestration: " + sentence, static_cast<std::size_t>(terminal_options().columns), 0);
  return lines;
}

/// "now: native batch 1, numpy batch 1", a line; empty if nothing runs.
std::string now_line(const results::OpenWork& work, const Activity& activity) {
  constexpr std::size_t most_named = 4;
  const std::set<TrialIndex> running = running_trials(work, activity);
  if (running.empty()) return {};
  const analysis::Axes axes = analysis::axes_of(work.results);
  std::string line = "now: ";
  std::size_t named = 0;
  for (const TrialIndex trial : running) {
    if (named == most_named) return line + fmt::format(" and {} more\n", running.size() - named);
    line += (named++ == 0 ? "" : ", ") + analysis::trial_label(work.results.trials[trial.value].parameters, axes);
  }
  return clean(line) + "\n";
}

/// What who follows sees below the counts: this session alone, and its end once.
void add_session(Status& status, const results::OpenWork& work, const TrialCounts& counts, const Activity& activity) {
  const std::string now = now_line(work, activity);
  if (activity.running && counts.open > 0) {
    status.text = now + pace_text(counts) + '\n';
    status.news += now;
  } else if (activity.running || counts.open == 0) {
    status.text = now + orchestration_lines(counts.sessions);
    status.news += now + (status.over ? "over" : "");
  } else {
    status.text = status.news = run_state(work, activity) + '\n';
  }
}

Status status_of(const std::filesystem::path& named, bool json, bool follow) {
  const std::filesystem::path folder = run_folder(named, "status reads");
  const Activity activity = activity_of(folder);
  results::OpenWork work = results::open_work(folder);
  keep_due(work);
  TrialCounts counts = count_trials(work, activity, wall_seconds());
  Status status{.text = {}, .news = to_text(counts), .over = counts.open == 0};
  if (work.sweep.training)
    add_training(status, work.results, counts, json);
  else if (!json && follow)
    add_session(status, work, counts, activity);
  else if (!json)
    status.text = now_line(work, activity) + (activity.running && counts.open > 0 ? pace_text(counts) + '\n' : "") +
                  orchestration_lines(counts.sessions);
  if (work.sweep.training) status.news = status.text;
  status.text = (json ? to_json(counts) : to_text(counts)) + '\n' + status.text;
  return status;
}

/// Rows of a terminal that these lines take: longer ones are broken.
std::size_t rows_of(std::string_view text, std::size_t columns) {
  std::size_t rows = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    rows += std::max<std::size_t>((report::width(text.substr(0, end)) + columns - 1) / columns, 1);
    text.remove_prefix(end + 1);
  }
  return rows;
}

/// Where the newest text takes the place of the one before.
bool moves() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

/// A terminal shows the newest one alone; elsewhere each stands below the one before.
void print_in_place(const std::string& text, const std::string& before) {
  const std::size_t rows = rows_of(before, static_cast<std::size_t>(terminal_options().columns));
  if (rows > 0 && moves()) fmt::print("\033[{}A\033[J", rows);
  fmt::print("{}", text);
  std::fflush(stdout);
}

}  // namespace

int status(const std::filesystem::path& folder, bool json, bool follow) {
  Status before;
  for (;;) {
    const Status now = status_of(folder, json, follow);
    const bool is_new = moves() ? now.text != before.text : now.news != before.news;
    if (json || is_new) print_in_place(now.text, json ? "" : before.text);  // what changed, for people
    if (!follow || now.over) return 0;
    before = now;
    ::usleep(follow_interval_microseconds);
  }
}

}  // namespace regatta::launcher

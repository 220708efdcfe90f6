#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "commands/trial_counts.hpp"
#include "commands/why_waiting.hpp"
#include "job/job.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/report/text.hpp"
#include "regatta/report/training_so_far.hpp"
#include "regatta/results/query.hpp"
#include "run/outputs.hpp"
#include "run/queued_job.hpp"

namespace regatta::launcher {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned follow_interval_microseconds = 1'000'000;
constexpr std::size_t most_curves = 5;

struct Status {
  std::string text;
  std::string news;   ///< the part of the text whose change is worth a new line; not the time, which always changes
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

/// "now: native batch 1, numpy batch 1", a line; empty if nothing runs.
std::string now_line(const results::OpenWork& work, const Activity& activity) {
  constexpr std::size_t most_named = 4;
  const std::set<TrialIndex> running = running_trials(work, activity);
  if (running.empty()) return {};
  const analysis::Axes axes = analysis::axes_of(work.results);
  std::string line = "now: ";
  std::size_t named = 0;
  for (const TrialIndex trial : running) {
    if (named == most_named) return clean(line) + fmt::format(" and {} more\n", running.size() - named);
    line += (named++ == 0 ? "" : ", ") + analysis::trial_label(work.results.trials[trial.value].parameters, axes);
  }
  return clean(line) + "\n";
}

/// Adds what `--follow` shows below the counts: the run that goes on now, and its end once.
void add_session(Status& status, const results::OpenWork& work, const TrialCounts& counts, const Activity& activity) {
  const std::string now = now_line(work, activity);
  if (activity.running && counts.open > 0) {
    status.text = now + pace_text(counts) + '\n';
    status.news += now;
  } else if (activity.running || counts.open == 0) {
    status.text = now;
    status.news += now + (status.over ? "over" : "");
  } else {
    status.text = status.news = run_state(work, activity) + '\n';
  }
}

/// Asks the queue of the batch system seldom, however often somebody asks this.
class Queue {
 public:
  /// The job that will work on this folder.
  const std::optional<QueuedJob>& job_for(const std::filesystem::path& folder) {
    constexpr double pause_seconds = 20;
    const double now = steady_seconds();
    if (now >= next_seconds_) {
      job_ = queued_job(folder);
      next_seconds_ = now + pause_seconds;
    }
    return job_;
  }

 private:
  std::optional<QueuedJob> job_;
  double next_seconds_ = 0;
};

/// The work that a run has still to do, and the process that works on it.
struct RunNow {
  Activity activity;
  results::OpenWork work;
};

RunNow read_run(const std::filesystem::path& named, Queue& queue) {
  const std::filesystem::path folder = run_folder(named, "status reads");
  RunNow now{activity_of(folder), results::open_work(folder)};
  keep_due(now.work);
  if (now.activity.running || now.work.blocks.empty()) return now;
  if (const auto& job = queue.job_for(folder)) now.activity.queued = to_text(*job);
  return now;
}

/// The folder of a run that has not begun: NAME.regatta, or what will lie beside NAME.h5 and NAME.html.
std::filesystem::path folder_to_be(std::filesystem::path named) {
  while (!named.has_filename() && named.has_relative_path()) named = named.parent_path();  // NAME.regatta/
  if (named.extension() == ".h5" || named.extension() == ".html") named.replace_extension(".regatta");
  return named;
}

/// A run without a journal, whose job waits. Nothing: there is a journal, or no such job.
std::optional<Status> status_in_queue(const std::filesystem::path& named, bool json, Queue& queue) {
  const std::filesystem::path folder = folder_to_be(named);
  std::error_code forbidden;
  if (std::filesystem::exists(folder / "journal", forbidden) || forbidden) return std::nullopt;
  const auto& job = queue.job_for(folder);
  if (!job) return std::nullopt;
  const std::string name = folder.stem().string();
  Status status;
  status.text = json ? Json{{"name", name}, {"queued", to_text(*job)}, {"job", job->id}}.dump() + '\n'
                     : clean(fmt::format("{}: nothing is recorded yet; {}", name, to_text(*job))) + '\n';
  status.news = status.text;
  return status;
}

/// "last session: job 4711 on n[1-2], partition main"; empty where the last one ran in no job.
std::string job_line(const std::vector<results::SessionRow>& sessions) {
  if (sessions.empty() || sessions.back().batch_job.id.empty()) return {};
  const results::BatchJob& job = sessions.back().batch_job;
  std::string line = fmt::format("last session: job {} on {}", job.id, job.nodes);
  if (!job.partition.empty()) line += ", partition " + job.partition;
  if (!job.account.empty()) line += ", account " + job.account;
  if (job.restarts > 0) line += fmt::format(", restarted {} time{}", job.restarts, job.restarts == 1 ? "" : "s");
  return clean(line) + '\n';
}

/// Empty where no job waits to go on.
std::string queue_line(const Activity& activity) { return activity.queued.empty() ? "" : activity.queued + '\n'; }

Status status_of(const std::filesystem::path& named, bool json, bool follow, Queue& queue) {
  if (auto waiting = status_in_queue(named, json, queue)) return *waiting;
  const auto [activity, work] = read_run(named, queue);
  TrialCounts counts = count_trials(work, activity, wall_seconds());
  Status status{.text = {}, .news = to_text(counts), .over = counts.open == 0};
  if (work.sweep.training)
    add_training(status, work.results, counts, json);
  else if (!json && follow)
    add_session(status, work, counts, activity);
  if (work.sweep.training) status.news = status.text;
  if (!json && !follow) status.text = job_line(counts.sessions) + queue_line(activity) + status.text;
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

int status(const std::filesystem::path& folder, bool json, bool follow) {
  Status before;
  Queue queue;
  for (;;) {
    const Status now = status_of(folder, json, follow, queue);
    const bool is_new = moves() ? now.text != before.text : now.news != before.news;
    if (json || is_new) print_in_place(now.text, json ? "" : before.text);  // people see changes only
    if (!follow || now.over) return exit_code::done;
    before = now;
    ::usleep(follow_interval_microseconds);
  }
}

constexpr std::size_t most_labels = 3;  // trials with one reason; --json lists all

/// Trials that wait for the same reason stand together.
void print_reasons(const results::OpenWork& work, const std::vector<WhyOpen>& open) {
  const analysis::Axes axes = analysis::axes_of(work.results);
  for (auto first = open.begin(); first != open.end();) {
    const auto end = std::find_if(first, open.end(), [&](const WhyOpen& each) { return each.reason != first->reason; });
    const auto count = static_cast<std::size_t>(end - first);
    print_wrapped(fmt::format("{}: {}", counted(count, "trial"), first->reason));
    for (auto each = first; each != end && each < first + most_labels; ++each) {
      const results::TrialRow& row = work.results.trials[each->trial.value];
      print_wrapped(fmt::format("{}  {}", to_string(row.hash).substr(0, 8), trial_label(row.parameters, axes)), 2);
    }
    if (count > most_labels) fmt::print("  and {} more\n", count - most_labels);
    first = end;
  }
}

void print_json(const results::OpenWork& work, const Activity& activity, const std::vector<WhyOpen>& open) {
  const analysis::Axes axes = analysis::axes_of(work.results);
  Json trials = Json::array();
  for (const WhyOpen& each : open) {
    const results::TrialRow& row = work.results.trials[each.trial.value];
    trials.push_back(
        {{"id", to_string(row.hash)}, {"label", trial_label(row.parameters, axes)}, {"reason", each.reason}});
  }
  const Json document = {
      {"name", work.results.name},         {"running", activity.running},        {"owner", activity.owner},
      {"queued", activity.queued},         {"ended_in_order", work.ended},       {"slots", work.slots},
      {"open_blocks", work.blocks.size()}, {"state", run_state(work, activity)}, {"trials", trials}};
  print_document(document);
}

/// Only this trial: also what became of it, if it has a result.
void keep_only(const results::OpenWork& work, TrialIndex wanted, std::vector<WhyOpen>& open) {
  std::erase_if(open, [&](const WhyOpen& each) { return each.trial != wanted; });
  const results::TrialRow& row = work.results.trials[wanted.value];
  if (open.empty()) open.push_back({wanted, "it does not wait; " + outcome_text(row.outcome)});
}

/// Prints why trials of a run have no result yet. `id`: the first digits of the only trial to explain; empty: all.
void print_why(const std::filesystem::path& named, const std::string& id, bool as_json) {
  Queue queue;
  if (!as_json && id.empty()) {
    if (const auto waiting = status_in_queue(named, false, queue)) return fmt::print("{}", waiting->text);
  }
  const auto [activity, work] = read_run(named, queue);
  std::vector<WhyOpen> open = why_open(work, activity);
  const std::size_t waiting = open.size();
  if (!id.empty()) keep_only(work, results::find_trial(work.results, id), open);
  if (as_json) return print_json(work, activity, open);
  fmt::print("{}: {} of {} trials {}.\n", work.results.name, waiting, work.results.trials.size(),
             work.sweep.training ? "are to be trained on" : "have no result yet");
  fmt::print("{}\n", run_state(work, activity));
  print_reasons(work, open);
  const auto explaining = std::ranges::count_if(work.blocks, &results::OpenBlock::explains);
  if (explaining > 0)
    fmt::print("{} that tell why a cell is slow, open; no trial waits for them.\n",
               counted(static_cast<std::size_t>(explaining), "block"));
}

struct StatusArguments {
  std::filesystem::path folder;
  std::string id;  ///< only this trial; empty: the run
  bool why = false;
  bool json = false;
  bool follow = false;
};

}  // namespace

void add_status(CommandLine& line) {
  auto arguments = std::make_shared<StatusArguments>();
  CLI::App* command =
      add_command(line, "status", "How far a run is, and why trials wait, from its journal", " results/NAME.regatta");
  add_run_folder(*command, arguments->folder);
  CLI::Option* id = command->add_option("ID", arguments->id, "Why this trial has no result (first digits of its id)");
  id->option_text(" ");
  CLI::Option* why = command->add_flag("--why", arguments->why, "Why trials have no result yet");
  add_json_flag(*command, arguments->json);
  command->add_flag("--follow", arguments->follow, "Every second, until nothing is open")
      ->excludes(why)
      ->excludes(id)
      ->option_text(" ");
  why->option_text(" ");  // else CLI11 prints what it excludes there
  command->footer(
      "--why tells what runs now, what waits behind how many blocks and what is tried\n"
      "again; after the end why work is left, and how to go on. Why a trial is slow is\n"
      "another question (docs/guide/why.md).");
  command->callback([&line, arguments] {
    line.chosen = [arguments] {
      if (!arguments->why && arguments->id.empty())
        return status(arguments->folder, arguments->json, arguments->follow);
      print_why(arguments->folder, arguments->id, arguments->json);
      return exit_code::done;
    };
  });
}

}  // namespace regatta::launcher

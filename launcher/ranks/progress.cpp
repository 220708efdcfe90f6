#include "ranks/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "job/foretold.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/log.hpp"
#include "regatta/sweep/plan.hpp"

namespace regatta::launcher {
namespace {

using Json = nlohmann::ordered_json;

constexpr double line_interval_seconds = 10;
constexpr double bar_interval_seconds = 0.2;
constexpr double event_interval_seconds = 1;
constexpr std::size_t bar_width = 20;

std::string time_text(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

/// Names come from a sweep file, and a terminal obeys what it is sent.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

/// Blocks that cost alike: the same engines in the same order, measured for the same purpose.
std::string kind_of(const Job& job, const sweep::Block& block) {
  std::string kind = block.is_intervention() ? "explains" : "compares";
  for (const TrialIndex arm : block.arms) {
    const auto* engine = std::get_if<std::string>(&job.plan.trials[arm.value].parameters[sweep::Param::engine]);
    kind += engine ? " " + *engine : " ?";
  }
  return kind;
}

/// The setting of a block: what its arms have in common and the sweep varies.
std::string setting_of(const Job& job, const sweep::Block& block) {
  std::vector<sweep::Param> shown;
  for (const auto& axis : job.sweep.axes) {
    const bool is_compared =
        job.sweep.compare && std::ranges::find(job.sweep.compare->over, axis.param) != job.sweep.compare->over.end();
    if (axis.levels.size() > 1 && !is_compared) shown.push_back(axis.param);
  }
  const std::string label = analysis::label(job.plan.trials[block.arms.front().value].parameters, shown);
  const std::string setting = label.empty() ? fmt::format("block {}", block.index.value) : label;
  return printable(block.is_intervention() ? "why: " + setting : setting);
}

void write_stderr(const std::string& text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

Json start_event(const Job& job, const Progress& progress) {
  const auto skipped = std::ranges::count_if(job.plan.trials, [](const auto& trial) { return !!trial.skip_reason; });
  return {{"event", "start"},      {"sweep", job.sweep.name},   {"trials", job.plan.trials.size()},
          {"skipped", skipped},    {"blocks", progress.blocks}, {"blocks_done", progress.blocks_done},
          {"time", wall_seconds()}};
}

Json done_event(const BlockNews& news) {
  return {{"event", "block_done"},
          {"block", news.block.value},
          {"agent", news.agent ? Json(news.agent->value) : Json(nullptr)},
          {"seconds", news.agent ? Json(news.seconds) : Json(nullptr)},
          {"failed", news.failed_arms},
          {"undecided", news.undecided},
          {"time", wall_seconds()}};
}

std::string line_of(const Json& event) { return event.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string bar_text(const ProgressText& text, std::size_t columns) {
  const Progress& progress = text.progress;
  const std::size_t filled = progress.blocks == 0 ? bar_width : bar_width * progress.blocks_done / progress.blocks;
  std::string bar = fmt::format("[{}{}] {}/{} blocks  {} failed  {} undecided  {}", std::string(filled, '#'),
                                std::string(bar_width - filled, '.'), progress.blocks_done, progress.blocks,
                                progress.failed_arms, progress.undecided, time_text(text.elapsed_seconds));
  if (text.left_seconds) bar += "  about " + time_text(*text.left_seconds) + " left";
  if (text.over_seconds >= 1) bar += "  " + time_text(text.over_seconds) + " over";
  if (!text.current.empty()) bar += "  " + text.current;
  return bar.substr(0, columns);
}

std::string line_text(const ProgressText& text) {
  const Progress& progress = text.progress;
  std::string line =
      fmt::format("{} of {} blocks done, {} failed, {} undecided, {}", progress.blocks_done, progress.blocks,
                  progress.failed_arms, progress.undecided, time_text(text.elapsed_seconds));
  if (text.left_seconds) line += ", about " + time_text(*text.left_seconds) + " left";
  if (!text.current.empty()) line += "; now " + text.current;
  if (text.over_seconds >= 1) line += ", " + time_text(text.over_seconds) + " over its estimate";
  return line;
}

ProgressPrinter::ProgressPrinter(const Job& job, const std::set<Hash128>& finished, const ProgressOptions& options)
    : job_(&job),
      options_(options),
      start_seconds_(steady_seconds()),
      next_text_seconds_(start_seconds_ + (options.bar_columns > 0 ? 0 : line_interval_seconds)) {
  if (!options.events.empty()) events_.emplace(options.events);
  for (const sweep::Block& block : job.plan.blocks) {
    if (finished.contains(block.hash)) continue;
    time_left_.add(kind_of(job, block), expected_seconds(job, block));
  }
}

void ProgressPrinter::show(const Progress& progress, const std::vector<BlockNews>& news) {
  const double now = steady_seconds();
  learn(news);
  if (events_ && !begun_) events_->write(line_of(start_event(*job_, progress)));
  begun_ = true;
  for (const BlockNews& each : news) {
    if (events_) events_->write(line_of(done_event(each)));
  }
  tell_started(progress, now);
  show_program(progress, now);
  show_person(progress, now);
}

void ProgressPrinter::learn(const std::vector<BlockNews>& news) {
  for (const BlockNews& each : news) {
    const auto seconds = each.agent ? std::optional(each.seconds) : std::nullopt;
    time_left_.done(kind_of(*job_, job_->plan.blocks[each.block.value]), seconds);
  }
}

void ProgressPrinter::tell_started(const Progress& progress, double now) {
  for (const auto& [agent, blocks] : progress.granted) {
    if (blocks.empty()) {
      running_.erase(agent);
      continue;
    }
    const auto known = running_.find(agent);
    if (known != running_.end() && known->second.first == blocks.front()) continue;
    running_[agent] = {blocks.front(), now};
    if (!events_) continue;
    const sweep::Block& block = job_->plan.blocks[blocks.front().value];
    Json arms = Json::array();
    for (const TrialIndex arm : block.arms) arms.push_back(to_string(job_->plan.trials[arm.value].hash));
    events_->write(line_of(Json{{"event", "block_started"},
                                {"block", block.index.value},
                                {"agent", agent.value},
                                {"setting", setting_of(*job_, block)},
                                {"arms", arms},
                                {"time", wall_seconds()}}));
  }
}

std::optional<double> ProgressPrinter::left_seconds(const Progress& progress, double now) const {
  if (progress.blocks_done == progress.blocks) return 0.0;
  if (running_.empty()) return std::nullopt;
  double under_way = 0;
  for (const auto& [agent, running] : running_) {
    const double whole = time_left_.seconds_of(kind_of(*job_, job_->plan.blocks[running.first.value]));
    under_way += std::min(now - running.second, whole);
  }
  return std::max(0.0, time_left_.seconds() - under_way) / static_cast<double>(running_.size());
}

/// The largest of all blocks that run.
double ProgressPrinter::over_seconds(double now) const {
  double most = 0;
  for (const auto& [agent, running] : running_) {
    const double whole = time_left_.seconds_of(kind_of(*job_, job_->plan.blocks[running.first.value]));
    most = std::max(most, now - running.second - whole);
  }
  return most;
}

std::string ProgressPrinter::current(const Progress& progress) const {
  for (const auto& [agent, blocks] : progress.granted) {
    if (!blocks.empty()) return setting_of(*job_, job_->plan.blocks[blocks.front().value]);
  }
  return {};
}

void ProgressPrinter::show_person(const Progress& progress, double now) {
  if (options_.events == "-") return;
  const bool is_bar = options_.bar_columns > 0;
  const bool last = progress.blocks_done == progress.blocks && shown_done_ != progress.blocks_done;
  if (now < next_text_seconds_ && !(last && is_bar)) return;
  next_text_seconds_ = now + (is_bar ? bar_interval_seconds : line_interval_seconds);
  shown_done_ = progress.blocks_done;
  const ProgressText text{progress, now - start_seconds_, left_seconds(progress, now), current(progress),
                          over_seconds(now)};
  if (!is_bar) return log::info(line_text(text));
  const auto columns = static_cast<std::size_t>(std::max(options_.bar_columns - 1, 20));
  write_stderr("\r" + bar_text(text, columns) + "\x1b[K" + (last ? "\n" : ""));
}

void ProgressPrinter::show_program(const Progress& progress, double now) {
  const bool last = progress.blocks_done == progress.blocks && told_done_ != progress.blocks_done;
  if (!events_ || (now < next_event_seconds_ && !last)) return;
  next_event_seconds_ = now + event_interval_seconds;
  told_done_ = progress.blocks_done;
  const auto left = left_seconds(progress, now);
  events_->write(line_of(Json{{"event", "progress"},
                              {"blocks", progress.blocks},
                              {"blocks_done", progress.blocks_done},
                              {"failed", progress.failed_arms},
                              {"undecided", progress.undecided},
                              {"elapsed_seconds", now - start_seconds_},
                              {"left_seconds", left ? Json(*left) : Json(nullptr)},
                              {"over_seconds", over_seconds(now)},
                              {"time", wall_seconds()}}));
}

}  // namespace regatta::launcher

#include "ranks/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "job/foretold.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/log.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/final_block.hpp"

namespace regatta::launcher {
namespace {

using Json = nlohmann::ordered_json;

constexpr double line_interval_seconds = 10;
constexpr double bar_interval_seconds = 0.2;
constexpr double event_interval_seconds = 1;
constexpr std::size_t bar_width = 20;
constexpr double walk_interval_seconds = 0.05;  // over very many agents, each of which is looked at
constexpr std::size_t few_agents = 64;

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

/// The setting of a block: what its arms have in common and the sweep varies. Where that is nothing, the sweep's name.
std::string setting_of(const Job& job, const sweep::Block& block) {
  std::vector<sweep::Param> shown;
  for (const auto& axis : job.sweep.axes) {
    const bool is_compared =
        job.sweep.compare && std::ranges::find(job.sweep.compare->over, axis.param) != job.sweep.compare->over.end();
    if (axis.levels.size() > 1 && !is_compared) shown.push_back(axis.param);
  }
  const std::string label = analysis::label(job.plan.trials[block.arms.front().value].parameters, shown);
  const std::string& setting = label.empty() ? job.sweep.name : label;
  return printable(block.is_intervention() ? "why: " + setting : setting);
}

void write_stderr(const std::string& text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

Expectation expectation(const Job& job, const sweep::Block& block) {
  const ExpectedTime expected = expected_time(job, block);
  return {expected.seconds, expected.share.value_or(Expectation().most_seconds), expected.is_learnt};
}

std::string pass_text(const PassNumber& pass) {
  return fmt::format("pass {} of at most {}", pass.number, pass.at_most);
}

std::string count_text(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Json start_event(const Job& job, const Progress& progress, const PassNumber& pass) {
  const auto skipped = std::ranges::count_if(job.plan.trials, [](const auto& trial) { return !!trial.skip_reason; });
  return {{"event", "start"},    {"sweep", job.sweep.name},        {"trials", job.plan.trials.size()},
          {"skipped", skipped},  {"blocks", progress.blocks},      {"blocks_done", progress.blocks_done},
          {"pass", pass.number}, {"passes_at_most", pass.at_most}, {"time", wall_seconds()}};
}

Json done_event(const dispatch::BlockNews& news) {
  return {{"event", "block_done"},
          {"block", news.block.value},
          {"agent", news.agent ? Json(news.agent->value) : Json(nullptr)},
          {"seconds", news.agent ? Json(news.seconds) : Json(nullptr)},
          {"failed", news.failed_arms},
          {"undecided", news.undecided},
          {"time", wall_seconds()}};
}

Json running_event(AgentId agent, const protocol::BlockStand& stand) {
  return {{"agent", agent.value},       {"block", stand.block.value}, {"arms", stand.arms},
          {"prepared", stand.prepared}, {"piloted", stand.piloted},   {"pair", stand.pair},
          {"pairs", stand.pairs},       {"starts", stand.starts},     {"squares", stand.squares}};
}

std::string line_of(const Json& event) {
  return escaped_json(event.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Whether what runs takes longer than was estimated: then nothing is known of the time left.
bool is_over(const ProgressText& text) { return text.over_seconds >= 1; }

/// A time that would be shown as 0 s is none while something runs.
bool is_left_known(const ProgressText& text) {
  constexpr double shown_as_zero = 0.5;
  const bool is_done = text.progress.blocks_done == text.progress.blocks;
  return text.left_seconds && (is_done || *text.left_seconds >= shown_as_zero);
}

/// Empty where nothing runs.
std::string left_text(const ProgressText& text) {
  if (is_left_known(text)) return "about " + time_text(*text.left_seconds) + " left";
  if (is_over(text)) return time_text(text.over_seconds) + " longer than estimated";
  if (text.left_seconds) return "almost done";
  return text.current.empty() ? "" : "time left not known yet";
}

/// The share of the time, where that is known: blocks that take turns are all done at the end only.
std::size_t filled_of(const ProgressText& text) {
  const Progress& progress = text.progress;
  const bool is_done = progress.blocks_done == progress.blocks;
  if (const double all = text.elapsed_seconds + text.left_seconds.value_or(0); text.left_seconds && all > 0 && !is_done)
    return static_cast<std::size_t>(bar_width * text.elapsed_seconds / all);
  return progress.blocks == 0 ? bar_width : bar_width * progress.blocks_done / progress.blocks;
}

}  // namespace

std::string bar_text(const ProgressText& text, std::size_t columns) {
  const Progress& progress = text.progress;
  const std::size_t filled = filled_of(text);
  const std::string pass = text.pass.number > 1 ? pass_text(text.pass) + "  " : "";
  std::string bar = fmt::format("[{}{}] {}{}/{} blocks  {} failed  {} undecided  {}", std::string(filled, '#'),
                                std::string(bar_width - filled, '.'), pass, progress.blocks_done, progress.blocks,
                                progress.failed_arms, progress.undecided, time_text(text.elapsed_seconds));
  if (const std::string left = left_text(text); !left.empty()) bar += "  " + left;
  if (is_over(text) && is_left_known(text))
    bar += fmt::format("  {} longer than estimated", time_text(text.over_seconds));
  if (text.others) bar += "  " + printable(busy_clause(*text.others));
  if (!text.current.empty()) bar += "  " + text.current;
  return bar.substr(0, columns);
}

std::string line_text(const ProgressText& text) {
  const Progress& progress = text.progress;
  const std::string pass = text.pass.number > 1 ? pass_text(text.pass) + ": " : "";
  std::string line =
      fmt::format("{}{} of {} blocks done, {} failed, {} undecided, {}", pass, progress.blocks_done, progress.blocks,
                  progress.failed_arms, progress.undecided, time_text(text.elapsed_seconds));
  if (const std::string left = left_text(text); !left.empty()) line += ", " + left;
  if (!text.current.empty()) line += "; now " + text.current;
  if (is_over(text) && is_left_known(text))
    line += fmt::format(", {} longer than estimated", time_text(text.over_seconds));
  if (text.others) line += "; " + printable(busy_clause(*text.others));
  return line;
}

std::string stand_text(const protocol::BlockStand& stand) {
  if (stand.pair == 0) {
    const bool all = stand.prepared == stand.arms;
    return fmt::format("{} of {} {}", all ? stand.piloted : stand.prepared, count_text(stand.arms, "arm"),
                       all ? "piloted" : "prepared");
  }
  const std::string squares = count_text(stand.squares, "square");
  if (stand.pairs <= 1) return squares;
  return fmt::format("{}pair {} of about {}, {}", stand.starts ? "starting " : "", stand.pair, stand.pairs, squares);
}

ProgressPrinter::ProgressPrinter(const Job& job, const HashSet& finished, const ProgressOptions& options,
                                 const PassShown& pass, LookAround look_around)
    : job_(&job),
      options_(options),
      pass_(pass),
      look_around_(std::move(look_around)),
      next_text_seconds_(steady_seconds() + (options.bar_columns > 0 ? 0 : line_interval_seconds)) {
  if (!options.events.empty()) events_.emplace(options.events);
  for (const sweep::Block& block : job.plan.blocks)
    if (!finished.contains(block.hash)) time_left_.add(kind_of(job, block), expectation(job, block));
  if (pass.number.number > 1 || !takes_passes(job) || !job.sweep.measure.again) return;
  for (const sweep::Block& block : sweep::finals_to_come(job.plan))
    time_left_.add("final " + kind_of(job, block), expectation(job, block));
}

void ProgressPrinter::show(const Progress& progress, const News& news) {
  const double now = steady_seconds();
  learn(news.done);
  if (events_ && !begun_) events_->write(line_of(start_event(*job_, progress, pass_.number)));
  begun_ = true;
  for (const dispatch::BlockNews& each : news.done) {
    if (events_) events_->write(line_of(done_event(each)));
  }
  if (progress.granted.size() <= few_agents || now >= next_walk_seconds_) {
    tell_started(progress, now);
    next_walk_seconds_ = now + walk_interval_seconds;
  }
  hear(news.stands, now);
  look_at_others(now);
  show_program(progress, now);
  show_person(progress, now);
}

std::string ProgressPrinter::kind(BlockIndex block) const { return kind_of(*job_, job_->plan.blocks[block.value]); }

void ProgressPrinter::learn(const std::vector<dispatch::BlockNews>& done) {
  for (const dispatch::BlockNews& each : done) {
    const auto seconds = each.agent ? std::optional(each.seconds) : std::nullopt;
    time_left_.done(each.block, kind(each.block), seconds);
  }
}

void ProgressPrinter::hear(const std::vector<dispatch::StandNews>& stands, double now) {
  for (const auto& [agent, stand] : stands) {
    const auto found = running_.find(agent);
    if (found == running_.end() || found->second.block != stand.block) continue;
    Running& running = found->second;
    running.stand = stand;
    running.told_seconds = now;
    time_left_.foretell(stand.block, kind(stand.block), now - running.since_seconds + stand.left_seconds);
  }
}

void ProgressPrinter::tell_started(const Progress& progress, double now) {
  for (const auto& [agent, blocks] : progress.granted) {
    if (blocks.empty()) {
      running_.erase(agent);
      continue;
    }
    const auto known = running_.find(agent);
    if (known != running_.end() && known->second.block == blocks.front()) continue;
    running_[agent] = {blocks.front(), now};
    if (!events_) continue;
    std::set<BlockIndex>& started = started_[agent];
    std::erase_if(started, [&](BlockIndex block) { return std::ranges::find(blocks, block) == blocks.end(); });
    if (!started.insert(blocks.front()).second) continue;  // a tour comes back to it
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

std::optional<double> ProgressPrinter::end_seconds(const Running& running) const {
  if (running.stand) return running.told_seconds + running.stand->left_seconds;
  if (!time_left_.is_known()) return std::nullopt;
  return running.since_seconds + time_left_.seconds_of(kind(running.block));
}

/// The blocks that are left go side by side on the agents that run some; the longest that runs is waited for.
std::optional<double> ProgressPrinter::left_seconds(const Progress& progress, double now) const {
  if (progress.blocks_done == progress.blocks) return 0.0;
  if (running_.empty() || !time_left_.is_known()) return std::nullopt;
  double left = time_left_.seconds();
  double longest = 0;
  for (const auto& [agent, running] : running_) {
    const double rest = std::max(0.0, end_seconds(running).value_or(now) - now);
    left += rest - time_left_.seconds_of(kind(running.block));
    longest = std::max(longest, rest);
  }
  left /= static_cast<double>(running_.size());
  const auto total = job_->sweep.measure.total_seconds;
  if (total && pass_.number.number <= 1) left = std::min(left, *total - (now - pass_.run_start_seconds));
  return std::max(longest, left);
}

/// The largest of all blocks that run.
double ProgressPrinter::over_seconds(double now) const {
  double most = 0;
  for (const auto& [agent, running] : running_) most = std::max(most, now - end_seconds(running).value_or(now));
  return most;
}

std::string ProgressPrinter::current(const Progress& progress) const {
  for (const auto& [agent, blocks] : progress.granted) {
    if (blocks.empty()) continue;
    const std::string setting = setting_of(*job_, job_->plan.blocks[blocks.front().value]);
    const auto running = running_.find(agent);
    const bool has_told = running != running_.end() && running->second.stand;
    return has_told ? setting + ": " + stand_text(*running->second.stand) : setting;
  }
  return {};
}

/// A busy machine is said first and once in a sentence, then wherever progress is told.
void ProgressPrinter::look_at_others(double now) {
  const OthersSeen seen = look_around_(now);
  others_ = seen.use;
  if (!seen.is_news) return;
  if (options_.bar_columns > 0) write_stderr("\r\x1b[K");
  log::warn(busy_sentence(*seen.use));
}

void ProgressPrinter::show_person(const Progress& progress, double now) {
  if (options_.events == "-" || options_.is_quiet) return;
  const bool is_bar = options_.bar_columns > 0;
  const bool last = progress.blocks_done == progress.blocks && shown_done_ != progress.blocks_done;
  if (now < next_text_seconds_ && !(last && is_bar)) return;
  next_text_seconds_ = now + (is_bar ? bar_interval_seconds : line_interval_seconds);
  shown_done_ = progress.blocks_done;
  ProgressText text{
      progress,    now - pass_.run_start_seconds, left_seconds(progress, now), current(progress), over_seconds(now),
      pass_.number};
  if (others_ && is_busy(*others_)) text.others = others_;
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
  Json running = Json::array();
  for (const auto& [agent, each] : running_) {
    if (each.stand) running.push_back(running_event(agent, *each.stand));
  }
  events_->write(
      line_of(Json{{"event", "progress"},
                   {"blocks", progress.blocks},
                   {"blocks_done", progress.blocks_done},
                   {"failed", progress.failed_arms},
                   {"undecided", progress.undecided},
                   {"elapsed_seconds", now - pass_.run_start_seconds},
                   {"left_seconds", left ? Json(*left) : Json(nullptr)},
                   {"over_seconds", over_seconds(now)},
                   {"others_share", others_ ? Json(others_->share) : Json(nullptr)},
                   {"others_worst", others_ && !others_->worst.empty() ? Json(others_->worst) : Json(nullptr)},
                   {"running", running},
                   {"time", wall_seconds()}}));
}

}  // namespace regatta::launcher

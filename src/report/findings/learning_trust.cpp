#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "regatta/report/text.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"
#include "report/findings/learning_words.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_failures = 3;
constexpr std::size_t message_columns = 300;
constexpr double least_correlation = 0.2;

std::string seeds_sentence(const Learning& learning) {
  if (!learning.leader) return {};
  const std::size_t seeds = learning.ranking.front().validation.by_seed.size();
  std::string text = fmt::format("{} {}seed{} of weights, order, dropout and the split of validation from training",
                                 seeds, learning.search ? "fresh " : "", seeds == 1 ? "" : "s");
  std::vector<double> correlations;
  for (const auto& row : learning.ranking) {
    if (row.correlation) correlations.push_back(*row.correlation);
  }
  if (correlations.empty()) return text;
  const double correlation = stats::median(correlations);
  if (correlation < least_correlation)
    return text + fmt::format("; pairing by seed did not help (correlation {:.2f})", correlation);
  return text + fmt::format("; pairing by seed helped (correlation {:.2f})", correlation);
}

std::string parts_sentence(const Learning& learning) {
  const auto& parts = learning.parts;
  if (parts.training == 0) return {};
  std::string text = fmt::format("trained on {} samples, chosen by {}", parts.training, parts.validation);
  if (parts.test > 0) text += fmt::format(", tested on {}", parts.test);
  if (parts.repeated > 0)
    text += fmt::format(" ({} of them {} also in training or validation, where they test nothing)", parts.repeated,
                        parts.repeated == 1 ? "is" : "are");
  if (learning.tally.tested == 0) return text + "; the test part was not opened";
  return text + fmt::format("; {} run{} opened the test part{}", learning.tally.tested,
                            learning.tally.tested == 1 ? "" : "s",
                            learning.search ? ", after leader and set were decided; it changed nothing" : "");
}

/// How often anybody may have chosen by what the test part said.
std::string openings_sentence(const Learning& learning) {
  const auto& [passes, unread] = learning.openings;
  if (passes == 0 && unread == 0) return {};
  const std::string times = passes == 1 ? "once" : fmt::format("{} times", passes);
  std::string text = fmt::format("test part opened {}{} in this folder", unread > 0 ? "at least " : "", times);
  if (unread > 0) text += fmt::format(" ({} journal{} cannot be read)", unread, unread == 1 ? "" : "s");
  if (passes > 1) text += ": decisions after the first may have been made by it";
  return text;
}

/// Two numbers with as many digits as tell them apart.
std::string both_text(double first, double second) {
  constexpr int fewest_digits = 4, most_digits = 17;
  for (int digits = fewest_digits;; ++digits) {
    const std::string a = fmt::format("{:.{}g}", first, digits);
    const std::string b = fmt::format("{:.{}g}", second, digits);
    if (a != b || digits == most_digits) return a + ", " + b;
  }
}

std::string repeat_text(const analysis::Repeat& repeat) {
  if (repeat.failed) return repeat.engine + " failed the second time";
  if (!repeat.differs_from)
    return fmt::format("{} bit-equal ({} evaluation{})", repeat.engine, repeat.evaluations,
                       repeat.evaluations == 1 ? "" : "s");
  std::string metric = repeat.metric;
  std::ranges::replace(metric, '_', ' ');
  return fmt::format("{} differs from sample {} on (last {} {})", repeat.engine, *repeat.differs_from, metric,
                     both_text(repeat.first, repeat.second));
}

/// Several repeats of an engine: the first that tells against it speaks.
std::string repeats_sentence(const Learning& learning) {
  std::map<std::string, const analysis::Repeat*> by_engine;
  for (const auto& each : learning.repeats) {
    const analysis::Repeat*& shown = by_engine[each.engine];
    const bool tells_more = shown == nullptr || (!shown->differs_from && each.differs_from);
    if (tells_more) shown = &each;
  }
  std::string text;
  for (const auto& [engine, repeat] : by_engine) text += (text.empty() ? "" : "; ") + repeat_text(*repeat);
  if (learning.repeats_due > 0) text += std::string(text.empty() ? "" : "; ") + "still to be trained";
  if (!text.empty()) return "same seed twice: " + text;
  if (!learning.over || learning.ranking.empty()) return {};
  return R"(same seed twice: not tried ("repeat": true in "train" does))";
}

/// The rows over which batch normalization took its moments, where shards or ranks shared a batch.
std::string moments_sentence(const View& view, const Learning& learning) {
  std::size_t whole = 0, apart = 0;
  for (const auto& trial : view.results.trials) {
    const auto* over = std::get_if<std::string>(&trial.parameters[sweep::Param::batch_statistics]);
    const bool is_skipped = std::holds_alternative<sweep::Skipped>(trial.outcome);
    if (!is_skipped && over != nullptr) ++(*over == "batch" ? whole : apart);
  }
  if (whole + apart == 0) return {};
  if (apart == 0) return "batch_norm took its moments over the whole batch, whatever the ranks and shards";
  return fmt::format("batch_norm took its moments over each shard or rank's part by itself in {} of {} configurations",
                     apart, learning.tally.configurations);
}

void add_warnings(std::vector<std::string>& lines, const Learning& learning) {
  const auto warns = [&](search::Warning warning) {
    return std::ranges::find(learning.warnings, warning) != learning.warnings.end();
  };
  if (warns(search::Warning::few_seeds))
    lines.push_back(fmt::format("few seeds: a configuration needs {} in common with the leader to be called worse",
                                stats::rules::fewest_units));
  if (warns(search::Warning::unstable))
    lines.emplace_back("not stable: a configuration of the table diverged or failed under some seeds");
  if (std::ranges::any_of(learning.ranking, &analysis::Ranked::few_test_samples))
    lines.emplace_back("few test samples: on new samples a difference may be smaller than the margin");
  if (learning.tally.diverged > 0)
    lines.push_back(fmt::format("{} of {} runs diverged: their loss was no longer finite", learning.tally.diverged,
                                learning.tally.runs));
  if (learning.tally.stopped_early > 0)
    lines.push_back(fmt::format("{} of {} runs stopped early: they no longer improved", learning.tally.stopped_early,
                                learning.tally.runs));
}

/// Each message once, with the first run that had it.
void add_failures(std::vector<std::string>& lines, const View& view, const Learning& learning) {
  std::map<std::string, std::vector<const analysis::LegFailure*>> by_message;
  for (const auto& failure : learning.failures) by_message[failure.message].push_back(&failure);
  std::size_t shown = 0;
  for (const auto& [message, failures] : by_message) {
    if (++shown > most_failures) break;
    std::string who = fmt::format("{}, seed {}", configuration_text(view, learning, failures.front()->trial),
                                  failures.front()->leg.seed);
    if (failures.size() > 1) who += fmt::format(", and {} more", failures.size() - 1);
    lines.push_back(fmt::format("failed: {}: {}", who, clip(clean(message), message_columns)));
  }
  if (by_message.size() > most_failures)
    lines.push_back(fmt::format("{} more reasons, all in the result file", by_message.size() - most_failures));
}

}  // namespace

std::vector<std::string> learning_trust(const View& view, const Learning& learning) {
  std::vector<std::string> lines;
  std::vector said{seeds_sentence(learning), parts_sentence(learning)};
  said.push_back(moments_sentence(view, learning));
  said.push_back(openings_sentence(learning));
  said.push_back(repeats_sentence(learning));
  for (std::string& each : said) {
    if (!each.empty()) lines.push_back(std::move(each));
  }
  for (std::string& each : learning_warnings(view, learning))
    if (std::ranges::find(lines, each) == lines.end()) lines.push_back(std::move(each));
  return lines;
}

std::vector<std::string> learning_warnings(const View& view, const Learning& learning) {
  std::vector<std::string> lines;
  if (learning.openings.passes > 1) lines.push_back(openings_sentence(learning));
  const auto differs = [](const analysis::Repeat& repeat) { return repeat.failed || repeat.differs_from.has_value(); };
  if (std::ranges::any_of(learning.repeats, differs)) lines.push_back(repeats_sentence(learning));
  add_warnings(lines, learning);
  add_failures(lines, view, learning);
  return lines;
}

}  // namespace regatta::report

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "regatta/analysis/labels.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using analysis::PayBack;
using analysis::Pays;

const sweep::Parameters& parameters_of(const View& view, TrialIndex trial) {
  return view.results.trials[trial.value].parameters;
}

/// " and catches up after 800 steps [667, 1000]".
std::string finding(const PayBack& paid) {
  switch (paid.pays) {
    case Pays::never:
      return " and never catches up, because its steps are no faster";
    case Pays::unknown:
      return "; whether it catches up is not known yet";
    case Pays::yes:
      break;
  }
  const std::string text = fmt::format(" and catches up after {} steps", steps_text(paid.steps->value));
  if (!paid.has_interval) return text;
  const stats::Range& range = paid.steps->range;
  if (!std::isfinite(range.high)) return text + fmt::format(", or later: at least {}", steps_text(range.low));
  return text + fmt::format(" [{}, {}]", steps_text(range.low), steps_text(range.high));
}

/// ". With empty compile caches (19.9 s against 4.20 s) it catches up after 12000 steps".
std::string first_time(const PayBack& paid) {
  if (!paid.cold) return "";
  const std::string starts =
      fmt::format(". With empty compile caches ({} against {}) ", duration_text(paid.cold->starter_start),
                  duration_text(paid.cold->other_start));
  if (paid.cold->steps) return starts + fmt::format("it catches up after {} steps", steps_text(*paid.cold->steps));
  return starts + (paid.pays == Pays::never ? "it never catches up" : "this is not known yet");
}

/// Below it nobody feels that one of them starts later.
constexpr double noticeable_seconds = 0.1;

bool is_noticeable(const PayBack& paid) {
  return paid.starter_start.value - paid.other_start.value >= noticeable_seconds;
}

/// 0 where no batch is read.
std::int64_t batch_of(const View& view, const PayBack& paid) {
  const auto* batch = std::get_if<std::int64_t>(&parameters_of(view, paid.other)[sweep::Param::batch]);
  return batch == nullptr ? 0 : *batch;
}

void keep_largest_batch(const View& view, std::vector<const PayBack*>& settings) {
  std::int64_t largest = 0;
  for (const PayBack* paid : settings) largest = std::max(largest, batch_of(view, *paid));
  std::erase_if(settings, [&](const PayBack* paid) { return batch_of(view, *paid) < largest; });
}

/// "it catches up after 15 to 267 steps in 2, it never catches up in 1".
std::string outcomes_text(const std::vector<const PayBack*>& settings) {
  std::vector<double> steps;
  for (const PayBack* paid : settings)
    if (paid->pays == Pays::yes) steps.push_back(paid->steps->value);
  std::vector<std::pair<std::string, std::size_t>> outcomes;
  if (!steps.empty()) {
    const auto [least, most] = std::ranges::minmax(steps);
    outcomes.emplace_back(fmt::format("it catches up after {} to {} steps", steps_text(least), steps_text(most)),
                          steps.size());
  }
  const auto add = [&](Pays pays, const char* text) {
    const auto count = std::ranges::count(settings, pays, [](const PayBack* paid) { return paid->pays; });
    if (count > 0) outcomes.emplace_back(text, count);
  };
  add(Pays::never, "it never catches up");
  add(Pays::unknown, "whether it catches up is not known yet");
  if (outcomes.size() == 1) return outcomes.front().first;
  std::string text;
  for (const auto& [outcome, count] : outcomes)
    text += fmt::format("{}{} in {}", text.empty() ? "" : ", ", outcome, count);
  return text;
}

std::string sentence(const View& view, const std::vector<const PayBack*>& settings) {
  if (settings.size() == 1) return pay_back_sentence(view, *settings.front());
  const PayBack& one = *settings.front();
  const bool varies = std::ranges::find(view.axes.stratum, sweep::Param::batch) != view.axes.stratum.end();
  const std::int64_t batch = batch_of(view, one);
  return fmt::format("{} takes longer to start than {}{}: over {} settings {}", arm_of(view, one.starter),
                     arm_of(view, one.other), varies && batch > 0 ? fmt::format(" at batch {}", batch) : "",
                     settings.size(), outcomes_text(settings));
}

}  // namespace

std::string pay_back_sentence(const View& view, const PayBack& paid) {
  const std::string where = analysis::label(parameters_of(view, paid.other), view.axes.stratum);
  std::string text =
      fmt::format("{} takes {} longer to start than {}{}{}{}", arm_of(view, paid.starter),
                  duration_text(paid.starter_start.value - paid.other_start.value), arm_of(view, paid.other),
                  where.empty() ? "" : " at " + where, paid.is_warm ? " with warm compile caches" : "", finding(paid));
  if (!paid.has_interval) text += fmt::format(" (n = {}, no interval)", paid.processes);
  return text + first_time(paid);
}

std::vector<StartedPair> started_pairs(const View& view) {
  std::vector<StartedPair> pairs;
  std::unordered_map<std::string, std::size_t> by_names;
  for (const PayBack& paid : view.effects.pay_backs) {
    const auto [entry, is_new] =
        by_names.try_emplace(arm_of(view, paid.starter) + '\n' + arm_of(view, paid.other), pairs.size());
    if (is_new) pairs.emplace_back();
    pairs[entry->second].settings.push_back(&paid);
  }
  for (StartedPair& pair : pairs) keep_largest_batch(view, pair.settings);
  return pairs;
}

std::vector<std::string> pay_back_sentences(const View& view) {
  std::vector<std::string> sentences;
  for (StartedPair& pair : started_pairs(view)) {
    std::erase_if(pair.settings, [](const PayBack* paid) { return !paid->has_interval || !is_noticeable(*paid); });
    if (!pair.settings.empty()) sentences.push_back(sentence(view, pair.settings));
  }
  return sentences;
}

}  // namespace regatta::report

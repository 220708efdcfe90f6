#include "report/findings/pay_backs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "regatta/analysis/wording.hpp"

namespace regatta::report {
namespace {

using analysis::PayBack;
using analysis::Pays;

const sweep::Parameters& parameters_of(const View& view, TrialIndex trial) {
  return view.results.trials[trial.value].parameters;
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

/// "pays back after 15 to 267 steps in 2, never in 1".
std::string outcomes_text(const std::vector<const PayBack*>& settings) {
  std::vector<double> steps;
  for (const PayBack* paid : settings)
    if (paid->pays == Pays::yes) steps.push_back(paid->steps->value);
  std::vector<std::pair<std::string, std::size_t>> outcomes;
  if (!steps.empty()) {
    const auto [least, most] = std::ranges::minmax(steps);
    outcomes.emplace_back(
        fmt::format("it pays back after {} to {} steps", analysis::steps_text(least), analysis::steps_text(most)),
        steps.size());
  }
  const auto add = [&](Pays pays, const char* text) {
    const auto count = std::ranges::count(settings, pays, [](const PayBack* paid) { return paid->pays; });
    if (count > 0) outcomes.emplace_back(text, count);
  };
  add(Pays::never, "it never pays back");
  add(Pays::unknown, "it is not known whether it pays back");
  if (outcomes.size() == 1) return outcomes.front().first;
  std::string text;
  for (const auto& [outcome, count] : outcomes)
    text += fmt::format("{}{} in {}", text.empty() ? "" : ", ", outcome, count);
  return text;
}

std::string sentence(const View& view, const std::vector<const PayBack*>& settings) {
  if (settings.size() == 1) return settings.front()->text;
  const PayBack& one = *settings.front();
  const bool varies = std::ranges::find(view.axes.stratum, sweep::Param::batch) != view.axes.stratum.end();
  const std::int64_t batch = batch_of(view, one);
  return fmt::format("{} takes longer to start than {}{}: over {} settings {}", arm_of(view, one.starter),
                     arm_of(view, one.other), varies && batch > 0 ? fmt::format(" at batch {}", batch) : "",
                     settings.size(), outcomes_text(settings));
}

}  // namespace

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
    std::erase_if(pair.settings, [](const PayBack* paid) { return !paid->has_interval; });
    if (!pair.settings.empty()) sentences.push_back(sentence(view, pair.settings));
  }
  return sentences;
}

}  // namespace regatta::report

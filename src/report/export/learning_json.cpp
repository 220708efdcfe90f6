#include <algorithm>
#include <cmath>

#include "report/export/export.hpp"
#include "report/findings/learning_words.hpp"

namespace regatta::report {
namespace {

using analysis::Ranked;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json finite(std::optional<double> value) { return value ? finite(*value) : Json(nullptr); }

Json trial_id(const View& view, TrialIndex trial) { return to_string(view.results.trials[trial.value].hash); }

Json estimate_object(const stats::Estimate& estimate) {
  return Json{
      {"value", finite(estimate.value)}, {"low", finite(estimate.range.low)}, {"high", finite(estimate.range.high)}};
}

/// Null where nothing has a value.
Json figure_object(const search::Figure& figure) {
  if (figure.by_seed.empty()) return nullptr;
  Json seeds = Json::array(), values = Json::array();
  for (const auto& [seed, value] : figure.by_seed) {
    seeds.push_back(seed);
    values.push_back(finite(value));
  }
  return Json{{"mean", finite(figure.mean.value)},
              {"low", finite(figure.mean.range.low)},
              {"high", finite(figure.mean.range.high)},
              {"seeds", std::move(seeds)},
              {"values", std::move(values)}};
}

/// Null stands for never; without a target there is no object.
Json target_object(const Ranked& row) {
  if (!row.target) return nullptr;
  const auto& target = *row.target;
  return Json{{"runs", target.runs},
              {"reached", target.reached},
              {"samples", estimate_object(target.samples)},
              {"train_seconds", estimate_object(target.train_seconds)},
              {"all_seconds", estimate_object(target.all_seconds)},
              {"seconds_with_start", estimate_object(target.with_start)},
              {"ratio_to_leader", estimate_object(target.ratio)}};
}

Json ranked_object(const View& view, const Ranked& row, std::size_t rank) {
  const Learning& learning = *view.learning;
  return Json{{"rank", rank},
              {"trial", trial_id(view, row.trial)},
              {"label", configuration_text(view, learning, row.trial)},
              {"searched", finite(row.searched)},
              {"validation", figure_object(row.validation)},
              {"test", figure_object(row.test)},
              {"test_loss", figure_object(row.test_loss)},
              {"new_samples_low", row.new_samples ? finite(row.new_samples->low) : Json(nullptr)},
              {"new_samples_high", row.new_samples ? finite(row.new_samples->high) : Json(nullptr)},
              {"behind", estimate_object(row.behind)},
              {"pairs", row.pairs},
              {"correlation", finite(row.correlation)},
              {"in_set", learning.leader ? Json(row.in_set) : Json(nullptr)},
              {"few_test_samples", row.few_test_samples},
              {"diverged", row.diverged},
              {"train_seconds", figure_object(row.train_seconds)},
              {"target", target_object(row)},
              {"peak_memory", finite(row.peak_bytes)},
              {"dominated_by", row.dominated_by ? trial_id(view, *row.dominated_by) : Json(nullptr)}};
}

Json stopped_object(const View& view, const analysis::StoppedTrial& each) {
  const Learning& learning = *view.learning;
  return Json{
      {"trial", trial_id(view, each.trial)},
      {"after_rung", each.after_rung},
      {"after", learning.search ? finite(sweep::end_of_rung(*learning.search, each.after_rung)) : Json(nullptr)},
      {"diverged", each.diverged},
      {"trained_on", each.trained_on},
      {"end_score", finite(each.end_score)},
      {"would_be_in_set", each.would_be_in_set}};
}

Json search_object(const View& view, const Learning& learning) {
  if (!learning.search) return nullptr;
  Json stopped = Json::array(), noise = Json::array();
  for (const auto& each : learning.stopped) stopped.push_back(stopped_object(view, each));
  for (const auto& each : learning.noise)
    noise.push_back(Json{{"spread", each.pairs == 0 ? Json(nullptr) : finite(each.spread)},
                         {"pairs", each.pairs},
                         {"of_earlier", each.of_earlier}});
  return Json{{"kind", learning.search->halves ? "halving" : "full"},
              {"rungs", learning.search->rungs},
              {"factor", learning.search->factor},
              {"at_most", learning.search->at_most},
              {"left_out", learning.left_out},
              {"optimism", finite(learning.optimism)},
              {"stopped", std::move(stopped)},
              {"noise", std::move(noise)}};
}

Json cost_object(const Learning& learning) {
  return Json{{"search", learning.cost.search},
              {"clones", learning.cost.clones},
              {"trained_on", learning.cost.trained_on},
              {"fresh", learning.cost.fresh},
              {"repeats", learning.cost.repeats},
              {"everything", learning.cost.everything},
              {"train_seconds", learning.tally.train_seconds},
              {"evaluate_seconds", learning.tally.evaluate_seconds}};
}

Json repeats_array(const View& view, const Learning& learning) {
  Json repeats = Json::array();
  for (const auto& each : learning.repeats)
    repeats.push_back(Json{{"engine", each.engine},
                           {"trial", trial_id(view, each.trial)},
                           {"seed", each.seed},
                           {"failed", each.failed},
                           {"bit_equal", each.failed ? Json(nullptr) : Json(!each.differs_from)},
                           {"evaluations", each.evaluations},
                           {"differs_from", each.differs_from ? Json(*each.differs_from) : Json(nullptr)},
                           {"metric", each.metric},
                           {"last", Json::array({finite(each.first), finite(each.second)})}});
  return repeats;
}

Json failures_array(const View& view, const Learning& learning) {
  Json failures = Json::array();
  for (const auto& each : learning.failures)
    failures.push_back(Json{{"trial", trial_id(view, each.trial)},
                            {"purpose", sweep::purpose_names[static_cast<std::size_t>(each.leg.purpose)]},
                            {"seed", each.leg.seed},
                            {"rung", each.leg.rung},
                            {"message", each.message}});
  return failures;
}

Json starts_array(const Learning& learning) {
  Json starts = Json::array();
  for (const auto& each : learning.starts)
    starts.push_back(Json{{"engine", each.engine}, {"seconds", each.seconds}, {"processes", each.processes}});
  return starts;
}

Json warnings_array(const Learning& learning) {
  Json warnings = Json::array();
  for (const auto& [warning, name] : search::warning_names) {
    if (std::ranges::find(learning.warnings, warning) != learning.warnings.end()) warnings.push_back(name);
  }
  return warnings;
}

}  // namespace

Json learning_object(const View& view) {
  if (!view.learning) return nullptr;
  const Learning& learning = *view.learning;
  Json ranking = Json::array();
  for (const Ranked& row : learning.ranking) ranking.push_back(ranked_object(view, row, ranking.size() + 1));
  const auto& tally = learning.tally;
  return Json{
      {"over", learning.over},
      {"objective", Json{{"metric", learning.objective.metric},
                         {"goal", learning.objective.maximizes ? "maximize" : "minimize"},
                         {"margin", finite(learning.objective.margin)},
                         {"target", finite(learning.objective.target)}}},
      {"seeds", learning.training.seeds},
      {"leader", learning.leader ? trial_id(view, *learning.leader) : Json(nullptr)},
      {"sentences", learning_headline(view, learning)},
      {"ranking", std::move(ranking)},
      {"search", search_object(view, learning)},
      {"cost", cost_object(learning)},
      {"samples", Json{{"training", learning.parts.training},
                       {"validation", learning.parts.validation},
                       {"test", learning.parts.test},
                       {"repeated", learning.parts.repeated}}},
      {"cold_starts", starts_array(learning)},
      {"seed_noise", learning.seed_noise.configurations == 0 ? Json(nullptr) : finite(learning.seed_noise.spread)},
      {"configurations", tally.configurations},
      {"skipped", tally.skipped},
      {"runs", tally.runs},
      {"legs", tally.legs},
      {"tested_runs", tally.tested},
      {"test_openings", learning.openings.passes},
      {"unread_journals", learning.openings.unread},
      {"diverged_runs", tally.diverged},
      {"stopped_early_runs", tally.stopped_early},
      {"same_seed_twice", repeats_array(view, learning)},
      {"failures", failures_array(view, learning)},
      {"warnings", warnings_array(learning)}};
}

}  // namespace regatta::report

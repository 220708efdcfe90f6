#include <cmath>
#include <limits>

#include "regatta/analysis/values.hpp"
#include "regatta/report/report.hpp"
#include "regatta/report/text.hpp"
#include "regatta/results/outcome_text.hpp"
#include "regatta/results/told_results.hpp"
#include "report/export/export.hpp"
#include "report/export/json_values.hpp"
#include "report/findings/contradictions.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

/// {"residual": {"value": 1e-6, "unit": "K"}}
Json results_object(const results::TrialRow& trial) {
  Json told = Json::object();
  for (const auto& [name, unit] : results::result_units({&trial, 1}))
    told[name] = Json{{"value", optional_number(analysis::metric(trial, name))}, {"unit", unit}};
  return told;
}

Json trial_object(const View& view, const results::TrialRow& trial) {
  const auto number = [&](const char* name) { return optional_number(analysis::metric(trial, name)); };
  const std::string reason = sweep::reason_of(trial.outcome);
  Members members = axis_values(trial.parameters);
  members.emplace_back("id", to_string(trial.hash));
  members.emplace_back("label", trial_label(trial.parameters, view.axes));
  members.emplace_back("status", sweep::status_of(trial.outcome));
  members.emplace_back("cause", results::cause_of(trial.outcome));
  members.emplace_back("reason", reason.empty() ? Json(nullptr) : Json(reason));
  members.emplace_back("verified", sweep::to_string(trial.verified));
  for (const sweep::FactInfo& fact : sweep::fact_table) {
    const std::string text = sweep::is_text(fact) ? sweep::text_of(trial.facts, fact.fact) : std::string();
    if (sweep::is_text(fact) && !fact.column.empty() && fact.fact != sweep::Fact::results)
      members.emplace_back(fact.column, text.empty() ? Json(nullptr) : Json(text));
  }
  members.emplace_back("results", results_object(trial));
  members.emplace_back("step_time", number("step_time"));
  members.emplace_back("step_time_mean", number("step_time_mean"));
  for (const sweep::MetricInfo& metric : sweep::metric_table) {
    if (!metric.quantile) continue;
    const std::string name(metric.name);
    const std::string without = no_quantile(trial, metric.metric);
    members.emplace_back(name, number(name.c_str()));
    members.emplace_back(name + "_low", number((name + "_low").c_str()));
    members.emplace_back(name + "_high", number((name + "_high").c_str()));
    members.emplace_back("no_" + name, without.empty() ? Json(nullptr) : Json(without));
  }
  members.emplace_back("calls", number("calls"));
  members.emplace_back("samples_per_second", number("samples_per_second"));
  members.emplace_back("cold_start", number("cold_start"));
  members.emplace_back("warm_start", number("warm_start"));
  members.emplace_back("start_time", number("start_time"));
  members.emplace_back("first_step", number("first_step"));
  for (const sweep::FactInfo& fact : sweep::fact_table) {
    if (!sweep::is_text(fact) && !fact.column.empty())
      members.emplace_back(fact.column, number(std::string(fact.column).c_str()));
  }
  return members;
}

/// Both arms must have been shown to do the same work.
const char* both_verified(const results::TrialRow& a, const results::TrialRow& b) {
  using sweep::Verified;
  for (const Verified worse :
       {Verified::no, Verified::other_weights, Verified::close, Verified::alone, Verified::unchecked})
    if (a.verified == worse || b.verified == worse) return sweep::to_string(worse);
  return sweep::to_string(Verified::yes);
}

Json over_calls_object(const analysis::Contrast& contrast) {
  if (!contrast.over_calls) return nullptr;
  const auto& calls = *contrast.over_calls;
  return Json{{"low", calls.low},
              {"high", calls.high},
              {"shortest_steps", calls.shortest_steps},
              {"longest_steps", calls.longest_steps}};
}

Json undisturbed_object(const analysis::Contrast& contrast) {
  if (!contrast.undisturbed) return nullptr;
  return Json{{"ratio", contrast.undisturbed->ratio},
              {"low", optional_number(contrast.undisturbed->low)},
              {"high", optional_number(contrast.undisturbed->high)},
              {"squares", contrast.undisturbed->squares},
              {"verdict", analysis::verdict_word(contrast.undisturbed->verdict, contrast.metric)}};
}

/// The replicates, or pairs and seconds, that differences of `target` take; null where the resolution reaches it.
Json outlook_object(const analysis::Contrast& contrast) {
  if (!contrast.outlook) return nullptr;
  analysis::Contrast::Outlook outlook = *contrast.outlook;
  if (contrast.difference) outlook.target = contrast.difference->unit * std::log1p(outlook.target);
  if (analysis::has_replicates(contrast)) {
    const bool is_hopeless = outlook.more_pairs == 0;
    return Json{{"target", outlook.target}, {"replicates", is_hopeless ? Json(nullptr) : Json(outlook.more_pairs)}};
  }
  if (outlook.more_pairs == 0) return Json{{"target", outlook.target}, {"pairs", nullptr}, {"seconds", nullptr}};
  return Json{{"target", outlook.target}, {"pairs", outlook.more_pairs}, {"seconds", outlook.seconds}};
}

/// The replicates that the contrast was joined from; null where it is of one block.
Json replicates_object(const analysis::Contrast& contrast) {
  if (!analysis::has_replicates(contrast)) return nullptr;
  Json axes = Json::array();
  for (const sweep::Param& param : contrast.replicate_axes) axes.push_back(sweep::name_of(param));
  return Json{{"count", contrast.replicates.size()}, {"axes", axes}};
}

/// A difference and its interval are in the unit of the result, and have no ratio beside them.
struct Figures {
  std::optional<double> ratio, difference, low, high;
  double margin = 0;
  std::optional<double> resolution;
};

Figures figures_of(const analysis::Contrast& contrast) {
  if (!contrast.difference)
    return {contrast.ratio, {}, contrast.low, contrast.high, contrast.margin, contrast.resolution};
  const analysis::Difference& difference = *contrast.difference;
  return {
      {}, difference.value, difference.low, difference.high, difference.margin, analysis::resolution_in_unit(contrast)};
}

Json contrast_object(const View& view, const analysis::Contrast& contrast) {
  const Figures figures = figures_of(contrast);
  const auto& a = view.results.trials[contrast.a.value];
  const auto& b = view.results.trials[contrast.b.value];
  return Json{{"a", axis_values(a.parameters)},
              {"b", axis_values(b.parameters)},
              {"scale", sweep::name_of(scale_of(contrast))},
              {"ratio", optional_number(figures.ratio)},
              {"difference", optional_number(figures.difference)},
              {"low", optional_number(figures.low)},
              {"high", optional_number(figures.high)},
              {"speedup", figures.ratio ? Json(1 / *figures.ratio) : Json(nullptr)},
              {"verdict", analysis::verdict_text(contrast)},
              {"verified", both_verified(a, b)},
              {"replicates", replicates_object(contrast)},
              {"blocks", contrast.squares},
              {"processes", contrast.processes},
              {"margin", figures.margin},
              {"confirmed", contrast.confirmed},
              {"resolution", optional_number(figures.resolution)},
              {"outlook", outlook_object(contrast)},
              {"flags", stats::names_of(contrast.flags)},
              {"over_calls", over_calls_object(contrast)},
              {"undisturbed", undisturbed_object(contrast)},
              {"why_stopped", analysis::why_stopped_text(contrast)},
              {"ratio_of_medians", optional_number(contrast.ratio_of_medians)},
              {"metric", analysis::metric_name(view.contrasts, contrast.metric)},
              {"unit", analysis::metric_unit(view.contrasts, contrast.metric)},
              {"text", contrast_sentence(view.results, view.contrasts, contrast)}};
}

/// The ratio, or the difference.
double figure_of(const analysis::Contrast& contrast) {
  return contrast.difference ? contrast.difference->value : contrast.ratio;
}

/// Whether, where and by how much a pair of arms differs over its settings.
Json effect_object(const View& view, const analysis::Effect& effect) {
  const auto where = [&](std::size_t index) {
    return analysis::label(view.results.trials[view.contrasts.contrasts[index].b.value].parameters, view.axes.stratum);
  };
  const auto all = [&](const std::vector<std::size_t>& indices) {
    Json list = Json::array();
    for (const std::size_t index : indices) list.push_back(where(index));
    return list;
  };
  const auto of_mean = [&](auto part) { return effect.mean ? optional_number(part(*effect.mean)) : Json(nullptr); };
  return Json{{"a", effect.a},
              {"b", effect.b},
              {"settings", effect.contrasts.size()},
              {"least", figure_of(view.contrasts.contrasts[effect.least])},
              {"least_at", where(effect.least)},
              {"most", figure_of(view.contrasts.contrasts[effect.most])},
              {"most_at", where(effect.most)},
              {"faster_at", all(effect.faster)},
              {"slower_at", all(effect.slower)},
              {"mean", of_mean([](const auto& mean) { return mean.value; })},
              {"low", of_mean([](const auto& mean) { return mean.range.low; })},
              {"high", of_mean([](const auto& mean) { return mean.range.high; })},
              {"text", effect_sentence(view, effect)}};
}

Json crossing_object(const analysis::Crossing& crossing) {
  return Json{{"below", crossing.below},
              {"above", crossing.above},
              {"axis", sweep::name_of(crossing.axis)},
              {"at", crossing.at.value},
              {"low", crossing.at.range.low},
              {"high", crossing.at.range.high},
              {"where", crossing.where},
              {"text", crossing_sentence(crossing)}};
}

/// An infinite or unknown number is null, as everything that is not finite.
Json pay_back_object(const View& view, const analysis::PayBack& paid) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const stats::Estimate steps = paid.steps.value_or(stats::Estimate{unknown, {}});
  const auto id = [&](TrialIndex trial) { return to_string(view.results.trials[trial.value].hash); };
  return Json{{"starter", id(paid.starter)},
              {"other", id(paid.other)},
              {"never", paid.pays == analysis::Pays::never},
              {"known", paid.pays != analysis::Pays::unknown},
              {"steps", steps.value},
              {"low", steps.range.low},
              {"high", steps.range.high},
              {"caches", paid.is_warm ? "warm" : "cold"},
              {"starter_start", paid.starter_start.value},
              {"starter_start_low", paid.starter_start.range.low},
              {"starter_start_high", paid.starter_start.range.high},
              {"other_start", paid.other_start.value},
              {"other_start_low", paid.other_start.range.low},
              {"other_start_high", paid.other_start.range.high},
              {"starter_cold", paid.cold ? paid.cold->starter_start : unknown},
              {"other_cold", paid.cold ? paid.cold->other_start : unknown},
              {"cold_steps", paid.cold ? paid.cold->steps.value_or(unknown) : unknown},
              {"processes", paid.processes},
              {"text", pay_back_sentence(view, paid)}};
}

Json interaction_object(const View& view, const analysis::Interaction& found) {
  return Json{{"factor", sweep::name_of(found.factor)},
              {"other", sweep::name_of(found.other)},
              {"ratio_at_baseline", found.ratio_at_baseline},
              {"ratio_at_other", found.ratio_at_other},
              {"ratio", found.ratio},
              {"low", optional_number(found.low)},
              {"high", optional_number(found.high)},
              {"blocks", found.squares},
              {"text", interaction_sentence(view, found)}};
}

Json fastest_object(const View& view, const analysis::Fastest& fastest) {
  Json trials = Json::array(), labels = Json::array();
  for (const TrialIndex trial : fastest.trials) {
    trials.push_back(to_string(view.results.trials[trial.value].hash));
    labels.push_back(arm_of(view, trial));
  }
  return Json{{"where", fastest.where},
              {"cells", fastest.cells},
              {"trials", std::move(trials)},
              {"labels", std::move(labels)},
              {"unsure", fastest.unsure},
              {"distrusted", fastest.distrusted},
              {"measured_again", fastest.measured_again},
              {"open", !fastest.due.empty()}};
}

Json missing_object(const View& view, const NoRatio& missing) {
  Json ids = Json::array();
  for (const TrialIndex trial : missing.trials) ids.push_back(to_string(view.results.trials[trial.value].hash));
  return Json{{"trials", std::move(ids)}, {"reason", missing.reason}};
}

Json change_object(const analysis::ChangedCell& change, double step_seconds) {
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  const auto removed = [&](std::optional<double> ratio) {
    return ratio ? Json(step_seconds * (1 - *ratio)) : Json(nullptr);
  };
  const std::string reason = sweep::reason_of(change.outcome);
  return Json{{"change", sweep::text_of(change.intervention)},
              {"status", sweep::status_of(change.outcome)},
              {"reason", reason.empty() ? Json(nullptr) : Json(reason)},
              {"verified", sweep::to_string(change.verified)},
              {"step_time", finite(change.step_seconds)},
              {"ratio", finite(change.ratio)},
              {"low", optional_number(change.low)},
              {"high", optional_number(change.high)},
              {"removed_seconds", finite(change.removed_seconds)},
              {"removed_low", removed(change.high)},
              {"removed_high", removed(change.low)},
              {"verdict", std::isfinite(change.ratio) ? Json(stats::verdict_name(change.verdict)) : Json(nullptr)},
              {"blocks", change.squares},
              {"processes", change.processes},
              {"flags", stats::names_of(change.flags)}};
}

Json line_object(const std::optional<analysis::CallsLine>& line) {
  if (!line) return nullptr;
  return Json{{"seconds", line->calls_seconds},
              {"low", optional_number(line->low)},
              {"high", optional_number(line->high)},
              {"seconds_per_row", line->seconds_per_row},
              {"misfit", line->misfit},
              {"batches", line->batches}};
}

Json explanation_object(const View& view, const analysis::Explanation& explanation) {
  const auto& trial = view.results.trials[explanation.trial.value];
  Json changes = Json::array();
  for (const auto& change : explanation.changes) changes.push_back(change_object(change, explanation.step_seconds));
  return Json{{"trial", to_string(trial.hash)},
              {"label", trial_label(trial.parameters, view.axes)},
              {"status", sweep::status_of(explanation.outcome)},
              {"step_time", std::isfinite(explanation.step_seconds) ? Json(explanation.step_seconds) : Json(nullptr)},
              {"changes", std::move(changes)},
              {"calls", line_object(explanation.line)},
              {"text", explanation_sentence(view, explanation)}};
}

/// The results of measuring the same code twice, one object for each time.
Json identical_code_object(const View& view) {
  const analysis::IdenticalCode& twice = view.contrasts.identical;
  Json checks = Json::array();
  for (const auto& clone : view.contrasts.clones) {
    const auto plain = [&](double analysis::CloneCheck::PlainLoops::*part) {
      return clone.plain ? Json((*clone.plain).*part) : Json(nullptr);
    };
    checks.push_back(Json{{"trial", to_string(view.results.trials[clone.trial.value].hash)},
                          {"ratio", clone.ratio},
                          {"low", optional_number(clone.low)},
                          {"high", optional_number(clone.high)},
                          {"verdict", stats::verdict_name(clone.verdict)},
                          {"blocks", clone.squares},
                          {"plain_loops", plain(&analysis::CloneCheck::PlainLoops::ratio)},
                          {"plain_loops_low", plain(&analysis::CloneCheck::PlainLoops::low)},
                          {"plain_loops_high", plain(&analysis::CloneCheck::PlainLoops::high)}});
  }
  return Json{
      {"same", twice.same}, {"undecided", twice.undecided}, {"false", twice.wrong}, {"checks", std::move(checks)}};
}

/// The metric that the configurations are compared by.
Json metric_of(const View& view) {
  if (const auto& compared = view.contrasts.result)
    return Json{{"name", compared->name},
                {"unit", view.contrasts.result_unit},
                {"scale", sweep::name_of(sweep::Scale::ratio)},
                {"better", sweep::name_of(compared->better)},
                {"what", sweep::info(sweep::Metric::result).description}};
  if (!view.learning) return metric_object(sweep::info(view.contrasts.metric));
  const sweep::Objective& objective = view.learning->objective;
  return Json{{"name", objective.metric},
              {"unit", "1"},
              {"scale", sweep::name_of(sweep::Scale::difference)},
              {"better", sweep::name_of(objective.maximizes ? sweep::Better::higher : sweep::Better::lower)},
              {"what", "the objective of the training; see \"learning\""}};
}

/// One line for each element, written as it is made: a whole document of 100,000 trials would not fit in memory twice.
template <class List, class Object>
void add_array(std::string& out, const char* key, const List& list, Object object) {
  out += std::string(",\n\"") + key + "\": [";
  const char* separator = "\n";
  for (const auto& element : list) {
    out += separator + dumped(object(element));
    separator = ",\n";
  }
  out += "\n]";
}

}  // namespace

std::string json(const View& view) {
  const results::Results& results = view.results;
  std::string out = "{\"name\": " + dumped(results.name) + ",\n\"complete\": " + (results.complete ? "true" : "false") +
                    ",\n\"axes\": " + dumped(results.axis_names) + ",\n\"metric\": " + dumped(metric_of(view));
  add_array(out, "trials", results.trials, [&](const auto& trial) { return trial_object(view, trial); });
  add_array(out, "contrasts", view.contrasts.contrasts,
            [&](const auto& contrast) { return contrast_object(view, contrast); });
  add_array(out, "fastest", view.fastest, [&](const auto& each) { return fastest_object(view, each); });
  add_array(out, "no_contrasts", no_ratios(view), [&](const auto& missing) { return missing_object(view, missing); });
  add_array(out, "why", view.explanations, [&](const auto& each) { return explanation_object(view, each); });
  add_array(out, "ranks", view.ranks, [&](const auto& each) { return ranks_object(view, each); });
  add_array(out, "effects", view.effects.effects, [&](const auto& each) { return effect_object(view, each); });
  add_array(out, "crossovers", view.effects.crossings, crossing_object);
  add_array(out, "break_even", view.effects.pay_backs, [&](const auto& each) { return pay_back_object(view, each); });
  add_array(out, "interactions", view.effects.interactions,
            [&](const auto& each) { return interaction_object(view, each); });
  out += ",\n\"identical_code\": " + dumped(identical_code_object(view));
  out += ",\n\"resolution\": " + dumped(Json(resolution_sentence(view))) +
         ",\n\"further\": " + dumped(Json(further_sentence(view)));
  add_array(out, "contradictions", contradictions_of(view), [&](const auto& each) {
    return Json{{"a", axis_values(view.results.trials[each.contrast->a.value].parameters)},
                {"b", axis_values(view.results.trials[each.contrast->b.value].parameters)},
                {"kind", contradiction_name(each.kind)},
                {"why", each.why}};
  });
  out += ",\n\"learning\": " + dumped(learning_object(view));
  return out + "\n}\n";
}

std::string json(const results::Results& results, const analysis::Findings& findings) {
  return json(view_of(results, findings));
}

}  // namespace regatta::report

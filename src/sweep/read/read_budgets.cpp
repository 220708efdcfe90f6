// How much to measure, and what a trial may take.
#include <algorithm>
#include <string>
#include <vector>

#include "regatta/sweep/program_results.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

constexpr double largest_margin = 1e9;  // in the unit of a result

/// {"result": "residual", "goal": "lower"}: a number that programs or loops tell.
ComparedResult read_result(const json::Cursor& cursor) {
  const json::Fields fields(cursor, "an object", {"result", "goal", "margin"});
  const json::Cursor name = fields.need("result", "the name of a number that the programs tell, such as \"residual\"");
  ComparedResult result{name.text("the name of a number that the programs tell"), Better::lower};
  need_result_name(name, result.name);
  if (const auto goal = fields.find("goal"))
    result.better = goal->choice({name_of(Better::lower), name_of(Better::higher)}) == name_of(Better::higher)
                        ? Better::higher
                        : Better::lower;
  return result;
}

/// "json:seconds", which stands in a command.
bool is_of_a_command(const json::Cursor& cursor) {
  const auto* text = cursor.node.as<std::string>();
  return text != nullptr && text->starts_with("json:");
}

void read_metric(const json::Cursor& cursor, Measure& measure) {
  measure.metric = Metric::result;
  if (cursor.is_object()) {
    measure.result = read_result(cursor);
    return;
  }
  if (is_of_a_command(cursor))
    cursor.refuse(
        "a metric of Regatta's, or {\"result\": NAME} for a number that programs tell. Where that number is the time "
        "in seconds, \"metric\": \"json:NAME\" stands in the command, under \"commands\"");
  std::vector<std::string> names;
  for (const MetricInfo& metric : metric_table) {
    if (metric.metric != Metric::result) names.emplace_back(metric.name);  // it goes with a name
  }
  const std::string& name = cursor.choice(names);
  measure.metric = std::ranges::find(metric_table, name, &MetricInfo::name)->metric;
}

void read_n(const json::Fields& fields, Measure& measure) {
  const auto metric = fields.find("metric");
  const auto n = fields.find("n");
  if (n && measure.metric != Metric::time_to_n) n->refuse("no \"n\" unless \"metric\" is \"time_to_n\"");
  if (n) measure.n = n->integer(1, 1'000'000'000'000);
  if (!n && measure.metric == Metric::time_to_n)
    metric->refuse("it beside \"n\", the number of steps, such as {\"metric\": \"time_to_n\", \"n\": 1000}");
}

SameWork read_same_work(const json::Cursor& cursor) {
  const json::Fields fields(cursor, "an object with \"gradient\" or \"loss\"", {"gradient", "loss"});
  SameWork widened;
  if (const auto value = fields.find("gradient")) widened.gradient = value->number(0, 1);
  if (const auto value = fields.find("loss")) widened.loss = value->number(0, 1);
  return widened;
}

}  // namespace

void read_measure(const json::Cursor& cursor, Measure& measure) {
  const json::Fields fields(cursor, "an object",
                            {"margin", "half_width", "relative_half_width", "per_contrast", "total", "metric", "n",
                             "slices", "steps", "explain", "again", "same_work"});
  if (const auto value = fields.find("metric")) read_metric(*value, measure);
  read_n(fields, measure);
  measure.margin = info(measure.metric).margin;
  measure.half_width = std::max(measure.half_width, measure.margin);
  if (const auto value = fields.find("margin")) measure.margin = value->fraction();
  const auto metric = fields.find("metric");
  if (const auto value = metric && metric->is_object() ? metric->member("margin") : std::nullopt) {
    if (const auto other = fields.find("margin")) other->refuse("no second \"margin\" beside that of \"metric\"");
    if (value->as_number())
      measure.result_margin = value->number(0, largest_margin);
    else
      measure.margin = value->fraction();
    measure.half_width = std::max(measure.half_width, measure.margin);
  }
  if (const auto value = fields.find("half_width")) measure.half_width = value->fraction();
  if (const auto value = fields.find("relative_half_width")) measure.relative_half_width = value->fraction();
  if (const auto value = fields.find("per_contrast")) measure.per_contrast_seconds = value->duration_seconds();
  if (const auto value = fields.find("total")) measure.total_seconds = value->duration_seconds();
  if (const auto value = fields.find("slices")) measure.slices = value->integer(1, 1'000'000);
  if (const auto value = fields.find("steps")) measure.steps = value->integer(1, 1'000'000'000);
  if (const auto value = fields.find("explain")) measure.explain = value->boolean();
  if (const auto value = fields.find("again")) measure.again = value->boolean();
  if (const auto value = fields.find("same_work")) measure.same_work = read_same_work(*value);
}

void read_limits(const json::Cursor& cursor, Limits& limits) {
  const json::Fields fields(cursor, "an object", {"trial_timeout", "attempts", "memory", "failures", "retry_timeouts"});
  if (const auto value = fields.find("trial_timeout")) limits.trial_timeout_seconds = value->duration_seconds();
  if (const auto value = fields.find("attempts")) limits.attempts = value->integer(1, 100);
  if (const auto value = fields.find("memory")) limits.memory_bytes = value->size_bytes();
  if (const auto value = fields.find("failures")) limits.failures = value->integer(1, most_failures);
  if (const auto value = fields.find("retry_timeouts")) limits.retry_timeouts = value->boolean();
}

}  // namespace regatta::sweep

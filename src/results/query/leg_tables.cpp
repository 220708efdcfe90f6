#include "results/query/leg_tables.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "regatta/results/leg_values.hpp"
#include "regatta/results/outcome_text.hpp"
#include "results/collect/collect.hpp"
#include "results/query/columns.hpp"

namespace regatta::results {
namespace {

using sweep::Value;

struct EvaluationAt {
  const LegRow* leg;
  const sweep::CurvePoint* point;
};

Value value_named(const LegRow& leg, const std::vector<double>& values, const std::string& name) {
  return number(value_of(leg.learned.curve, values, name));
}

Value optional(const std::optional<double>& value) { return value ? number(*value) : Value(); }

const TrialRow& trial_of(const Results& results, const LegRow& leg) { return results.trials[leg.trial.value]; }

template <class Row, class Leg>
void add_run(Columns<Row>& columns, const Results& results, Leg leg) {
  columns.text("trial_hash", [&results, leg](const Row& row) { return to_string(trial_of(results, leg(row)).hash); });
  add_parameters(columns, "", axes_of_sweep(results), [&results, leg](const Row& row) -> const sweep::Parameters& {
    return trial_of(results, leg(row)).parameters;
  });
  columns.text("purpose",
               [leg](const Row& row) { return sweep::purpose_names[static_cast<std::size_t>(leg(row).leg.purpose)]; });
  columns.add("seed", "", true, [leg](const Row& row) { return integer(leg(row).leg.seed); });
  columns.add("rung", "", true, [leg](const Row& row) { return integer(leg(row).leg.rung); });
}

std::optional<double> if_known(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

}  // namespace

Table legs_table(const Results& results) {
  Table table{"legs", {}, {}, {}};
  Columns<LegRow> columns(table, results.legs);
  add_run(columns, results, [](const LegRow& row) -> const LegRow& { return row; });
  columns.add("from", "1", true, [](const LegRow& row) { return number(row.leg.from); });
  columns.add("to", "1", true, [](const LegRow& row) { return number(row.leg.to); });
  columns.text("status", [](const LegRow& row) { return sweep::status_of(row.outcome); });
  columns.text("cause", [](const LegRow& row) { return cause_of(row.outcome); });
  columns.text("reason", [](const LegRow& row) { return message_of(row.outcome); });
  columns.text("end",
               [](const LegRow& row) { return sweep::leg_end_names[static_cast<std::size_t>(row.learned.end)]; });
  columns.add("best_step", "", true, [](const LegRow& row) { return integer(row.learned.best_step); });
  for (const std::string& name : metrics_of(results.legs))
    columns.add(name, "1", true, [name](const LegRow& row) { return value_named(row, row.learned.best, name); });
  columns.add(sweep::test_loss, "1", true, [](const LegRow& row) { return optional(row.learned.test_loss); });
  columns.add(sweep::test_accuracy, "1", true, [](const LegRow& row) { return optional(row.learned.test_accuracy); });
  columns.add("peak_memory", "byte", true,
              [](const LegRow& row) { return optional(if_known(row.learned.peak_bytes)); });
  columns.add("start_time", "s", true, [](const LegRow& row) { return optional(if_known(row.learned.start_seconds)); });
  columns.add("prepare_time", "s", true,
              [](const LegRow& row) { return optional(if_known(row.learned.prepare_seconds)); });
  columns.text("checkpoint", [](const LegRow& row) { return row.learned.checkpoint; });
  columns.add("nodes", "1", true, [](const LegRow& row) { return row.nodes > 0 ? integer(row.nodes) : Value(); });
  columns.add("t_start", "s", true, [](const LegRow& row) { return date(row.start_wall_seconds); });
  columns.add("t_end", "s", true, [](const LegRow& row) { return date(row.end_wall_seconds); });
  return table;
}

Table curves_table(const Results& results) {
  const auto rows = std::make_shared<std::vector<EvaluationAt>>();
  for (const LegRow& leg : results.legs) {
    for (const sweep::CurvePoint& point : leg.learned.curve.points) rows->push_back({&leg, &point});
  }
  Table table{"curves", {}, {}, rows};
  Columns<EvaluationAt> columns(table, *rows);
  add_run(columns, results, [](const EvaluationAt& row) -> const LegRow& { return *row.leg; });
  columns.add("step", "", true, [](const EvaluationAt& row) { return integer(row.point->step); });
  columns.add("samples", "", true, [](const EvaluationAt& row) { return integer(row.point->samples); });
  columns.add("train_time", "s", true, [](const EvaluationAt& row) { return number(row.point->train_seconds); });
  columns.add("evaluate_time", "s", true, [](const EvaluationAt& row) { return number(row.point->evaluate_seconds); });
  for (const std::string& name : metrics_of(results.legs))
    columns.add(name, "1", true,
                [name](const EvaluationAt& row) { return value_named(*row.leg, row.point->values, name); });
  return table;
}

}  // namespace regatta::results

// Training: a table of legs, and one of all evaluations, /curves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "regatta/base/error.hpp"
#include "regatta/results/leg_values.hpp"
#include "regatta/results/outcome_text.hpp"
#include "results/collect/collect.hpp"
#include "results/file/columns.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/netcdf_writer.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr const char* leg_table = "legs";
constexpr const char* curve_table = "curves";
constexpr const char* value_prefix = "v_";
constexpr const char* best_prefix = "best_";

using LegRows = std::vector<LegRow>;

const std::vector<std::string> purposes{std::begin(sweep::purpose_names), std::end(sweep::purpose_names)};
const std::vector<std::string> ends{std::begin(sweep::leg_end_names), std::end(sweep::leg_end_names)};

struct Evaluation {
  std::uint32_t leg;
  const sweep::Learned* learned;
  const sweep::CurvePoint* point;
};

std::vector<Evaluation> evaluations_of(const LegRows& rows) {
  std::vector<Evaluation> all;
  for (std::size_t leg = 0; leg < rows.size(); ++leg) {
    const sweep::Learned& learned = rows[leg].learned;
    for (const sweep::CurvePoint& point : learned.curve.points)
      all.push_back({static_cast<std::uint32_t>(leg), &learned, &point});
  }
  return all;
}

void write_leg_identity(GroupWriter& group, const LegRows& rows) {
  const auto put = [&](const char* name, const Column& values) { return group.variable(name, {"leg"}, values); };
  put("block_hash", column<std::string>(rows, [](const LegRow& r) { return to_string(r.block); }));
  put("trial_index", column<std::uint32_t>(rows, [](const LegRow& r) { return r.trial.value; }))
      .describe("row of /trials");
  put("purpose", column<std::int8_t>(rows, [](const LegRow& r) { return static_cast<std::int8_t>(r.leg.purpose); }))
      .flags(purposes)
      .describe("why it was trained");
  put("seed", column<std::int64_t>(rows, [](const LegRow& r) { return r.leg.seed; }))
      .describe("of initial weights, order, dropout and the split of training from validation");
  put("rung", column<std::int32_t>(rows, [](const LegRow& r) { return static_cast<std::int32_t>(r.leg.rung); }));
  put("from", column<double>(rows, [](const LegRow& r) { return r.leg.from; }))
      .unit("1")
      .describe("where it begins, as a part of the horizon in samples");
  put("to", column<double>(rows, [](const LegRow& r) { return r.leg.to; })).unit("1");
}

void write_outcomes(GroupWriter& group, const LegRows& rows) {
  const auto put = [&](const char* name, const Column& values, std::optional<FillValue> fill = {}) {
    return group.variable(name, {"leg"}, values, fill);
  };
  put("status",
      column<std::int8_t>(rows, [](const auto& r) { return flag_of(status_names, sweep::status_of(r.outcome)); }))
      .flags(status_names);
  put("cause", column<std::int8_t>(rows, [](const auto& r) { return flag_of(cause_names(), cause_of(r.outcome)); }))
      .flags(cause_names());
  put("reason", column<std::string>(rows, [](const LegRow& r) { return message_of(r.outcome); }));
  put("end", column<std::int8_t>(rows, [](const LegRow& r) { return static_cast<std::int8_t>(r.learned.end); }))
      .flags(ends)
      .describe("whether it reached its end, stopped early or diverged");
  put("attempt", column<std::int32_t>(rows, [](const LegRow& r) { return r.attempt; }));
  put("device_id", column<std::int32_t>(rows, [](const LegRow& r) { return r.device; }))
      .describe("row of /devices; -1: none");
  put("nodes", column<std::int64_t>(rows, [](const LegRow& r) { return r.nodes; }))
      .unit("1")
      .describe("nodes that its ranks were on; 0: all on one");
  put("t_start", column<double>(rows, [](const LegRow& r) { return date(r.start_wall_seconds); }), missing_number)
      .unit(dates);
  put("t_end", column<double>(rows, [](const LegRow& r) { return date(r.end_wall_seconds); }), missing_number)
      .unit(dates);
}

void write_learned(GroupWriter& group, const LegRows& rows) {
  const auto put = [&](const std::string& name, const Column& values, std::optional<FillValue> fill = {}) {
    return group.variable(name, {"leg"}, values, fill);
  };
  const auto count = [&](const char* name, std::int64_t sweep::Learned::*member, const char* description) {
    put(name, column<std::int64_t>(rows, [&](const LegRow& r) { return r.learned.*member; })).describe(description);
  };
  put("metrics", column<std::string>(
                     rows, [](const LegRow& r) { return fmt::format("{}", fmt::join(r.learned.curve.metrics, ",")); }))
      .describe("that its evaluations have, comma separated");
  count("best_step", &sweep::Learned::best_step, "the run's best evaluation so far; 0: none");
  count("training_samples", &sweep::Learned::training_samples, "size of the training part");
  count("validation_samples", &sweep::Learned::validation_samples, "size of the validation part");
  count("test_samples", &sweep::Learned::test_samples, "size of the test part");
  count("repeated_samples", &sweep::Learned::repeated_samples, "test samples that stand in another part, too");
  put("peak_memory", column<double>(rows, [](const LegRow& r) { return r.learned.peak_bytes; }))
      .unit("byte")
      .describe("resident memory of the worker while it trained, at most; 0: not known");
  put("start_time", column<double>(rows, [](const LegRow& r) { return r.learned.start_seconds; }))
      .unit("s")
      .describe("until the process that trained it was ready, for whatever leg; 0: not known");
  put("prepare_time", column<double>(rows, [](const LegRow& r) { return r.learned.prepare_seconds; }))
      .unit("s")
      .describe("to build and compile its model; 0: not known");
  put("checkpoint", column<std::string>(rows, [](const LegRow& r) { return r.learned.checkpoint; }))
      .describe("file of the run's weights in checkpoints of the run's folder; empty: not kept");
  for (const std::string& metric : metrics_of(rows))
    put(best_prefix + metric,
        column<double>(rows, [&](const LegRow& r) { return value_of(r.learned.curve, r.learned.best, metric); }),
        missing_number)
        .describe("at the best evaluation");
  const auto tested = [&](const char* name, std::optional<double> sweep::Learned::*member) {
    put(name, column<double>(rows, [&](const LegRow& r) { return (r.learned.*member).value_or(missing_number); }),
        missing_number)
        .describe("of the best weights; missing: the leg did not open the test part");
  };
  tested(sweep::test_loss, &sweep::Learned::test_loss);
  tested(sweep::test_accuracy, &sweep::Learned::test_accuracy);
  put("test_hits", column<std::string>(rows, [](const LegRow& r) { return r.learned.test_hits; }))
      .describe(
          "the test samples that were classified rightly, four for each hexadecimal digit, the first in the highest "
          "bit; empty: not kept");
}

void write_curves(const File& file, const LegRows& rows) {
  const std::vector<Evaluation> all = evaluations_of(rows);
  GroupWriter group(file, curve_table);
  group.rows("evaluation", all.size()).describe("by leg, then step");
  const auto put = [&](const std::string& name, const Column& values, std::optional<FillValue> fill = {}) {
    return group.variable(name, {"evaluation"}, values, fill);
  };
  put("leg_index", column<std::uint32_t>(all, [](const Evaluation& e) { return e.leg; })).describe("row of /legs");
  put("step", column<std::int64_t>(all, [](const Evaluation& e) { return e.point->step; }))
      .describe("since the run began, over all its legs");
  put("samples", column<std::int64_t>(all, [](const Evaluation& e) { return e.point->samples; }))
      .describe("seen since the run began");
  put("train_time", column<double>(all, [](const Evaluation& e) { return e.point->train_seconds; }))
      .unit("s")
      .describe("since the run began, without evaluations");
  put("evaluate_time", column<double>(all, [](const Evaluation& e) { return e.point->evaluate_seconds; }))
      .unit("s")
      .describe("evaluations since the run began");
  for (const std::string& metric : metrics_of(rows))
    put(value_prefix + metric,
        column<double>(all, [&](const Evaluation& e) { return value_of(e.learned->curve, e.point->values, metric); }),
        missing_number);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

void read_leg_identity(const GroupReader& group, std::size_t trials, LegRows& rows) {
  const auto blocks = hashes(group, "block_hash");
  const auto trial = group.integers_in("trial_index", 0, trials);
  const auto purpose = group.integers_in("purpose", 0, purposes.size());
  const auto seed = group.integers("seed");
  const auto rung = group.integers_in("rung", 0, std::size_t{1} << 16);
  const auto from = group.numbers("from");
  const auto to = group.numbers("to");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].block = blocks[i];
    rows[i].trial.value = static_cast<std::uint32_t>(trial[i]);
    rows[i].leg = {static_cast<sweep::Purpose>(purpose[i]), seed[i], static_cast<std::uint32_t>(rung[i]), from[i],
                   to[i]};
  }
}

void read_outcomes(const GroupReader& group, std::size_t devices, LegRows& rows) {
  const auto status = group.integers_in("status", 0, status_names.size());
  const auto cause = group.integers_in("cause", 0, cause_names().size());
  const auto reason = group.texts("reason");
  const auto end = group.integers_in("end", 0, ends.size());
  const auto attempt = group.integers_in("attempt", 0, std::size_t{1} << 31);
  const auto device = group.integers_in("device_id", -1, devices);
  const auto nodes = group.integers("nodes");
  const auto t_start = group.numbers("t_start");
  const auto t_end = group.numbers("t_end");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].outcome = outcome_of(status[i], cause[i], reason[i]);
    rows[i].learned.end = static_cast<sweep::LegEnd>(end[i]);
    rows[i].attempt = static_cast<std::int32_t>(attempt[i]);
    rows[i].device = static_cast<std::int32_t>(device[i]);
    rows[i].nodes = nodes[i];
    rows[i].start_wall_seconds = zero_if_missing(t_start[i]);
    rows[i].end_wall_seconds = zero_if_missing(t_end[i]);
  }
}

void read_best(const GroupReader& group, LegRows& rows) {
  for (const std::string& metric : metrics_of(rows)) {
    const auto values = group.numbers(best_prefix + metric);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sweep::Learned& learned = rows[i].learned;
      if (learned.best_step == 0) continue;
      const auto found = std::ranges::find(learned.curve.metrics, metric);
      if (found == learned.curve.metrics.end()) continue;
      learned.best.resize(learned.curve.metrics.size(), missing_number);
      learned.best[static_cast<std::size_t>(found - learned.curve.metrics.begin())] = values[i];
    }
  }
}

void read_learned(const GroupReader& group, LegRows& rows) {
  const auto metrics = group.texts("metrics");
  const auto best_step = group.integers("best_step");
  const auto training = group.integers("training_samples");
  const auto validation = group.integers("validation_samples");
  const auto test = group.integers("test_samples");
  const auto loss = group.numbers(sweep::test_loss);
  const auto accuracy = group.numbers(sweep::test_accuracy);
  const auto hits = group.texts("test_hits");
  const auto repeated = group.integers("repeated_samples");
  const auto peak = group.numbers("peak_memory");
  const auto start = group.numbers("start_time");
  const auto prepare = group.numbers("prepare_time");
  const auto checkpoint = group.texts("checkpoint");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sweep::Learned& learned = rows[i].learned;
    learned.curve.metrics = split(metrics[i]);
    learned.best_step = best_step[i];
    learned.training_samples = training[i];
    learned.validation_samples = validation[i];
    learned.test_samples = test[i];
    if (!std::isnan(loss[i])) learned.test_loss = loss[i];
    if (!std::isnan(accuracy[i])) learned.test_accuracy = accuracy[i];
    if (!hits[i].empty()) sweep::hits_of(hits[i], test[i]);  // refuses what says nothing of so many
    learned.test_hits = hits[i];
    learned.repeated_samples = repeated[i];
    learned.peak_bytes = zero_if_missing(peak[i]);
    learned.start_seconds = zero_if_missing(start[i]);
    learned.prepare_seconds = zero_if_missing(prepare[i]);
    learned.checkpoint = checkpoint[i];
  }
  read_best(group, rows);
}

void read_curves(const Ask& ask, LegRows& rows) {
  const GroupReader group(ask, curve_table, "evaluation");
  const auto leg = group.integers_in("leg_index", 0, rows.size());
  const auto step = group.integers("step");
  const auto samples = group.integers("samples");
  const auto train = group.numbers("train_time");
  const auto evaluate = group.numbers("evaluate_time");
  std::vector<sweep::CurvePoint*> points;
  std::vector<std::size_t> counts(rows.size());
  for (const std::int64_t at : leg) ++counts[static_cast<std::size_t>(at)];
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].learned.curve.points.reserve(counts[i]);
  for (std::size_t i = 0; i < leg.size(); ++i) {
    sweep::Curve& curve = rows[static_cast<std::size_t>(leg[i])].learned.curve;
    curve.points.push_back({step[i], samples[i], train[i], evaluate[i], {}});
    curve.points.back().values.resize(curve.metrics.size(), missing_number);
    points.push_back(&curve.points.back());
  }
  for (const std::string& metric : metrics_of(rows)) {
    const auto values = group.numbers(value_prefix + metric);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto& metrics = rows[static_cast<std::size_t>(leg[i])].learned.curve.metrics;
      const auto found = std::ranges::find(metrics, metric);
      if (found != metrics.end()) points[i]->values[static_cast<std::size_t>(found - metrics.begin())] = values[i];
    }
  }
}

}  // namespace

void write_legs(const File& file, const Results& results) {
  if (results.legs.empty()) return;
  GroupWriter group(file, leg_table);
  group.rows("leg", results.legs.size())
      .describe("stretches of training, each of one trial under one seed; by trial, then seed");
  write_leg_identity(group, results.legs);
  write_outcomes(group, results.legs);
  write_learned(group, results.legs);
  write_curves(file, results.legs);
}

void read_legs(const Ask& ask, Results& results) {
  if (!has_group(ask, leg_table)) return;
  const GroupReader group(ask, leg_table, "leg");
  results.legs.resize(group.rows());
  read_leg_identity(group, results.trials.size(), results.legs);
  read_outcomes(group, results.devices.size(), results.legs);
  read_learned(group, results.legs);
  read_curves(ask, results.legs);
}

}  // namespace regatta::results::hdf5

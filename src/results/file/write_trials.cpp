#include <fmt/format.h>

#include <algorithm>

#include "regatta/results/outcome_text.hpp"
#include "regatta/results/parameters_of.hpp"
#include "results/file/columns.hpp"
#include "results/file/file.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_writer.hpp"

namespace regatta::results::hdf5 {
namespace {

void write_integer_factor(GroupWriter& group, const sweep::Param& param, const std::vector<TrialRow>& trials) {
  const sweep::ParamInfo& row = sweep::info(param);
  bool has_null = false;
  const auto values = column<std::int64_t>(trials, [&](const TrialRow& trial) {
    const auto* held = std::get_if<std::int64_t>(&trial.parameters[param]);
    has_null |= held == nullptr;
    return held == nullptr ? null_integer : *held;
  });
  // Only where needed: readers turn integers with a fill value into floating point.
  std::optional<FillValue> fill;
  if (has_null) fill = null_integer;
  Variable variable = group.variable(fmt::format("f_{}", sweep::name_of(param)), {"trial"}, values, fill);
  variable.describe(std::string(row.description)).text("role", "factor");
  if (!row.unit.empty()) variable.unit(std::string(row.unit));
  if (has_null) variable.text("comment", "missing: this engine or model does not read it");
}

void write_text_factor(GroupWriter& group, const sweep::Param& param, const std::vector<TrialRow>& trials) {
  const sweep::ParamInfo& row = sweep::info(param);
  const auto values = column<std::string>(trials, [&](const TrialRow& trial) {
    const sweep::Value& value = trial.parameters[param];
    return std::holds_alternative<std::monostate>(value) ? std::string() : sweep::to_text(value);
  });
  group.variable(fmt::format("f_{}", sweep::name_of(param)), {"trial"}, values)
      .describe(std::string(row.description))
      .text("role", "factor")
      .text("comment", "empty: this engine or model does not read it");
}

void write_real_factor(GroupWriter& group, const sweep::Param& param, const std::vector<TrialRow>& trials) {
  const sweep::ParamInfo& row = sweep::info(param);
  const auto values = column<double>(trials, [&](const TrialRow& trial) {
    const auto* held = std::get_if<double>(&trial.parameters[param]);
    return held == nullptr ? missing_number : *held;
  });
  group.variable(fmt::format("f_{}", sweep::name_of(param)), {"trial"}, values, missing_number)
      .describe(std::string(row.description))
      .text("role", "factor")
      .text("comment", "missing: this engine or model does not read it");
}

void write_factors(GroupWriter& group, const Results& results) {
  for (const sweep::Param& param : all_parameters(results)) {
    const sweep::ParamType type = sweep::info(param).type;
    if (type == sweep::ParamType::integer)
      write_integer_factor(group, param, results.trials);
    else if (type == sweep::ParamType::real)
      write_real_factor(group, param, results.trials);
    else
      write_text_factor(group, param, results.trials);
  }
}

void write_outcomes(GroupWriter& group, const std::vector<TrialRow>& trials) {
  const auto put = [&](const char* name, const Column& values) { return group.variable(name, {"trial"}, values); };
  const auto causes = cause_names();
  put("status",
      column<std::int8_t>(trials, [](const TrialRow& t) { return flag_of(status_names, sweep::status_of(t.outcome)); }))
      .flags(status_names)
      .describe("how the trial ended");
  put("cause", column<std::int8_t>(trials, [&](const TrialRow& t) { return flag_of(causes, cause_of(t.outcome)); }))
      .flags(causes)
      .describe("kind of failure, or of skip");
  put("error_text", column<std::string>(trials, [](const TrialRow& t) { return message_of(t.outcome); }))
      .describe("message of a failed trial, reason of a skipped one");
  put("verified", column<std::int8_t>(trials, [](const TrialRow& t) { return static_cast<std::int8_t>(t.verified); }))
      .flags(verified_names)
      .describe("whether it was shown to do the same work as the others");
  for (const sweep::FactInfo& fact : sweep::fact_table) {
    if (!sweep::is_text(fact) || fact.column.empty()) continue;
    const std::string name(fact.column);
    put(name.c_str(),
        column<std::string>(trials, [&](const TrialRow& t) { return sweep::text_of(t.facts, fact.fact); }))
        .describe(std::string(fact.description));
  }
}

void write_places(GroupWriter& group, const std::vector<TrialRow>& trials) {
  const auto put = [&](const char* name, const Column& values) { return group.variable(name, {"trial"}, values); };
  put("attempt", column<std::int32_t>(trials, [](const TrialRow& t) { return t.attempt; }))
      .describe("attempt of its block that gave the result; 0: never ran");
  put("env_id", column<std::int32_t>(trials, [](const TrialRow& t) { return t.env; }))
      .describe("row of /envs; -1: none");
  put("host_id", column<std::int32_t>(trials, [](const TrialRow& t) { return t.host; }))
      .describe("row of /hosts; -1: none");
  put("device_id", column<std::int32_t>(trials, [](const TrialRow& t) { return t.device; }))
      .describe("row of /devices; -1: none");
  put("source_id", column<std::int32_t>(trials, [](const TrialRow& t) { return t.source; }))
      .describe("along source of /provenance: the file it was merged from; -1: it was not merged");
  group
      .variable("t_start", {"trial"},
                column<double>(trials, [](const TrialRow& t) { return date(t.start_wall_seconds); }), missing_number)
      .unit(dates)
      .describe("start of its block");
  group
      .variable("t_end", {"trial"}, column<double>(trials, [](const TrialRow& t) { return date(t.end_wall_seconds); }),
                missing_number)
      .unit(dates)
      .describe("end of its block");
}

void write_metrics(GroupWriter& group, const std::vector<TrialRow>& trials) {
  for (const auto& [metric, values] : metric_columns(trials)) {
    group.variable("m_" + metric.name, {"trial"}, values, missing_number)
        .unit(metric.unit)
        .describe(metric.description);
  }
}

/// Where each trial's samples stand in /samples (CF: contiguous ragged array).
void write_sample_ranges(GroupWriter& group, const Results& results) {
  std::vector<std::int64_t> counts(results.trials.size());
  std::vector<std::int64_t> starts(results.trials.size());
  for (const SampleRow& row : results.samples) ++counts[row.trial.value];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] = starts[i - 1] + counts[i - 1];
  group.variable("n_samples", {"trial"}, counts).describe("its rows in /samples").text("sample_dimension", "sample");
  group.variable("sample_start", {"trial"}, starts).describe("its first row in /samples");
}

}  // namespace

void write_trials(const File& file, const Results& results) {
  GroupWriter group(file, "trials");
  group.rows("trial", results.trials.size()).describe("index in the expanded sweep");
  group
      .variable("trial_hash", {"trial"},
                column<std::string>(results.trials, [](const TrialRow& t) { return to_string(t.hash); }))
      .describe("identity of the trial's parameters");
  write_factors(group, results);
  write_outcomes(group, results.trials);
  write_metrics(group, results.trials);
  write_places(group, results.trials);
  write_sample_ranges(group, results);
}

}  // namespace regatta::results::hdf5

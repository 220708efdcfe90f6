// Cells that were measured again with one thing changed: tables of their own, so that nobody takes them for trials.
#include <cmath>

#include "regatta/base/error.hpp"
#include "regatta/results/outcome_text.hpp"
#include "results/file/columns.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/netcdf_writer.hpp"
#include "results/file/sample_columns.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr const char* table = "interventions";
constexpr const char* sample_table = "intervention_samples";

using Rows = std::vector<InterventionRow>;

/// A figure that may be missing: where it stands in a row, in the file, and what it says.
struct Figure {
  double InterventionRow::*member;
  const char* name;
  const char* unit;
  const char* description;
};

constexpr Figure figures[] = {
    {&InterventionRow::step_seconds, "step_time", "s",
     "time of one step: total time of its steady samples / their steps"},
    {&InterventionRow::ratio, "ratio", "1", "time of a step / that of the cell as it is"},
    {&InterventionRow::low, "low", "1", "end of its 95 % interval"},
    {&InterventionRow::high, "high", "1", "end of its 95 % interval"},
    {&InterventionRow::removed_seconds, "removed", "s", "time of a step of the cell that the change removed"},
    {&InterventionRow::calls_seconds, "calls", "s", "a of step time = a + b batch; of the cell as it is"},
    {&InterventionRow::calls_low, "calls_low", "s", "end of the 95 % interval of a"},
    {&InterventionRow::calls_high, "calls_high", "s", "end of the 95 % interval of a"},
    {&InterventionRow::seconds_per_row, "per_row", "s", "b of step time = a + b batch"},
    {&InterventionRow::misfit, "misfit", "1", "largest |log(measured / fitted)| over the batches"},
};

void write_identity(GroupWriter& group, const Rows& rows) {
  const auto put = [&](const char* name, const Column& values) {
    return group.variable(name, {"intervention"}, values);
  };
  put("block_hash", column<std::string>(rows, [](const InterventionRow& r) { return to_string(r.block); }))
      .describe("identity of the block; its rows stand together");
  put("trial_index", column<std::uint32_t>(rows, [](const InterventionRow& r) { return r.trial.value; }))
      .describe("row of /trials: the cell that was changed");
  put("change", column<std::string>(rows, [](const InterventionRow& r) { return sweep::text_of(r.intervention); }))
      .describe("unchanged, input_resident, kernels_emptied, or another batch");
  put("status",
      column<std::int8_t>(rows, [](const auto& r) { return flag_of(status_names, sweep::status_of(r.outcome)); }))
      .flags(status_names)
      .describe("how it ended");
  put("cause", column<std::int8_t>(rows, [](const auto& r) { return flag_of(cause_names(), cause_of(r.outcome)); }))
      .flags(cause_names())
      .describe("kind of failure, or of skip");
  put("reason", column<std::string>(rows, [](const InterventionRow& r) { return message_of(r.outcome); }))
      .describe("message of one that failed, why one was skipped");
  put("verified", column<std::int8_t>(rows, [](const auto& r) { return static_cast<std::int8_t>(r.verified); }))
      .flags(verified_names)
      .describe("whether it was shown to do the same work as the cell; most interventions do not");
  put("verified_detail", column<std::string>(rows, [](const InterventionRow& r) { return r.verified_detail; }))
      .describe("what differed");
}

void write_judgement(GroupWriter& group, const Rows& rows) {
  const auto put = [&](const char* name, const Column& values, std::optional<FillValue> fill = {}) {
    return group.variable(name, {"intervention"}, values, fill);
  };
  for (const Figure& figure : figures) {
    put(figure.name, column<double>(rows, [&](const InterventionRow& r) { return r.*figure.member; }), missing_number)
        .unit(figure.unit)
        .describe(figure.description);
  }
  put("squares", column<std::int64_t>(rows, [](const InterventionRow& r) { return r.squares; }));
  put("processes", column<std::int64_t>(rows, [](const InterventionRow& r) { return r.processes; }));
  put("verdict", column<std::string>(rows, [](const InterventionRow& r) { return r.verdict; }))
      .describe("of the changed cell against the cell as it is");
  put("flags", column<std::string>(rows, [](const InterventionRow& r) { return r.flags; })).describe("comma separated");
  put("attempt", column<std::int32_t>(rows, [](const InterventionRow& r) { return r.attempt; }))
      .describe("attempt of its block that gave the result; 0: not done");
  put("t_start", column<double>(rows, [](const auto& r) { return date(r.start_wall_seconds); }), missing_number)
      .unit(dates);
  put("t_end", column<double>(rows, [](const auto& r) { return date(r.end_wall_seconds); }), missing_number)
      .unit(dates);
}

void read_identity(const GroupReader& group, std::size_t trials, Rows& rows) {
  const auto blocks = hashes(group, "block_hash");
  const auto trial = group.integers_in("trial_index", 0, trials);
  const auto change = group.texts("change");
  const auto status = group.integers_in("status", 0, status_names.size());
  const auto cause = group.integers_in("cause", 0, cause_names().size());
  const auto reason = group.texts("reason");
  const auto verified = group.integers_in("verified", 0, verified_names.size());
  const auto detail = group.texts("verified_detail");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto intervention = sweep::parse_intervention(change[i]);
    if (!intervention) throw InputError("/interventions/change holds '" + change[i] + "', which this version lacks");
    rows[i].block = blocks[i];
    rows[i].trial.value = static_cast<std::uint32_t>(trial[i]);
    rows[i].intervention = *intervention;
    rows[i].outcome = outcome_of(status[i], cause[i], reason[i]);
    rows[i].verified = static_cast<sweep::Verified>(verified[i]);
    rows[i].verified_detail = detail[i];
  }
}

void read_judgement(const GroupReader& group, Rows& rows) {
  for (const Figure& figure : figures) {
    const auto values = group.numbers(figure.name);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*figure.member = values[i];
  }
  const auto squares = group.integers("squares");
  const auto processes = group.integers("processes");
  const auto verdict = group.texts("verdict");
  const auto flags = group.texts("flags");
  const auto attempt = group.integers_in("attempt", 0, std::size_t{1} << 31);
  const auto start = group.numbers("t_start");
  const auto end = group.numbers("t_end");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].squares = squares[i];
    rows[i].processes = processes[i];
    rows[i].verdict = verdict[i];
    rows[i].flags = flags[i];
    rows[i].attempt = static_cast<std::int32_t>(attempt[i]);
    rows[i].start_wall_seconds = zero_if_missing(start[i]);
    rows[i].end_wall_seconds = zero_if_missing(end[i]);
  }
}

}  // namespace

void write_interventions(const File& file, const Results& results) {
  GroupWriter group(file, table);
  group.rows("intervention", results.interventions.size())
      .describe("cells measured again, as they are and with one thing changed: no trials");
  write_identity(group, results.interventions);
  write_judgement(group, results.interventions);
  GroupWriter samples(file, sample_table);
  samples.rows("sample", results.intervention_samples.size()).describe("by intervention, then time");
  samples
      .variable(
          "intervention_index", {"sample"},
          column<std::uint32_t>(results.intervention_samples, [](const InterventionSampleRow& s) { return s.row; }))
      .describe("row of /interventions");
  write_sample_columns(samples, results.intervention_samples);
}

void read_interventions(const Ask& ask, Results& results) {
  if (!has_group(ask, table)) return;
  const GroupReader group(ask, table, "intervention");
  results.interventions.resize(group.rows());
  read_identity(group, results.trials.size(), results.interventions);
  read_judgement(group, results.interventions);
  const GroupReader samples(ask, sample_table, "sample");
  const auto row = samples.integers_in("intervention_index", 0, results.interventions.size());
  results.intervention_samples.resize(samples.rows());
  for (std::size_t i = 0; i < row.size(); ++i) results.intervention_samples[i].row = static_cast<std::uint32_t>(row[i]);
  read_sample_columns(samples, results.intervention_samples);
}

}  // namespace regatta::results::hdf5

// /sessions: the batch job of each session, and what its orchestration cost.
#include <string>
#include <string_view>

#include "results/file/columns.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/netcdf_writer.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr const char* table = "sessions";

}  // namespace

void write_sessions(const File& file, const Results& results) {
  const std::vector<SessionRow>& rows = results.sessions;
  GroupWriter group(file, table);
  group.rows("session", rows.size()).describe("in the order of time; passes over recorded blocks are sessions, too");
  const auto put = [&](std::string_view name, const Column& values, std::optional<FillValue> fill = {}) {
    return group.variable(std::string(name), {"session"}, values, fill);
  };
  put("created", column<std::string>(rows, [](const SessionRow& s) { return s.created; }))
      .describe("when its command was given, ISO 8601, UTC");
  put("ended", column<std::int8_t>(rows, [](const SessionRow& s) { return static_cast<std::int8_t>(s.ended); }))
      .flags(yes_no_names)
      .describe("in order; no: it runs, or was cut off");
  put("source_id", column<std::int32_t>(rows, [](const SessionRow& s) { return s.source; }))
      .describe("along source of /provenance, the file that the row came from; -1: it was not merged");
  for (const BatchJobField& field : batch_job_fields)
    put(field.name, column<std::string>(rows, [&](const SessionRow& s) { return s.batch_job.*field.value; }))
        .describe(std::string(field.what));
  put(batch_job_restarts, column<std::int64_t>(rows, [](const SessionRow& s) { return s.batch_job.restarts; }))
      .describe("how often the job had come back into the queue before");
  for (const OrchestrationField& field : orchestration_fields)
    put(field.name, column<double>(rows, [&](const SessionRow& s) { return s.self.*field.value; }), missing_number)
        .unit(std::string(field.unit))
        .describe(std::string(field.what));
}

void read_sessions(const Ask& ask, Results& results) {
  if (!has_group(ask, table)) return;
  const GroupReader group(ask, table, "session");
  results.sessions.resize(group.rows());
  const auto created = group.texts("created");
  const auto ended = group.integers_in("ended", 0, yes_no_names.size());
  const auto source = group.integers_in("source_id", -1, results.sources.size());
  for (std::size_t i = 0; i < results.sessions.size(); ++i)
    results.sessions[i] = {
        .created = created[i], .ended = ended[i] != 0, .source = static_cast<std::int32_t>(source[i])};
  const auto restarts = group.integers(std::string(batch_job_restarts));
  for (std::size_t i = 0; i < results.sessions.size(); ++i) results.sessions[i].batch_job.restarts = restarts[i];
  for (const BatchJobField& field : batch_job_fields) {
    const auto texts = group.texts(std::string(field.name));
    for (std::size_t i = 0; i < results.sessions.size(); ++i) results.sessions[i].batch_job.*field.value = texts[i];
  }
  for (const OrchestrationField& field : orchestration_fields) {
    const auto values = group.numbers(std::string(field.name));
    for (std::size_t i = 0; i < results.sessions.size(); ++i) results.sessions[i].self.*field.value = values[i];
  }
}

}  // namespace regatta::results::hdf5

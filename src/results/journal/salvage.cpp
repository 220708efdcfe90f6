#include "regatta/results/salvage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/sample_log.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/journal/record_codec.hpp"

namespace regatta::results {
namespace {

constexpr double new_folder_lock_seconds = 1;  // nobody else knows the new folder

/// Samples of a result, whole; nothing if they are not.
std::optional<std::vector<stats::Sample>> samples_of(const std::optional<SampleLogReader>& log,
                                                     const SampleExtent& extent) {
  if (extent.count == 0) return std::vector<stats::Sample>{};
  if (!log) return std::nullopt;
  try {
    return log->read(extent);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<SampleLogReader> samples_in(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(samples_file(folder))) return std::nullopt;
  return SampleLogReader(samples_file(folder));
}

bool is_plan(const Record& record) { return record.kind == RecordKind::plan || record.kind == RecordKind::plan_again; }

/// The header of the session that has this plan, its own being lost: what another session of the sweep has.
Record header_for(const std::vector<Record>& records, const Record& plan) {
  for (const Record& record : records) {
    if (record.kind == RecordKind::header && record.hash == plan.hash) return record;
  }
  const PlanRecord planned = parse_plan(whole_plan(records, plan));
  HeaderRecord header;
  header.name = sweep::parse_sweep(planned.text, planned.file, sweep::any_environment()).name;
  header.provenance.sweep_file = planned.file.string();
  return to_record(header, plan.hash);
}

/// A session begins with its header and its plan: where a header is lost it is made anew.
std::vector<Record> with_headers(std::vector<Record> records) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!is_plan(records[i]) || (i > 0 && records[i - 1].kind == RecordKind::header)) continue;
    records.insert(records.begin() + static_cast<std::ptrdiff_t>(i), header_for(records, records[i]));
  }
  return records;
}

std::string sweep_name(const std::vector<Record>& records, const std::filesystem::path& damaged) {
  const auto header = std::ranges::find(records, RecordKind::header, &Record::kind);
  const bool has_plan = std::ranges::find(records, RecordKind::plan, &Record::kind) != records.end();
  if (header != records.end() && has_plan) return parse_header(*header).name;
  throw InputError(
      fmt::format("nothing of '{}' can be saved: no record of its plan is whole (what its results belong to is not "
                  "known); run the sweep again",
                  damaged.string()));
}

}  // namespace

Salvaged salvage(const std::filesystem::path& damaged, const std::filesystem::path& target) {
  Scan remains = whole_records(journal_file(damaged));
  Salvaged salvaged;
  const std::vector<Record> records = with_headers(std::move(remains.records));
  salvaged.name = sweep_name(records, damaged);
  for (const LostPiece& lost : remains.lost) {
    if (lost.bytes > 0) ++salvaged.damaged_lines;
    salvaged.missing_records += lost.missing;
  }
  if (std::filesystem::exists(target)) {
    throw InputError(fmt::format("'{}' is there already (its results would mix with these); choose another folder",
                                 target.string()));
  }
  create_private_folder(target);
  const std::optional<SampleLogReader> old_samples = samples_in(damaged);
  JournalWriter journal(journal_file(target), new_folder_lock_seconds);
  SampleLogWriter samples(samples_file(target));
  for (const Record& record : records) {
    if (record.kind != RecordKind::result) {
      journal.append(in_current_version(record));
    } else {
      ResultRecord result = parse_result(record);
      const auto own = samples_of(old_samples, result.samples);
      if (!own) {
        ++salvaged.lost_samples;
        continue;
      }
      result.samples = own->empty() ? SampleExtent{} : samples.append(*own);
      journal.append(to_record(result));
      ++salvaged.blocks;
    }
    ++salvaged.records;
  }
  samples.sync();
  journal.sync();
  return salvaged;
}

}  // namespace regatta::results

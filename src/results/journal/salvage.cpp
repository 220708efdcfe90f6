#include "regatta/results/salvage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/sample_log.hpp"
#include "regatta/results/store.hpp"
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

std::string sweep_name(const Scan& remains, const std::filesystem::path& damaged) {
  const auto has = [&](RecordKind kind) {
    return std::ranges::find(remains.records, kind, &Record::kind) != remains.records.end();
  };
  if (!has(RecordKind::header) || !has(RecordKind::plan)) {
    throw InputError(
        fmt::format("nothing of '{}' can be saved: no record of its plan is whole (what its results belong to is not "
                    "known); run the sweep again",
                    damaged.string()));
  }
  return parse_header(*std::ranges::find(remains.records, RecordKind::header, &Record::kind)).name;
}

}  // namespace

Salvaged salvage(const std::filesystem::path& damaged, const std::filesystem::path& target) {
  const Scan remains = whole_records(journal_file(damaged));
  Salvaged salvaged;
  salvaged.name = sweep_name(remains, damaged);
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
  for (const Record& record : remains.records) {
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

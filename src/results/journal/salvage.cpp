#include "regatta/results/salvage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/sample_log.hpp"
#include "regatta/results/store.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

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

/// The plan that counts: the last session's that has one. Nothing if none has.
const Record* last_plan_of(const std::vector<Record>& records) {
  const auto last = std::find_if(records.rbegin(), records.rend(), is_plan);
  return last == records.rend() ? nullptr : &whole_plan(records, *last);
}

std::string name_of_folder(std::filesystem::path folder) {
  if (!folder.has_filename()) folder = folder.parent_path();
  return folder.stem().string();
}

std::string name_of_sweep(const std::vector<Record>& records, const std::filesystem::path& damaged) {
  const auto header = std::find_if(records.rbegin(), records.rend(), is_header);
  return header == records.rend() ? name_of_folder(damaged) : parse_header(*header).name;
}

[[noreturn]] void refuse_given(const GivenSweep& given, const WholeSessions& whole,
                               const std::filesystem::path& damaged) {
  throw InputError(fmt::format(
      "'{}' (the sweep '{}') is not the sweep that the results in '{}' are of, which is '{}'. Results would be shown "
      "as those of other trials. Give the sweep with the text, the --set and the --only of that run",
      given.sweep.file.string(), given.sweep.name, damaged.string(), name_of_sweep(whole.records, damaged)));
}

void expect_plan(const GivenSweep* given, const WholeSessions& whole, const std::filesystem::path& damaged) {
  if (given != nullptr && !whole.fits_given) refuse_given(*given, whole, damaged);
  if (whole.has_plan) return;
  throw InputError(
      fmt::format("nothing of '{}' can be saved: no record of its plan is whole. Name the sweep that was run: `regatta "
                  "collect {} --salvage -o salvaged --sweep SWEEP.json`",
                  damaged.string(), shell_path(damaged)));
}

void expect_new(const std::filesystem::path& target) {
  if (!std::filesystem::exists(target)) return;
  throw InputError(
      fmt::format("'{}' is there already (its results would mix with these); choose another folder", target.string()));
}

/// Copies the records into the new folder.
class Copier {
 public:
  Copier(const std::filesystem::path& damaged, const std::filesystem::path& target, Salvaged& salvaged)
      : old_samples_(samples_in(damaged)),
        journal_(journal_file(target), new_folder_lock_seconds),
        samples_(samples_file(target)),
        salvaged_(salvaged) {}

  void copy(const Record& record) {
    if (record.kind == RecordKind::result) {
      if (!copy_result(record)) return;
    } else {
      journal_.append(record);
      if (is_plan(record)) journal_.sync();  // a journal begins with a header, a plan and their mark
    }
    ++salvaged_.records;
  }

  void sync() {
    samples_.sync();
    journal_.sync();
  }

 private:
  bool copy_result(const Record& record) {
    ResultRecord result = parse_result(record);
    const auto own = samples_of(old_samples_, result.samples);
    if (!own) {
      salvaged_.lost.push_back(loss_of_samples(record));
      return false;
    }
    result.samples = own->empty() ? SampleExtent{} : samples_.append(*own);
    journal_.append(to_record(result));
    ++salvaged_.blocks;
    return true;
  }

  std::optional<SampleLogReader> old_samples_;
  JournalWriter journal_;
  SampleLogWriter samples_;
  Salvaged& salvaged_;
};

}  // namespace

Salvaged salvage(const std::filesystem::path& damaged, const std::filesystem::path& target, const GivenSweep* given) {
  Scan remains = whole_records(journal_file(damaged));
  Salvaged salvaged;
  salvaged.lost = losses(remains);
  WholeSessions whole = whole_sessions(std::move(remains.records), remains.lost, given, name_of_folder(damaged));
  expect_plan(given, whole, damaged);
  salvaged.name = name_of_sweep(whole.records, damaged);
  expect_new(target);
  create_private_folder(target);
  Copier copier(damaged, target, salvaged);
  for (const Record& record : whole.records) copier.copy(record);
  copier.sync();
  sync_folder(target);  // the samples' file was made behind the journal's
  std::ranges::stable_sort(salvaged.lost, {}, [](const Loss& loss) { return loss.place.byte; });
  name_trials(salvaged, *last_plan_of(whole.records));
  salvaged.made_anew = std::move(whole.made_anew);
  salvaged.given_up = std::move(whole.given_up);
  return salvaged;
}

}  // namespace regatta::results

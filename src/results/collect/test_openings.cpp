#include "regatta/results/test_openings.hpp"

#include <map>
#include <set>
#include <string>
#include <system_error>
#include <unordered_map>
#include <variant>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "results/collect/collect.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace regatta::results {
namespace {

/// The samples that a trial trains on, hence is tested on: a file, a dataset that Regatta brings along, or what the
/// user's own model makes.
std::string data_of(const sweep::Sweep& sweep, const sweep::Parameters& parameters) {
  if (const sweep::Dataset* own = sweep::dataset_of(sweep, parameters))
    return "file " + std::filesystem::path(own->data).lexically_normal().string();
  const auto written = sweep.models.find(sweep::text_of(parameters, sweep::Param::model));
  if (written != sweep.models.end()) {
    if (const auto* own = std::get_if<model::UserModel>(&written->second))
      return "model " + (std::filesystem::path(own->folder) / own->python).lexically_normal().string();
  }
  const auto* dataset = std::get_if<std::string>(&parameters[sweep::Param::dataset]);
  return dataset == nullptr ? std::string() : "dataset " + *dataset;
}

std::set<std::string> data_of(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  std::set<std::string> data;
  for (const sweep::Trial& trial : plan.trials) data.insert(data_of(sweep, trial.parameters));
  return data;
}

/// By block, what it tests on.
using Tests = std::unordered_map<Hash128, std::string>;

Tests tests_of(const std::vector<Record>& records, const Record& record) {
  const PlanRecord planned = parse_plan(whole_plan(records, record));
  const sweep::Sweep sweep = sweep_of(planned, record);
  Tests tests;
  if (!sweep.search) return tests;
  const sweep::Plan plan = sweep::make_plan(sweep);
  for (const sweep::Block& block : plan.blocks) {
    if (block.leg && block.leg->purpose == sweep::Purpose::test)
      tests.emplace(block.hash, data_of(sweep, plan.trials[block.arms.front().value].parameters));
  }
  return tests;
}

/// Passes of a journal in which one of these data were tested on.
std::int64_t passes_that_opened(const Scan& journal, const std::set<std::string>& data) {
  std::map<Hash128, Tests> known;  // by the plan's hash: most passes are of one
  const Tests* tests = nullptr;
  std::int64_t passes = 0;
  bool opened = false;
  for (const Record& record : journal.records) {
    if (record.kind == RecordKind::header) {
      passes += opened ? 1 : 0;
      opened = false;
    } else if (is_plan(record)) {
      const auto [found, is_new] = known.try_emplace(record.hash);
      if (is_new) found->second = tests_of(journal.records, record);
      tests = &found->second;
    } else if (tests != nullptr && (record.kind == RecordKind::granted || record.kind == RecordKind::result)) {
      const auto test = tests->find(record.hash);
      opened = opened || (test != tests->end() && data.contains(test->second));
    }
  }
  return passes + (opened ? 1 : 0);
}

/// Folders of other runs in the same folder.
std::vector<std::filesystem::path> runs_beside(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> runs;
  std::error_code ignored;  // a folder that cannot be listed counts as no run
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::absolute(folder).parent_path(), ignored)) {
    const std::filesystem::path& path = entry.path();
    const bool is_run = path.extension() == ".regatta" && std::filesystem::exists(journal_file(path), ignored);
    if (is_run && !std::filesystem::equivalent(path, folder, ignored)) runs.push_back(path);
  }
  return runs;
}

}  // namespace

TestOpenings test_openings(const std::filesystem::path& folder) {
  const Scan own = read_store(folder);
  const LastPlan planned = last_plan(folder, own.records);
  const std::set<std::string> data = data_of(planned.sweep, planned.plan);
  TestOpenings openings{.passes = passes_that_opened(own, data), .unread = 0};
  for (const std::filesystem::path& other : runs_beside(folder)) {
    try {
      openings.passes += passes_that_opened(read_store(other), data);
    } catch (const InputError&) {
      ++openings.unread;
    }
  }
  return openings;
}

}  // namespace regatta::results

#include "job/start_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "job/job.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::launcher {
namespace {

using nlohmann::json;

constexpr double longest_seconds = 1e6;

double seconds_from(const json& value) {
  const double seconds = value;
  if (seconds >= 0 && seconds <= longest_seconds) return seconds;
  throw InputError(fmt::format("a start of {} s", seconds));
}

sweep::StartTimes times_from(const json& from) {
  return {seconds_from(from.at("start")), seconds_from(from.at("prepare")), seconds_from(from.at("first_step"))};
}

bool is_same_but_model(const StartKey& a, StartKey b) {
  b.model = a.model;
  return a == b;
}

std::optional<sweep::StartTimes> medians(const std::vector<sweep::StartTimes>& all) {
  if (all.empty()) return std::nullopt;
  const auto of = [&](double sweep::StartTimes::*part) {
    std::vector<double> values;
    for (const sweep::StartTimes& each : all) values.push_back(each.*part);
    return stats::median(std::move(values));
  };
  return sweep::StartTimes{of(&sweep::StartTimes::start), of(&sweep::StartTimes::prepare),
                           of(&sweep::StartTimes::first_step)};
}

}  // namespace

StartHistory::StartHistory(const std::filesystem::path& cache_folder) {
  if (cache_folder.empty()) return;
  file_ = cache_folder / "start-times.json";
  const bool is_read = read_cache_file(file_, "how long engines take to start is learnt anew",
                                       [&](const json& document) { read(document); });
  if (!is_read) entries_.clear();
}

void StartHistory::read(const json& read) {
  for (const json& from : read.at("starts")) {
    Entry& entry = entries_.emplace_back();
    entry.key = {from.at("engine"), from.at("environment"), from.at("program"), from.at("mode"), from.at("model")};
    entry.version = from.at("version");
    for (const json& times : from.at("times")) entry.times.push_back(times_from(times));
  }
}

std::optional<sweep::StartTimes> StartHistory::times(const StartKey& key) const {
  std::vector<sweep::StartTimes> of_others;
  for (const Entry& entry : entries_) {
    if (entry.key == key) return medians(entry.times);
    if (is_same_but_model(entry.key, key)) of_others.insert(of_others.end(), entry.times.begin(), entry.times.end());
  }
  return medians(of_others);
}

void StartHistory::add(const LearntStart& learnt) {
  std::erase_if(entries_, [&](const Entry& entry) {
    return is_same_but_model(entry.key, learnt.key) && entry.version != learnt.version;
  });
  Entry entry{learnt.key, learnt.version, {}};
  const auto known = std::ranges::find(entries_, learnt.key, &Entry::key);
  if (known != entries_.end()) {
    entry = std::move(*known);
    entries_.erase(known);
  }
  entry.times.push_back(learnt.times);
  if (entry.times.size() > most_start_values) entry.times.erase(entry.times.begin());
  entries_.push_back(std::move(entry));
  if (entries_.size() > most_start_keys) entries_.erase(entries_.begin());
}

void StartHistory::remember(const std::vector<LearntStart>& learnt) {
  if (learnt.empty() || !is_kept()) return;
  for (const LearntStart& each : learnt) add(each);
  json starts = json::array();
  for (const Entry& entry : entries_) {
    json times = json::array();
    for (const auto& [start, prepare, first_step] : entry.times)
      times.push_back({{"start", start}, {"prepare", prepare}, {"first_step", first_step}});
    starts.push_back({{"engine", entry.key.engine},
                      {"environment", entry.key.environment},
                      {"program", entry.key.program},
                      {"mode", entry.key.mode},
                      {"model", entry.key.model},
                      {"version", entry.version},
                      {"times", times}});
  }
  try {
    write_cache_file(file_, json{{"starts", starts}});
  } catch (const std::exception& error) {
    log::warn(fmt::format("how long engines took to start cannot be kept ({}); the next run cannot foretell its time",
                          error.what()));
  }
}

}  // namespace regatta::launcher

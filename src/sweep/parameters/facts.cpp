#include "regatta/sweep/facts.hpp"

#include <algorithm>
#include <array>

#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"
#include "regatta/sweep/metrics.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {
namespace {

constexpr std::array<std::string_view, 10> measured_names = {
    "step_time",  "step_time_mean", "samples_per_second", "cold_start", "warm_start", "start_time",
    "first_step", "calls",          "call_slices",        "n"};

/// Other columns of a row, in a table and in the file.
constexpr std::array<std::string_view, 14> row_names = {"reason", "attempt", "environment", "version",   "host",
                                                        "slot",   "source",  "t_start",     "t_end",     "flags",
                                                        "env_id", "host_id", "device_id",   "error_text"};

[[noreturn]] void refuse_number() { throw InternalError("a fact that is a number has no text"); }

std::string written(const std::string& text) { return text; }
std::string written(double) { refuse_number(); }
std::string written(std::int64_t) { refuse_number(); }
std::string written(WhyStopped why) { return to_string(why); }
std::string written(const ProcessPeaks& peaks) { return peaks_text(peaks); }
std::string written(const ProgramResults& results) { return results_json(results); }
std::string written(const std::vector<BucketTimes>& buckets) { return to_json(buckets); }
std::string written(const std::vector<RankTimes>& ranks) { return to_json(ranks); }

void read(std::string_view text, std::string& value) { value = text; }
void read(std::string_view, double&) { refuse_number(); }
void read(std::string_view, std::int64_t&) { refuse_number(); }
void read(std::string_view text, WhyStopped& why) {
  const auto found = state_of<WhyStopped>(why_stopped_names, text);
  if (!found) throw InputError(json::show(text) + " is no reason for which measuring stops");
  why = *found;
}
void read(std::string_view text, ProcessPeaks& peaks) { peaks = parse_peaks(text); }
void read(std::string_view text, ProgramResults& results) { results = parse_results(text); }
void read(std::string_view text, std::vector<BucketTimes>& buckets) { buckets = parse_buckets(text); }
void read(std::string_view text, std::vector<RankTimes>& ranks) { ranks = parse_ranks(text); }

}  // namespace

const FactInfo& info(Fact fact) {
  const auto found = std::ranges::find(fact_table, fact, &FactInfo::fact);
  expect(found != fact_table.end(), "every fact stands in the table");
  return *found;
}

std::string text_of(const FactValue& value) {
  return std::visit([](const auto& held) { return written(held); }, value);
}

FactValue parse_fact(const FactInfo& info, std::string_view text) {
  FactValue value = info.zero;
  std::visit([&](auto& held) { read(text, held); }, value);
  return value;
}

void set(Facts& facts, Fact fact, FactValue value) {
  const FactInfo& row = info(fact);
  expect(value.index() == row.zero.index(), "a fact has the type that the table gives it");
  std::erase_if(facts, [&](const KnownFact& known) { return known.fact == fact; });
  if (value == row.zero) return;
  const auto behind = std::ranges::upper_bound(facts, fact, {}, &KnownFact::fact);
  facts.insert(behind, {fact, std::move(value)});
}

void merge(Facts& facts, const Facts& more) {
  for (const KnownFact& known : more) set(facts, known.fact, known.value);
}

const FactValue& value_of(const Facts& facts, Fact fact) {
  const auto found = std::ranges::find(facts, fact, &KnownFact::fact);
  return found == facts.end() ? info(fact).zero : found->value;
}

std::string text_of(const Facts& facts, Fact fact) { return text_of(value_of(facts, fact)); }

double number_of(const Facts& facts, Fact fact) {
  const FactValue& value = value_of(facts, fact);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return static_cast<double>(*count);
  return std::get<double>(value);
}

bool is_named_by_results(std::string_view name) {
  constexpr std::string_view taken[] = {"trial_hash", "baseline_hash", "own",      "status",
                                        "trial",      "verdict",       "verified", "cause"};
  constexpr std::string_view prefixes[] = {"m_", "f_", "baseline_"};
  return std::ranges::find(taken, name) != std::end(taken) ||
         std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool may_be_result(std::string_view name) {
  const auto is_known = [&](const MetricInfo& row) {
    return name.starts_with(row.name) && (name == row.name || row.quantile);  // with the ends of its interval
  };
  const auto is_column = [&](const FactInfo& row) { return row.column == name; };
  return is_own_name(name) && !is_named_by_results(name) &&
         std::ranges::find(measured_names, name) == measured_names.end() &&
         std::ranges::find(row_names, name) == row_names.end() && std::ranges::none_of(metric_table, is_known) &&
         std::ranges::none_of(fact_table, is_column);
}

}  // namespace regatta::sweep

#include "regatta/results/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/base/suggestion.hpp"
#include "regatta/results/outcome_text.hpp"
#include "regatta/results/told_results.hpp"
#include "results/collect/metrics.hpp"
#include "results/query/columns.hpp"
#include "results/query/leg_tables.hpp"

namespace regatta::results {
namespace {

using sweep::Value;

void add_outcome(Columns<TrialRow>& columns) {
  columns.text("status", [](const TrialRow& row) { return sweep::status_of(row.outcome); });
  columns.text("cause", [](const TrialRow& row) { return cause_of(row.outcome); });
  columns.text("reason", [](const TrialRow& row) { return message_of(row.outcome); });
  columns.text("verified", [](const TrialRow& row) { return sweep::to_string(row.verified); });
  for (const sweep::FactInfo& fact : sweep::fact_table) {
    if (!sweep::is_text(fact) || fact.column.empty()) continue;
    columns.text(std::string(fact.column).c_str(),
                 [id = fact.fact](const TrialRow& row) { return sweep::text_of(row.facts, id); });
  }
}

/// The known metrics in the file's order, then whatever else was recorded.
void add_metrics(Columns<TrialRow>& columns, const Results& results) {
  std::map<std::string, std::string> others;
  for (const TrialRow& row : results.trials) {
    for (const auto& [name, value] : row.metrics) others.emplace(name, "1");
  }
  for (const auto& [name, unit] : result_units(results.trials)) others[name] = unit;
  const auto add = [&](const std::string& name, const std::string& unit) {
    columns.add(name, unit, true, [name](const TrialRow& row) {
      const auto found = row.metrics.find(name);
      return found == row.metrics.end() ? Value() : number(found->second);
    });
  };
  for (const MetricInfo& metric : metric_table()) {
    others.erase(std::string(metric.name));
    add(std::string(metric.name), std::string(metric.unit));
  }
  for (const auto& [name, unit] : others) add(name, unit);
}

/// The item that a row refers to by its position; nothing if it refers to none.
template <class Item>
const Item* item_at(const std::vector<Item>& items, std::int32_t position) {
  const auto index = static_cast<std::size_t>(position);
  return position >= 0 && index < items.size() ? &items[index] : nullptr;
}

void add_places(Columns<TrialRow>& columns, const Results& results) {
  columns.add("attempt", "", true, [](const TrialRow& row) { return integer(row.attempt); });
  columns.text("environment", [&results](const TrialRow& row) {
    const Env* env = item_at(results.envs, row.env);
    return env == nullptr ? std::string() : env->name;
  });
  columns.text("version", [&results](const TrialRow& row) {
    const Env* env = item_at(results.envs, row.env);
    return env == nullptr ? std::string() : env->version;
  });
  columns.text("host", [&results](const TrialRow& row) {
    const Host* host = item_at(results.hosts, row.host);
    return host == nullptr ? std::string() : host->name;
  });
  columns.text("node", [&results](const TrialRow& row) {
    const Host* host = item_at(results.hosts, row.host);
    return host == nullptr ? std::string() : host->node;
  });
  columns.text("slot", [&results](const TrialRow& row) {
    const SlotRow* device = item_at(results.devices, row.device);
    return device == nullptr ? std::string() : device->name;
  });
  columns.text("source", [&results](const TrialRow& row) {
    const Source* source = item_at(results.sources, row.source);
    return source == nullptr ? std::string() : source->file;
  });
  columns.add("t_start", "s", true, [](const TrialRow& row) { return date(row.start_wall_seconds); });
  columns.add("t_end", "s", true, [](const TrialRow& row) { return date(row.end_wall_seconds); });
}

/// The flags that tell of disturbances of a trial: those of its blocks and its slot.
class TrialFlags {
 public:
  explicit TrialFlags(const Results& results) : results_(results), of_(results.trials.size()) {
    for (const BlockRow& block : results.blocks) {
      for (const TrialIndex arm : block.arms) of_[arm.value].add(block.flags);
    }
    for (std::size_t i = 0; i < of_.size(); ++i) {
      const SlotRow* slot = item_at(results.devices, results.trials[i].device);
      if (slot != nullptr) of_[i].add(slot->flags);
    }
  }
  std::string operator()(const TrialRow& row) const {
    return stats::text_of(of_[static_cast<std::size_t>(&row - results_.trials.data())]);
  }

 private:
  const Results& results_;
  std::vector<stats::Flags> of_;  ///< by trial
};

Table trials_table(const Results& results) {
  Table table{"trials", {}, {}, {}};
  Columns<TrialRow> columns(table, results.trials);
  columns.text("trial_hash", [](const TrialRow& row) { return to_string(row.hash); });
  add_parameters(columns, "", all_parameters(results),
                 [](const TrialRow& row) -> const sweep::Parameters& { return row.parameters; });
  add_outcome(columns);
  add_metrics(columns, results);
  add_places(columns, results);
  columns.text("flags", TrialFlags(results));
  return table;
}

Table contrasts_table(const Results& results) {
  Table table{"contrasts", {}, {}, {}};
  Columns<ContrastRow> columns(table, results.contrasts);
  const auto a = [&results](const ContrastRow& row) -> const TrialRow& { return results.trials[row.a.value]; };
  const auto b = [&results](const ContrastRow& row) -> const TrialRow& { return results.trials[row.b.value]; };
  columns.text("trial_hash", [a](const ContrastRow& row) { return to_string(a(row).hash); });
  columns.text("baseline_hash", [b](const ContrastRow& row) { return to_string(b(row).hash); });
  add_parameters(columns, "", all_parameters(results),
                 [a](const ContrastRow& row) -> const sweep::Parameters& { return a(row).parameters; });
  add_parameters(columns, "baseline_", all_parameters(results),
                 [b](const ContrastRow& row) -> const sweep::Parameters& { return b(row).parameters; });
  columns.text("metric", [](const ContrastRow& row) { return row.metric; });
  columns.text("metric_unit", [](const ContrastRow& row) { return row.unit; });
  columns.text("verdict", [](const ContrastRow& row) { return row.verdict; });
  columns.add("confirmed", "", true, [](const ContrastRow& row) { return integer(row.confirmed ? 1 : 0); });
  const auto add = [&](const char* name, double ContrastRow::*member) {
    columns.add(name, "1", true, [member](const ContrastRow& row) { return number(row.*member); });
  };
  add("ratio", &ContrastRow::ratio);
  columns.text("scale", [](const ContrastRow& row) { return row.scale; });
  columns.add("difference", "", true, [](const ContrastRow& row) { return number(row.difference); });
  add("low", &ContrastRow::low);
  add("high", &ContrastRow::high);
  add("margin", &ContrastRow::margin);
  add("resolution", &ContrastRow::resolution);
  add("e_value", &ContrastRow::e_value);
  columns.add("squares", "", true, [](const ContrastRow& row) { return integer(row.squares); });
  columns.add("processes", "", true, [](const ContrastRow& row) { return integer(row.processes); });
  columns.text("replicates", [](const ContrastRow& row) { return row.replicates; });
  columns.text("why_stopped", [](const ContrastRow& row) { return row.why_stopped; });
  columns.text("flags", [](const ContrastRow& row) { return row.flags; });
  columns.text("text", [](const ContrastRow& row) { return row.text; });
  return table;
}

Table samples_table(const Results& results) {
  Table table{"samples", {}, {}, {}};
  Columns<SampleRow> columns(table, results.samples);
  const auto trial = [&results](const SampleRow& row) -> const TrialRow& { return results.trials[row.trial.value]; };
  columns.text("trial_hash", [trial](const SampleRow& row) { return to_string(trial(row).hash); });
  add_parameters(columns, "", axes_of_sweep(results),
                 [trial](const SampleRow& row) -> const sweep::Parameters& { return trial(row).parameters; });
  const auto add = [&](const char* name, auto take) { columns.add(name, "", true, take); };
  add("block_index", [](const SampleRow& row) { return integer(row.block.value); });
  add("arm", [](const SampleRow& row) { return integer(row.sample.arm); });
  add("slice", [](const SampleRow& row) { return integer(row.sample.slice); });
  add("rank", [](const SampleRow& row) { return integer(row.sample.rank); });
  add("square", [](const SampleRow& row) { return integer(row.sample.square); });
  columns.text("phase", [](const SampleRow& row) { return stats::name_of(row.sample.phase); });
  add("flags", [](const SampleRow& row) { return integer(row.sample.flags); });
  add("steps", [](const SampleRow& row) { return integer(row.sample.steps); });
  columns.add("t_start", "s", true, [](const SampleRow& row) { return number(row.sample.start_seconds); });
  columns.add("wall_s", "s", true, [](const SampleRow& row) { return number(row.sample.seconds); });
  return table;
}

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns) names.push_back(column.name);
  return names;
}

}  // namespace

const std::vector<std::string>& table_names() {
  static const std::vector<std::string> names = {"trials", "contrasts", "samples", "legs", "curves"};
  return names;
}

namespace {

Table table_of(const Results& results, std::string_view name) {
  if (name == "trials") return trials_table(results);
  if (name == "contrasts") return contrasts_table(results);
  if (name == "samples") return samples_table(results);
  if (name == "legs") return legs_table(results);
  if (name == "curves") return curves_table(results);
  throw InputError(fmt::format("there is no table '{}'; the tables are {}", name, fmt::join(table_names(), ", ")));
}

/// An axis of the sweep's own keeps its name; another column of that name is told by its m_.
void tell_apart(Table& table) {
  std::set<std::string> seen;
  for (TableColumn& column : table.columns) {
    if (!seen.insert(column.name).second) column.name.insert(0, "m_");
  }
}

}  // namespace

Table make_table(const Results& results, std::string_view name) {
  Table table = table_of(results, name);
  tell_apart(table);
  return table;
}

namespace {

/// The names of columns in the file (docs/reference/results.md), where they differ by more than a prefix.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> names_in_file = {
    {{"error_text", "reason"}, {"env_id", "environment"}, {"host_id", "host"}, {"device_id", "slot"}}};

}  // namespace

const TableColumn& column_of(const Table& table, std::string_view name) {
  std::string_view plain = name;
  if (const auto exact = std::ranges::find(table.columns, name, &TableColumn::name); exact != table.columns.end())
    return *exact;
  if (plain.starts_with("f_") || plain.starts_with("m_")) plain.remove_prefix(2);
  const auto in_file = std::ranges::find(names_in_file, plain, [](const auto& names) { return names.first; });
  if (in_file != names_in_file.end()) plain = in_file->second;
  const auto found = std::ranges::find(table.columns, plain, &TableColumn::name);
  if (found != table.columns.end()) return *found;
  const std::vector<std::string> names = names_of(table);
  const std::string near = nearest_name(plain, names);
  throw InputError(fmt::format("there is no column '{}' in {}; {}", name, table.name,
                               near.empty() ? fmt::format("the columns are {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean '{}'?", near)));
}

}  // namespace regatta::results

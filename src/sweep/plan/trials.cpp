#include "sweep/plan/trials.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <utility>

#include "regatta/json/text.hpp"
#include "regatta/sweep/spec.hpp"
#include "sweep/parameters/parameters_json.hpp"
#include "sweep/read/problem.hpp"

namespace regatta::sweep {
namespace {

/// ,"command_spec":{...} with the program as the sweep names it: identity must not depend on where the file lies.
void append_command_spec(std::string& text, const Command& command) {
  text += ",\"command_spec\":{\"argv\":[";
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    if (i > 0) text += ',';
    const bool as_written = i == 0 && !command.program_as_written.empty();
    json::append_quoted(text, as_written ? command.program_as_written : command.argv[i]);
  }
  text += "],\"metric\":" + json::quote(command.metric_key) + "}";
}

/// ,"dataset_spec":{...}: files as the sweep names them, and what is made of their numbers.
void append_dataset_spec(std::string& text, const Dataset& dataset) {
  text += ",\"dataset_spec\":{\"data\":" + json::quote(dataset.data_as_written);
  if (!dataset.labels.empty()) text += ",\"labels\":" + json::quote(dataset.labels_as_written);
  if (!dataset.label_column.empty()) text += ",\"label_column\":" + json::quote(dataset.label_column);
  if (dataset.scale) text += ",\"scale\":" + to_json(Value(*dataset.scale));
  if (dataset.shift != 0) text += ",\"shift\":" + to_json(Value(dataset.shift));
  text += "}";
}

/// ,"train_spec":{...}: what a run is, and which of its evaluations is the best one. How many runs there are adds
/// blocks to a trial and changes nothing of it.
void append_train_spec(std::string& text, const Training& training, const Objective& objective) {
  text += ",\"train_spec\":{";
  if (training.epochs) text += "\"epochs\":" + to_json(Value(*training.epochs));
  if (training.steps) text += "\"steps\":" + to_json(Value(*training.steps));
  text += ",\"evaluations\":" + to_json(Value(training.evaluations));
  text += ",\"validation\":" + to_json(Value(training.validation));
  if (training.early_stop) {
    text += ",\"patience\":" + to_json(Value(training.early_stop->patience));
    text += ",\"min_delta\":" + to_json(Value(training.early_stop->min_delta));
  }
  text += ",\"metric\":" + json::quote(objective.metric);
  text += ",\"goal\":" + json::quote(objective.maximizes ? "maximize" : "minimize") + "}";
}

/// What the sweep writes out of a trial's model, program or data.
std::string written_out(const Sweep& sweep, const Parameters& parameters, const Kind& kind) {
  std::string text = kind.written_out;
  if (const auto* name = std::get_if<std::string>(&parameters[Param::command]))
    append_command_spec(text, sweep.commands.at(*name));
  if (const Dataset* dataset = dataset_of(sweep, parameters)) append_dataset_spec(text, *dataset);
  if (sweep.training) append_train_spec(text, *sweep.training, sweep.objective);
  return text;
}

void append_canonical(std::string& text, const Parameters& parameters, std::string_view written_out) {
  append_json(text, parameters);
  text.insert(text.size() - 1, written_out);
}

/// Why nothing is left to measure.
[[noreturn]] void refuse_nothing_left(const Sweep& sweep) {
  const std::string expected = "at least one point to stay";
  if (!sweep.left_out.empty()) {
    const LeftOut& left = sweep.left_out.front();
    json::refuse(place_in(sweep, "/axes/" + std::string(name_of(left.param))),
                 {fmt::format("no level that is here ({} is left out: {})", to_text(left.level),
                              left.reason.empty() ? "it was not found" : left.reason),
                  expected, ""});
  }
  if (!sweep.excludes.empty())
    json::refuse(place_in(sweep, "/exclude"), {"exclusions that leave no point", expected, ""});
  json::refuse(place_in(sweep, "/axes"), {"no point that --only keeps", expected, ""});
}

/// What of the point is read. `parameters` are those of a point before it: they share what has not changed.
void set_read(Parameters& parameters, const Point& point, const Kind& kind) {
  const Parameters& before = parameters;
  const Value null;
  for (const ParamInfo& row : parameter_table()) {
    const Value& value = kind.read[row.param] ? point.values[row.param] : null;
    if (before[row.param] != value) parameters.set(row.param, value);
  }
  for (std::size_t at = before.own().size(); at > 0; --at) {
    const Param param = before.own()[at - 1].param;
    if (!kind.read[param] || point.values[param] == null) parameters.set(param, null);
  }
  for (const auto& [param, value] : point.values.own()) {
    if (kind.read[param] && before[param] != value) parameters.set(param, value);
  }
}

/// Which trial each point is, in order of first appearance, and what identifies it.
struct Identities {
  std::vector<TrialIndex> of_point;
  std::vector<Hash128> of_trial;
};

Identities identify(const Sweep& sweep, const Points& points, Kinds& kinds) {
  Identities found;
  std::unordered_map<Hash128, TrialIndex> known;
  found.of_point.reserve(points.at_most());
  known.reserve(points.at_most());
  std::string canonical;
  Parameters parameters;
  points.each([&](const Point& point) {
    const Kind& kind = kinds.kind_at(point);
    set_read(parameters, point, kind);
    canonical.clear();
    append_canonical(canonical, parameters, written_out(sweep, parameters, kind));
    const Hash128 hash = hash128(canonical);
    const auto [entry, is_new] = known.try_emplace(hash, TrialIndex{static_cast<std::uint32_t>(known.size())});
    if (is_new) found.of_trial.push_back(hash);
    found.of_point.push_back(entry->second);
  });
  return found;
}

}  // namespace

std::string Trial::canonical() const {
  std::string text;
  append_canonical(text, parameters, written_out);
  return text;
}

std::vector<TrialIndex> add_trials(const Sweep& sweep, const Points& points, Kinds& kinds, Plan& plan) {
  Identities found = identify(sweep, points, kinds);
  plan.trials.reserve(found.of_trial.size());  // no room for those that are merged
  std::size_t at = 0;
  Parameters parameters;
  points.each([&](const Point& point) {
    const TrialIndex index = found.of_point[at++];
    if (index.value != plan.trials.size()) return;
    const Kind& kind = kinds.kind_at(point);
    Trial& trial = plan.trials.emplace_back();
    trial.index = index;
    trial.hash = found.of_trial[index.value];
    set_read(parameters, point, kind);
    trial.parameters = parameters;
    trial.written_out = written_out(sweep, trial.parameters, kind);
    trial.skip_reason = kinds.skip_of(trial.parameters);
  });
  if (plan.trials.empty()) refuse_nothing_left(sweep);
  plan.points = static_cast<std::int64_t>(found.of_point.size());
  plan.merged = plan.points - static_cast<std::int64_t>(plan.trials.size());
  return std::move(found.of_point);
}

}  // namespace regatta::sweep

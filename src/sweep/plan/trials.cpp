#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <utility>

#include "regatta/json/text.hpp"
#include "regatta/sweep/spec.hpp"
#include "sweep/parameters/parameters.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

/// ,"sources":[{...}]: where numbers are looked for decides what they are.
void append_sources(std::string& text, const std::vector<ResultSource>& sources) {
  const char* separator = ",\"sources\":[";
  for (const ResultSource& source : sources) {
    text += std::exchange(separator, ",");
    text += "{\"name\":" + json::quote(source.name);
    const std::pair<const char*, const std::string*> parts[] = {{"file", &source.file},
                                                                {"pattern", &source.pattern},
                                                                {"column", &source.column},
                                                                {"key", &source.key},
                                                                {"unit", &source.unit}};
    for (const auto& [key, value] : parts) {
      if (!value->empty()) text += "," + json::quote(key) + ":" + json::quote(*value);
    }
    text += '}';
  }
  if (!sources.empty()) text += ']';
}

/// ,"command_spec":{...} with the program as the sweep names it: identity must not depend on where the file lies.
void append_command_spec(std::string& text, const Command& command) {
  text += ",\"command_spec\":{\"argv\":[";
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    if (i > 0) text += ',';
    const bool as_written = i == 0 && !command.program_as_written.empty();
    json::append_quoted(text, as_written ? command.program_as_written : command.argv[i]);
  }
  text += "],\"metric\":" + json::quote(command.metric_key);
  for (std::size_t i = 0; i < command.results.size(); ++i)
    text += (i == 0 ? ",\"results\":[" : ",") + json::quote(command.results[i]);
  if (!command.results.empty()) text += ']';
  append_sources(text, command.sources);
  if (command.folder != WorkFolder::none)
    text += command.folder == WorkFolder::kept ? R"(,"folder":"kept")" : R"(,"folder":"removed")";
  if (command.launch != Launch::once)
    text += ",\"launch\":" + json::quote(launch_names[static_cast<std::size_t>(command.launch)]);
  text += '}';
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

/// The parts of a trial's model, program or data that the sweep writes out.
std::string written_out(const Sweep& sweep, const Parameters& parameters, const Kind& kind) {
  std::string text = kind.written_out;
  if (const auto* name = std::get_if<std::string>(&parameters[Param::command]))
    append_command_spec(text, sweep.commands.at(*name));
  if (const Dataset* dataset = dataset_of(sweep, parameters))
    text += ",\"dataset_spec\":" + to_json(*dataset, Paths::as_written);
  if (sweep.training) append_train_spec(text, *sweep.training, sweep.objective);
  return text;
}

void append_canonical(std::string& text, const Parameters& parameters, std::string_view written_out) {
  append_json(text, parameters, Nulls::left_out);
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

/// Sets the parameters of the point that are read. `parameters` are those of a point before it: they share unchanged
/// values.
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

}  // namespace

std::string Trial::canonical() const {
  std::string text;
  append_canonical(text, parameters, written_out);
  return text;
}

std::vector<TrialIndex> add_trials(const Sweep& sweep, const Points& points, Kinds& kinds, Plan& plan) {
  std::vector<TrialIndex> of_points;
  std::unordered_map<Hash128, TrialIndex> known;
  of_points.reserve(points.at_most());
  known.reserve(points.at_most());
  plan.trials.reserve(points.at_most());
  std::string canonical;
  Parameters parameters;
  points.each([&](const Point& point) {
    const Kind& kind = kinds.kind_at(point);
    set_read(parameters, point, kind);
    std::string spec = written_out(sweep, parameters, kind);
    canonical.clear();
    append_canonical(canonical, parameters, spec);
    const Hash128 hash = hash128(canonical);
    const TrialIndex next{static_cast<std::uint32_t>(known.size())};
    const auto [entry, is_new] = known.try_emplace(hash, next);
    of_points.push_back(entry->second);
    if (is_new) plan.trials.push_back({next, hash, parameters, std::move(spec), kinds.skip_of(parameters)});
  });
  if (plan.trials.empty()) refuse_nothing_left(sweep);
  plan.points = static_cast<std::int64_t>(of_points.size());
  plan.merged = plan.points - static_cast<std::int64_t>(plan.trials.size());
  return of_points;
}

}  // namespace regatta::sweep

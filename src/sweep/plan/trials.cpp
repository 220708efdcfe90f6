#include "sweep/plan/trials.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "regatta/json/text.hpp"
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

/// What identifies a trial, instead of the text that was there.
void make_canonical(std::string& canonical, const Sweep& sweep, const Parameters& parameters, const Kind& kind) {
  canonical.clear();
  append_json(canonical, parameters);
  canonical.pop_back();
  canonical += kind.written_out;
  if (const auto* name = std::get_if<std::string>(&parameters[Param::command]))
    append_command_spec(canonical, sweep.commands.at(*name));
  canonical += '}';
}

/// Why nothing is left to measure.
[[noreturn]] void refuse_nothing_left(const Sweep& sweep) {
  const std::string expected = "at least one point to stay";
  if (!sweep.left_out.empty()) {
    const LeftOut& left = sweep.left_out.front();
    json::refuse(place_in(sweep, "/axes/" + std::string(info(left.param).name)),
                 {fmt::format("no level that is here ({} is left out: {})", to_text(left.level),
                              left.reason.empty() ? "it was not found" : left.reason),
                  expected, ""});
  }
  if (!sweep.excludes.empty())
    json::refuse(place_in(sweep, "/exclude"), {"exclusions that leave no point", expected, ""});
  json::refuse(place_in(sweep, "/axes"), {"no point that --only keeps", expected, ""});
}

void set_read(Parameters& parameters, const Point& point, const Kind& kind) {
  for (std::size_t i = 0; i < param_count; ++i) {
    if (kind.read[i]) parameters.values[i] = point.values.values[i];
  }
}

}  // namespace

std::vector<TrialIndex> add_trials(const Sweep& sweep, const Points& points, Kinds& kinds, Plan& plan) {
  std::vector<TrialIndex> trial_of_point;
  std::unordered_map<Hash128, TrialIndex> known;
  plan.trials.reserve(points.at_most());
  known.reserve(points.at_most());
  std::string canonical;
  points.each([&](const Point& point) {
    const Kind& kind = kinds.kind_at(point);
    const TrialIndex next{static_cast<std::uint32_t>(plan.trials.size())};
    Trial& trial = plan.trials.emplace_back();
    trial.index = next;
    set_read(trial.parameters, point, kind);
    make_canonical(canonical, sweep, trial.parameters, kind);
    trial.hash = hash128(canonical);
    const auto [entry, is_new] = known.try_emplace(trial.hash, next);
    trial_of_point.push_back(entry->second);
    if (!is_new) return plan.trials.pop_back();
    trial.canonical = canonical;
    trial.skip_reason = kinds.skip_of(trial.parameters);
  });
  if (plan.trials.empty()) refuse_nothing_left(sweep);
  plan.points = static_cast<std::int64_t>(trial_of_point.size());
  plan.merged = plan.points - static_cast<std::int64_t>(plan.trials.size());
  return trial_of_point;
}

}  // namespace regatta::sweep

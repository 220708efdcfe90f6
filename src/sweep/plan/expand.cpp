#include "sweep/plan/expand.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sweep/parameters/json_text.hpp"
#include "sweep/plan/fingerprints.hpp"
#include "sweep/read/problem.hpp"

namespace regatta::sweep {
namespace {

/// ,"command_spec":{...} with the program as the sweep names it: identity must not depend on where the file lies.
std::string command_spec(const Sweep& sweep, const Parameters& parameters) {
  const auto* name = std::get_if<std::string>(&parameters[Param::command]);
  if (name == nullptr) return {};
  const Command& command = sweep.commands.at(*name);
  std::string text = ",\"command_spec\":{\"argv\":[";
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    const bool as_written = i == 0 && !command.program_as_written.empty();
    text += (i > 0 ? "," : "") + quote(as_written ? command.program_as_written : command.argv[i]);
  }
  return text + "],\"metric\":" + quote(command.metric_key) + "}";
}

/// Why nothing is left to measure.
[[noreturn]] void refuse_nothing_left(const Sweep& sweep) {
  const std::string expected = "at least one point to stay";
  if (!sweep.left_out.empty()) {
    const LeftOut& left = sweep.left_out.front();
    refuse(place_in(sweep, "/axes/" + std::string(info(left.param).name)),
           {fmt::format("no level that is here ({} is left out: {})", to_text(left.level),
                        left.reason.empty() ? "it was not found" : left.reason),
            expected, ""});
  }
  if (!sweep.excludes.empty()) refuse(place_in(sweep, "/exclude"), {"exclusions that leave no point", expected, ""});
  refuse(place_in(sweep, "/axes"), {"no point that --only keeps", expected, ""});
}

}  // namespace

Expansion expand(const Sweep& sweep, const Points& points, Kinds& kinds) {
  Expansion expansion;
  FingerprintTable trials;
  std::vector<LevelId> optional;
  for (const Value& engine : sweep.optional_engines) {
    if (const auto level = points.table().find(Param::engine, engine)) optional.push_back(*level);
  }
  points.each([&](const Point& point) {
    const Kind& kind = kinds.kind_at(point.levels);
    const auto [trial, is_new] = trials.add(fingerprint_of(point.levels, points.varying() & kind.read));
    if (is_new) {
      expansion.skip_of_trial.push_back(kinds.skip_at(point.levels, kind));
      const LevelId engine = point.levels[position(Param::engine)];
      if (!optional.empty())
        expansion.optional_of_trial.push_back(std::ranges::find(optional, engine) != optional.end());
    }
    expansion.trial_of_point.push_back(trial);
  });
  if (expansion.trial_of_point.empty()) refuse_nothing_left(sweep);
  return expansion;
}

std::vector<Trial> make_trials(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion) {
  std::vector<Trial> trials;
  trials.reserve(expansion.trials());
  std::size_t point_number = 0;
  points.each([&](const Point& point) {
    const std::uint32_t number = expansion.trial_of_point[point_number++];
    if (number != trials.size()) return;
    const Kind& kind = kinds.kind_at(point.levels);
    Trial trial{TrialIndex{number}, {}, kinds.parameters_at(point.levels, kind), {}, {}};
    trial.canonical = to_json(trial.parameters);
    trial.canonical.pop_back();
    trial.canonical += kind.written_out + command_spec(sweep, trial.parameters) + '}';
    trial.hash = hash128(trial.canonical);
    if (!expansion.runs(number)) trial.skip_reason = kinds.reasons()[expansion.skip_of_trial[number]];
    trials.push_back(std::move(trial));
  });
  return trials;
}

}  // namespace regatta::sweep

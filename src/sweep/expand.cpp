#include "sweep/expand.hpp"

#include <fmt/format.h>

#include <array>
#include <bitset>
#include <map>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "sweep/json_text.hpp"
#include "sweep/problem.hpp"

namespace regatta::sweep {
namespace {

/// The value of every parameter at a point, whether it is read there or not.
Parameters values_at(const Grid& grid, const Digits& digits) {
  Parameters values;
  for (const ParamInfo& row : parameter_table()) values[row.param] = row.fallback;
  for (std::size_t i = 0; i < digits.size(); ++i) values[grid.axes[i].param] = grid.axes[i].levels[digits[i]];
  return values;
}

/// Exclusions as digits; those that name a level the sweep does not have can match nothing.
class Exclusions {
 public:
  Exclusions(const Sweep& sweep, const Grid& grid) {
    for (std::size_t i = 0; i < sweep.excludes.size(); ++i) add(sweep, grid, i);
  }

  [[nodiscard]] bool match(const Digits& digits) const {
    for (const auto& pairs : matches_) {
      bool all = true;
      for (const auto& [axis, level] : pairs) all = all && digits[axis] == level;
      if (all) return true;
    }
    return false;
  }

 private:
  void add(const Sweep& sweep, const Grid& grid, std::size_t index) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const auto& [param, value] : sweep.excludes[index]) {
      const auto axis = grid.axis_of(param);
      if (!axis) {
        const std::string name(info(param).name);
        refuse(place_in(sweep, fmt::format("/exclude/{}/{}", index, name)),
               {fmt::format("the parameter {}, which is no axis of this sweep", quote(name)), "an axis", ""});
      }
      const auto level = level_of(grid.axes[*axis], value);
      if (!level) return;
      pairs.emplace_back(*axis, *level);
    }
    matches_.push_back(std::move(pairs));
  }

  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> matches_;
};

/// What a model is: a user's file may lie anywhere.
model::Model without_folder(model::Model model) {
  if (auto* user = std::get_if<model::UserModel>(&model)) user->folder.clear();
  return model;
}

/// What decides which other parameters are read.
constexpr std::array deciding = {Param::engine, Param::model, Param::length, Param::mode, Param::loop, Param::input};

/// What all trials of one engine and model, driven and fed alike, share.
struct Kind {
  std::optional<model::Model> model;
  std::bitset<param_count> read;
  std::string written_out;  ///< ,"model_spec":{...} if the model is
};

class Expander {
 public:
  Expander(const Sweep& sweep, const Grid& grid) : sweep_(sweep), grid_(grid) {
    for (std::size_t i = 0; i < deciding.size(); ++i) key_axes_[i] = grid.axis_of(deciding[i]);
    trial_of_key_.assign(grid.points, no_trial);
  }

  Expansion run() {
    const Exclusions exclusions(sweep_, grid_);
    Expansion out;
    out.trial_of_point.assign(grid_.points, no_trial);
    Digits digits(grid_.axes.size(), 0);
    for (std::uint64_t point = 0; point < grid_.points; ++point, advance(grid_, digits)) {
      if (exclusions.match(digits)) continue;
      ++out.points;
      out.trial_of_point[point] = trial_at(digits, out.trials);
    }
    return out;
  }

 private:
  using KindKey = std::array<std::size_t, deciding.size()>;  ///< digits

  /// The trial of a point: points that differ only in what is not read share one.
  std::uint32_t trial_at(const Digits& digits, std::vector<Trial>& trials) {
    const Kind& kind = kind_at(digits);
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (kind.read[static_cast<std::size_t>(grid_.axes[i].param)]) key += digits[i] * grid_.strides[i];
    }
    std::uint32_t& trial = trial_of_key_[key];
    if (trial == no_trial) {
      trial = static_cast<std::uint32_t>(trials.size());
      trials.push_back(make_trial(kind, digits, TrialIndex{trial}));
    }
    return trial;
  }

  const Kind& kind_at(const Digits& digits) {
    KindKey key{};
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = key_axes_[i] ? digits[*key_axes_[i]] : 0;
    const auto found = kinds_.find(key);
    if (found != kinds_.end()) return found->second;
    return kinds_.emplace(key, make_kind(values_at(grid_, digits))).first->second;
  }

  [[nodiscard]] Kind make_kind(Parameters values) const {
    Kind kind;
    const bool runs_model = reads(values, nullptr, Param::model);
    require_axis(values, runs_model ? Param::model : Param::command);
    if (runs_model) kind.model = model_of(sweep_, values);
    const model::Model* model = kind.model ? &*kind.model : nullptr;
    for (const ParamInfo& row : parameter_table())
      kind.read[static_cast<std::size_t>(row.param)] = reads(values, model, row.param);
    if (runs_model && sweep_.models.contains(text_of(values, Param::model))) {
      kind.written_out = ",\"model_spec\":" + model::to_json(without_folder(*model));
    }
    return kind;
  }

  void require_axis(const Parameters& values, Param param) const {
    if (!std::holds_alternative<std::monostate>(values[param])) return;
    const std::string_view name = info(param).name;
    refuse(place_in(sweep_, "/axes"),
           {fmt::format("no axis {}", quote(name)),
            fmt::format("one (the engine {} needs it)", text_of(values, Param::engine)), ""});
  }

  [[nodiscard]] Trial make_trial(const Kind& kind, const Digits& digits, TrialIndex index) const {
    Trial trial{index, {}, values_at(grid_, digits), {}, {}};
    for (std::size_t i = 0; i < param_count; ++i) {
      if (!kind.read[i]) trial.parameters.values[i] = {};
    }
    trial.canonical = to_json(trial.parameters);
    trial.canonical.pop_back();
    trial.canonical += kind.written_out + command_spec(trial.parameters) + '}';
    trial.hash = hash128(trial.canonical);
    trial.skip_reason = skip_reason(trial.parameters, kind.model ? &*kind.model : nullptr);
    return trial;
  }

  /// ,"command_spec":{...} with the program as the sweep names it: identity must not depend on where the file lies.
  [[nodiscard]] std::string command_spec(const Parameters& parameters) const {
    const auto* name = std::get_if<std::string>(&parameters[Param::command]);
    if (name == nullptr) return {};
    const Command& command = sweep_.commands.at(*name);
    std::string text = ",\"command_spec\":{\"argv\":[";
    for (std::size_t i = 0; i < command.argv.size(); ++i) {
      const bool as_written = i == 0 && !command.program_as_written.empty();
      text += (i > 0 ? "," : "") + quote(as_written ? command.program_as_written : command.argv[i]);
    }
    return text + "],\"metric\":" + quote(command.metric_key) + "}";
  }

  const Sweep& sweep_;
  const Grid& grid_;
  std::array<std::optional<std::size_t>, deciding.size()> key_axes_;
  std::map<KindKey, Kind> kinds_;
  std::vector<std::uint32_t> trial_of_key_;
};

}  // namespace

Expansion expand(const Sweep& sweep, const Grid& grid) {
  Expansion expansion = Expander(sweep, grid).run();
  if (expansion.trials.empty()) {
    refuse(place_in(sweep, "/exclude"), {"exclusions that leave no point", "at least one point to stay", ""});
  }
  return expansion;
}

std::optional<model::Model> model_of(const Sweep& sweep, const Parameters& parameters) {
  const auto* name = std::get_if<std::string>(&parameters[Param::model]);
  if (name == nullptr) return std::nullopt;
  const auto written_out = sweep.models.find(*name);
  if (written_out != sweep.models.end()) return written_out->second;
  const auto* length = std::get_if<std::int64_t>(&parameters[Param::length]);
  auto model =
      model::find_model(*name, length != nullptr ? *length : std::get<std::int64_t>(info(Param::length).fallback));
  if (!model) throw InternalError(fmt::format("model '{}' was not checked", *name));
  return model;
}

}  // namespace regatta::sweep
